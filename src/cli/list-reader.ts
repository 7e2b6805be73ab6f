import type { Session } from '../protocol/index.ts';
import type { CliContext } from './context.ts';
import type { Reader } from './output/session-table.ts';

/**
 * Returns what the table needs from this machine.
 * @param more.resources whether the server looks at the processes too
 */
export async function readerOf(
  context: CliContext,
  sessions: readonly Session[],
  more: { resources?: boolean } = {},
): Promise<Reader> {
  const { io, host } = context;
  // The disk of this machine says nothing of the sessions of another one.
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
    // The status line tells of a switch at once, the transcript with the next answer.
    modelOf: ({ slug, model, effort }) => (effort === null ? (models.get(slug) ?? model) : model),
    resourcesOf: (slug) => bySlug.get(slug) ?? null,
  };
}
