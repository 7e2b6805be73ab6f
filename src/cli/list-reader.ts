import type { Session } from '../protocol/index.ts';
import type { CliContext } from './context.ts';
import type { Reader } from './output/session-table.ts';

/**
 * Returns what the table needs to know from this machine.
 * @param more.resources whether the server also inspects the processes
 */
export async function readerOf(
  context: CliContext,
  sessions: readonly Session[],
  more: { resources?: boolean } = {},
): Promise<Reader> {
  const { io, host } = context;
  // This machine's disk has no information about a session on another machine.
  const own = sessions.filter(({ slug }) => !slug.includes('/'));
  const [branches, models, resources] = await Promise.all([
    host.gitBranches(own.flatMap(({ path }) => path ?? [])),
    host.lastModels(own),
    more.resources === true ? (await context.client()).call('resources') : [],
  ]);
  const bySlug = new Map(resources.map((one) => [one.session, one]));
  return {
    now: io.now(),
    home: io.env.HOME,
    branchOf: (path) => branches.get(path) ?? '',
    // The status line reports a change of model immediately, and the transcript only with the next answer.
    modelOf: ({ slug, model, effort }) => (effort === null ? (models.get(slug) ?? model) : model),
    resourcesOf: (slug) => bySlug.get(slug) ?? null,
  };
}
