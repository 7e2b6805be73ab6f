import type { Caller } from '../client/index.ts';
import { isSlug } from '../protocol/index.ts';
import { budgetScopeText } from '../text/budget-words.ts';
import { firstLine } from '../text/session-words.ts';
import { cleanLine } from '../text/terminal-text.ts';

export type Suggestion = readonly [value: string, about: string];

/** Returns the possible ids for a command: those of unsent drafts and held messages, and the names of other things. */
export async function readIds(
  client: Caller,
  command: string | undefined,
  words: readonly string[],
): Promise<Suggestion[]> {
  if (command === 'draft' || command === 'stash') return readDrafts(client);
  if (command === 'recover') return readSaved(client);
  if (command === 'schedule') return readSchedules(client);
  if (command === 'views') return readViews(client);
  if (command === 'notify') return readSinks(client);
  if (command === 'budget') return readBudgets(client);
  if (command === 'files') return readFiles(client, words);
  return command === 'queue' ? readQueue(client) : [];
}

/** The ids of the files that belong to the session already typed. */
async function readFiles(client: Caller, [slug]: readonly string[]): Promise<Suggestion[]> {
  if (slug === undefined || !isSlug(slug)) return [];
  const files = await client.call('listFiles', { params: { slug } }).catch(() => []);
  return files.map(({ id, name }) => [id, cleanLine(name)]);
}

async function readSaved(client: Caller): Promise<Suggestion[]> {
  const saved = await client.call('listSaved', { query: {} });
  return saved.map(({ id, branch }) => [cleanLine(id), cleanLine(branch)]);
}

async function readViews(client: Caller): Promise<Suggestion[]> {
  const views = await client.call('listViews');
  return views.map(({ name, group, filter }) => [cleanLine(name), cleanLine(`${group} ${filter}`)]);
}

async function readBudgets(client: Caller): Promise<Suggestion[]> {
  const budgets = await client.call('listBudgets');
  return budgets.map((one) => [cleanLine(one.name), budgetScopeText(one)]);
}

async function readSchedules(client: Caller): Promise<Suggestion[]> {
  const schedules = await client.call('listSchedules');
  return schedules.map(({ name, cron, prompt }) => [cleanLine(name), cleanLine(`${cron}: ${firstLine(prompt)}`)]);
}

async function readSinks(client: Caller): Promise<Suggestion[]> {
  const sinks = await client.call('listSinks');
  return sinks.map(({ name, to }) => [cleanLine(name), cleanLine(to)]);
}

async function readQueue(client: Caller): Promise<Suggestion[]> {
  const sessions = await client.call('listSessions');
  const lists = await Promise.all(sessions.map(({ slug }) => client.call('listDeliveries', { params: { slug } })));
  return lists
    .flat()
    .filter(({ status }) => status === 'queued')
    .map(({ id, session, text }) => [id, cleanLine(`${session}: ${firstLine(text)}`)]);
}

async function readDrafts(client: Caller): Promise<Suggestion[]> {
  const replies = await client.call('listStash');
  return replies
    .filter(({ applied }) => !applied)
    .map(({ id, session_slug, response }) => [id, cleanLine(`${session_slug}: ${firstLine(response)}`)]);
}
