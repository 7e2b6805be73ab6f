import type { IncomingMessage } from 'node:http';
import { CatalogueError, type Send, type SessionsMay } from '../../protocol/index.ts';
import type { Logger } from '../logger.ts';
import type { Sessions } from '../sessions.ts';
import type { Caller, Callers } from './callers.ts';

/** The HTTP methods that only read. */
const READING = [
  'list',
  'get',
  'conversations',
  'resources',
  'restoration',
  'buffer',
  'deliveries',
  'delivery',
  'events',
  'lastResponse',
  'sessionCosts',
  'costs',
  'explain',
  'stash',
  'history',
  'historyDays',
  'transcript',
  'search',
  'stream',
  'streams',
  'onEvent',
] as const satisfies readonly (keyof Sessions)[];

/** What a caller may do. */
export interface Rights {
  /** whether the caller may do everything, as a person may */
  isFull: boolean;
  /** the sessions, limited to what this caller may do */
  sessions: Sessions;
  /**
   * Requires full rights. Used for actions that do not belong to a single session. @throws CatalogueError
   * inside_session
   */
  requireFull(what: string): void;
}

export type RightsOf = (request: IncomingMessage) => Promise<Rights>;

/**
 * Limits processes inside a session to reading, and to sending prompts that begin with the session's name, because
 * agents may follow any instruction that they read. By answering a question, pressing a key, or signing in, one session
 * could grant another session what only a person may grant.
 */
export function createRights(options: {
  sessions: Sessions;
  callers: Callers;
  may: SessionsMay;
  logger: Logger;
}): RightsOf {
  const { sessions, callers, may, logger } = options;
  const full: Rights = { isFull: true, sessions, requireFull: () => undefined };
  return async (request) => {
    if (may === 'everything') return full;
    const caller = await callers.of(request);
    if (caller.kind === 'person') return full;
    const refuse = (what: string): CatalogueError => {
      logger.warn({ caller, what }, 'a request from a process inside a session was refused');
      return refusalOf(caller);
    };
    return {
      isFull: false,
      sessions: limitSessions(sessions, {
        may,
        signature: signatureOf(caller),
        from: caller.kind === 'session' ? (caller.slug ?? '?') : '?',
        refuse,
      }),
      requireFull: (what) => {
        throw refuse(what);
      },
    };
  };
}

function limitSessions(
  sessions: Sessions,
  limits: { may: SessionsMay; signature: string; from: string; refuse(what: string): CatalogueError },
): Sessions {
  const { may, signature, from, refuse } = limits;
  const refusing = Object.keys(sessions).map((name) => [name, () => Promise.reject(refuse(name))]);
  const reading = Object.fromEntries(READING.map((name) => [name, sessions[name]])) as Pick<
    Sessions,
    (typeof READING)[number]
  >;
  const limited = { ...(Object.fromEntries(refusing) as Sessions), ...reading };
  if (may === 'read') return limited;
  const signed = <T extends Pick<Send, 'text' | 'command' | 'force'>>(
    what: string,
    request: T,
  ): T & { from: string } => {
    // A slash command runs without confirmation, and `force` types into whatever is open on the screen.
    if (request.command === true || request.force === true) throw refuse(what);
    return { ...request, text: `${signature} ${request.text}`, from };
  };
  return {
    ...limited,
    send: async (slug, request) => sessions.send(slug, signed('send', request)),
    broadcast: async (request) => sessions.broadcast(signed('broadcast', request)),
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
