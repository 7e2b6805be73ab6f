import type { Caller } from '../client/index.ts';
import { lastCommand } from './command-end.ts';
import { printedBy } from './turn-outcome.ts';

/**
 * Reports whether the turn that was interrupted is older than the last prompt, because that was a slash command which
 * began no turn. Such a command leaves the status as it is, and so does one that was itself interrupted. If the session
 * was busy since, only what the command printed shows that it was not.
 */
export async function isInterruptEarlier(client: Caller, slug: string): Promise<boolean> {
  const last = await lastCommand(client, slug);
  if (last?.phase !== 'taken') return false;
  const { evidence } = await client.call('explain', { params: { slug } });
  const prompt = evidence.hooks?.prompt ?? evidence.json?.prompt ?? null;
  if (prompt === null) return false;
  const changes = await client.call('history', { params: { slug }, query: { since: prompt.at } });
  const interrupt = changes.find(({ interrupted }) => interrupted === true);
  if (interrupt === undefined || Date.parse(interrupt.at) >= Date.parse(last.updated_at)) return false;
  const since = last.created_at;
  if (changes.every(({ at }) => Date.parse(at) < Date.parse(since))) return true;
  const session = await client.call('getSession', { params: { slug } });
  return (await printedBy(client, session, { text: last.text, since })) !== null;
}
