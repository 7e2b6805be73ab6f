import { placeOf, type Session } from '../protocol/index.ts';
import type { CliContext } from './context.ts';
import type { Reader } from './output/session-table.ts';

/**
 * Returns the facts from this machine that the table shows.
 * @param more.resources whether to request the resources that sessions use, for which the server inspects their
 * processes
 */
export async function readerOf(
  context: CliContext,
  sessions: readonly Session[],
  more: { resources?: boolean } = {},
): Promise<Reader> {
  const { io, host } = context;
  // Nothing on this machine's disk concerns a session on another machine.
  const own = sessions.filter(({ slug }) => !slug.includes('/'));
  const [branches, models, resources] = await Promise.all([
    host.gitBranches(own.flatMap((session) => placeOf(session) ?? [])),
    host.lastModels(own),
    more.resources === true ? (await context.client()).call('resources') : [],
  ]);
  const bySlug = new Map(resources.map((one) => [one.session, one]));
  return {
    now: io.now(),
    home: io.env.HOME,
    branchOf: (path) => branches.get(path) ?? '',
    // The status line reports a change of model immediately. The transcript shows it only in the next answer.
    modelOf: ({ slug, model, effort }) => (effort === null ? (models.get(slug) ?? model) : model),
    resourcesOf: (slug) => bySlug.get(slug) ?? null,
  };
}
