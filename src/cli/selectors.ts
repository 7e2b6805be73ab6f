import { resolve } from 'node:path';
import { isSelective, matchesSelector, type Session, type SessionSelector } from '../protocol/index.ts';
import { someSessions } from '../text/name-list.ts';
import { cleanLine } from '../text/terminal-text.ts';
import { UsageError } from './command-error.ts';
import { isConfirmed } from './confirm.ts';
import type { CliContext } from './context.ts';
import { withoutUndefined } from './without-undefined.ts';

/** The options that select sessions. Every command that accepts several sessions has the same options. */
export interface SelectorOptions {
  state?: string;
  tag?: readonly string[];
  repo?: string;
}

/** Converts the options into a selector. A path names a folder on this machine. */
export function selectorOf({ io }: CliContext, { state, tag, repo }: SelectorOptions): SessionSelector {
  const isPath = repo !== undefined && /^\.{0,2}(\/|$)/.test(repo);
  return withoutUndefined({ state, tags: tag, repo: isPath ? resolve(io.cwd, repo) : repo });
}

/** Describes a selection for a message, such as `needs-you, tagged night, of shop`. */
export function selectorText({ state, tags, repo }: SessionSelector): string {
  const parts = [
    state ?? '',
    tags === undefined ? '' : `tagged ${tags.join(' and ')}`,
    repo === undefined ? '' : `of ${cleanLine(repo)}`,
  ];
  return parts.filter((part) => part !== '').join(', ');
}

interface Choice {
  /** the session names that the user typed */
  names: readonly string[];
  options: SelectorOptions;
  /** the command's usage line, for the error message */
  command: string;
  /** whether the command applies to a session; sessions to which it does not apply are not selected */
  fits?: (session: Session) => boolean;
}

/**
 * Returns the sessions with the given names, or otherwise the sessions that the options select.
 * @throws CommandError if the user gave both names and options, or neither
 */
export async function chosenSessions(
  context: CliContext,
  choice: Choice,
): Promise<{ slugs: string[]; selected: boolean }> {
  const { names, options, command, fits = () => true } = choice;
  const selector = selectorOf(context, options);
  if (!isSelective(selector)) {
    if (names.length > 0) return { slugs: [...new Set(names)], selected: false };
    throw new UsageError(`Missing required argument 'name'`, `cbos ${command} --help`);
  }
  if (names.length > 0) {
    throw new UsageError('Names cannot be combined with --state, --tag or --repo', 'leave one of them out');
  }
  const client = await context.client();
  const sessions = (await client.call('listSessions')).filter((one) => matchesSelector(one, selector) && fits(one));
  if (sessions.length === 0) context.out.notice(`no session is ${selectorText(selector)} — cbos ls`);
  return { slugs: sessions.map(({ slug }) => slug), selected: true };
}

/**
 * Asks for confirmation before several sessions are ended. For a single session given by name, no confirmation is
 * needed.
 * @returns whether the command may proceed
 */
export async function mayActOnSeveral(
  context: CliContext,
  about: { slugs: readonly string[]; selected: boolean; verb: string; yes?: boolean | undefined },
): Promise<boolean> {
  const { slugs, selected, verb, yes } = about;
  if (yes === true || slugs.length === 0 || !selected) return true;
  return isConfirmed(context, `${verb} ${someSessions(slugs)}?`, 'nothing was done');
}
