import type { Caller } from '../client/index.ts';
import { isSlug } from '../protocol/index.ts';
import { budgetScopeText } from '../text/budget-words.ts';
import { firstLine } from '../text/session-words.ts';
import { cleanLine } from '../text/terminal-text.ts';

export type Suggestion = readonly [value: string, about: string];

type ReadIds = (client: Caller, words: readonly string[]) => Promise<Suggestion[]>;

const readDrafts: ReadIds = async (client) => {
  const unsent = (await client.call('listStash')).filter(({ applied }) => !applied);
  return unsent.map(({ id, session_slug, response }) => [id, cleanLine(`${session_slug}: ${firstLine(response)}`)]);
};

/** How the possible ids for a command are read: those of unsent drafts and held messages, and names of other things. */
const READERS: Readonly<Record<string, ReadIds>> = {
  draft: readDrafts,
  stash: readDrafts,
  async recover(client) {
    const saved = await client.call('listSaved', { query: {} });
    return saved.map(({ id, branch }) => [cleanLine(id), cleanLine(branch)]);
  },
  async schedule(client) {
    const schedules = await client.call('listSchedules');
    return schedules.map(({ name, cron, prompt }) => [cleanLine(name), cleanLine(`${cron}: ${firstLine(prompt)}`)]);
  },
  async views(client) {
    const views = await client.call('listViews');
    return views.map(({ name, group, filter }) => [cleanLine(name), cleanLine(`${group} ${filter}`)]);
  },
  async notify(client) {
    const sinks = await client.call('listSinks');
    return sinks.map(({ name, to }) => [cleanLine(name), cleanLine(to)]);
  },
  async budget(client) {
    const budgets = await client.call('listBudgets');
    return budgets.map((one) => [cleanLine(one.name), budgetScopeText(one)]);
  },
  /** the files that belong to the session already typed */
  async files(client, [slug]) {
    if (slug === undefined || !isSlug(slug)) return [];
    const files = await client.call('listFiles', { params: { slug } }).catch(() => []);
    return files.map(({ id, name }) => [id, cleanLine(name)]);
  },
  async queue(client) {
    const sessions = await client.call('listSessions');
    const lists = await Promise.all(sessions.map(({ slug }) => client.call('listDeliveries', { params: { slug } })));
    const held = lists.flat().filter(({ status }) => status === 'queued');
    return held.map(({ id, session, text }) => [id, cleanLine(`${session}: ${firstLine(text)}`)]);
  },
};

/** Returns the possible ids for a command, or none if it takes none. */
export async function readIds(client: Caller, command = '', words: readonly string[] = []): Promise<Suggestion[]> {
  return Object.hasOwn(READERS, command) ? (READERS[command]?.(client, words) ?? []) : [];
}
