import type { Session } from '../protocol/index.ts';
import type { CliContext } from './context.ts';
import type { Reader } from './output/session-table.ts';

/** Returns what the table needs from this machine. */
export async function readerOf({ io, host }: CliContext, sessions: readonly Session[]): Promise<Reader> {
  const [branches, models] = await Promise.all([
    host.gitBranches(sessions.flatMap(({ path }) => path ?? [])),
    host.lastModels(sessions),
  ]);
  return {
    now: io.now(),
    home: io.env.HOME,
    branchOf: (path) => branches.get(path) ?? '',
    // The status line tells of a switch at once, the transcript with the next answer.
    modelOf: ({ slug, model, effort }) => (effort === null ? (models.get(slug) ?? model) : model),
  };
}
