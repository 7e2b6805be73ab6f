import type { IncomingMessage } from 'node:http';
import { CatalogueError, type Send, type SessionsMay } from '../../protocol/index.ts';
import type { Logger } from '../logger.ts';
import type { Caller, Callers } from './callers.ts';

/** A prompt for one session or for several. */
export type PromptBody = Pick<Send, 'text' | 'command' | 'force'>;

/** What a caller may do. */
export interface Rights {
  /** Requires the rights of a person. @throws CatalogueError inside_session */
  requireFull(what: string): void;
  /**
   * Returns a prompt as this caller may send it: a prompt from a process inside a session begins with that session's
   * name.
   * @throws CatalogueError inside_session
   */
  signed<T extends PromptBody>(what: string, prompt: T): T;
}

export const RIGHTS_OF_A_PERSON: Rights = { requireFull: () => undefined, signed: (_, prompt) => prompt };

export type RightsOf = (request: IncomingMessage) => Promise<Rights>;

/**
 * Limits processes inside a session to reading, and to sending prompts that begin with the session's name, because
 * agents may follow any instruction that they read. By answering a question, pressing a key, or signing in, one session
 * could grant another session what only a person may grant.
 */
export function createRights(options: { callers: Callers; may: SessionsMay; logger: Logger }): RightsOf {
  const { callers, may, logger } = options;
  return async (request) => {
    if (may === 'everything') return RIGHTS_OF_A_PERSON;
    const caller = await callers.of(request);
    if (caller.kind === 'person') return RIGHTS_OF_A_PERSON;
    const refuse = (what: string): never => {
      logger.warn({ caller, what }, 'a request from a process inside a session was refused');
      throw refusalOf(caller);
    };
    return {
      requireFull: refuse,
      signed: (what, prompt) => {
        // A slash command runs without confirmation, and `force` types into whatever is open on the screen.
        if (may === 'read' || prompt.command === true || prompt.force === true) return refuse(what);
        const from = caller.kind === 'session' ? (caller.slug ?? '?') : '?';
        return { ...prompt, text: `${signatureOf(caller)} ${prompt.text}`, from };
      },
    };
  };
}

/**
 * Claude Code assumes that every prompt comes from its user, so a prompt that comes from another session must say so
 * itself.
 */
function signatureOf(caller: Caller): string {
  const from = caller.kind === 'session' && caller.slug !== null ? `the session ${caller.slug}` : 'another session';
  return `[From ${from}, not from your user]`;
}

function refusalOf(caller: Caller): CatalogueError {
  if (caller.kind === 'unknown') {
    return new CatalogueError(
      'inside_session',
      'CBOS cannot determine which process sent this request: the process has ended or runs in a container, or the package koffi could not be loaded',
    );
  }
  const where = caller.kind === 'session' && caller.slug !== null ? `the session ${caller.slug}` : 'a session';
  return new CatalogueError(
    'inside_session',
    `The request comes from a process in ${where}, which may only read and send prompts`,
  );
}
