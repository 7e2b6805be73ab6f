import { CatalogueError, type Changes, type Session } from '../protocol/index.ts';
import type { Caller } from './caller.ts';
import { type TestOutcome, testOutcome } from './test-outcome.ts';

/** What a session has done so far. If no source reports a field, it is null or empty. */
export interface Compared {
  session: Session;
  changes: Pick<Changes, 'base' | 'total' | 'left_out'> | null;
  worked_ms: number;
  cost_usd: number | null;
  tests: TestOutcome | null;
  /** the session's own words, which are not safe to print in a terminal */
  last_words: string;
}

/**
 * Reads what a session has done, in order to compare it with others. For each session, this runs git and reads a
 * transcript of several megabytes.
 */
export async function compareSession(client: Caller, session: Session): Promise<Compared> {
  const { slug } = session;
  const days = await client.call('historyDays', { query: { session: slug } });
  const { events } = await client.call('transcript', { params: { slug }, query: {} });
  const costs = days.flatMap(({ cost_usd: cost }) => cost ?? []);
  return {
    session,
    changes: await changesOf(client, session),
    worked_ms: days.reduce((sum, { worked_ms: ms }) => sum + ms, 0),
    cost_usd: costs.length === 0 ? session.cost_usd : costs.reduce((sum, cost) => sum + cost, 0),
    tests: testOutcome(events),
    last_words: await lastWords(client, session),
  };
}

/** Returns the other attempts at the same task, as `cbos new NAME --times` names them: NAME-1, NAME-2. */
export function attemptsLike(slug: string, slugs: Iterable<string>): string[] {
  const [, name] = /^(.+)-\d+$/.exec(slug) ?? [];
  const isOther = (one: string): boolean => one !== slug && one.replace(/-\d+$/, '') === name && one !== name;
  return name === undefined ? [] : [...slugs].filter(isOther);
}

/** Returns null if the session is outside a repository or its worktree was finished. */
async function changesOf(client: Caller, { slug }: Session): Promise<Compared['changes']> {
  try {
    const { base, total, left_out } = await client.call('changes', { params: { slug }, query: {} });
    return { base, total, left_out };
  } catch (error) {
    if (error instanceof CatalogueError && NO_CHANGES.has(error.code)) return null;
    throw error;
  }
}
const NO_CHANGES: ReadonlySet<string> = new Set(['no_such_path', 'not_a_repository', 'git_not_found', 'git_failed']);

/**
 * Returns a session's answer in its last turn, or an empty string if no source reports the answer. An adopted session's
 * answer is never reported, because such a session has no hooks. For a terminal session, only the last 4,000 characters
 * are available, because CBOS keeps no more.
 */
export async function lastWords(client: Caller, { slug, type }: Session): Promise<string> {
  const params = { slug };
  try {
    if (type === 'json') return (await client.call('lastResponse', { params })).text;
    const { message = '', cut } = (await client.call('explain', { params })).evidence.hooks?.turn_end ?? {};
    return `${cut === true ? '…' : ''}${message ?? ''}`;
  } catch (error) {
    if (error instanceof CatalogueError && error.code === 'no_response') return '';
    throw error;
  }
}
