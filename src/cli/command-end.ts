import type { Caller } from '../client/index.ts';
import { type Delivery, rowOf, type Session } from '../protocol/index.ts';
import { cleanLine } from '../text/terminal-text.ts';
import { CommandError } from './command-error.ts';
import { isOnItsWay } from './send-and-wait.ts';
import { failureIn, printedBy } from './turn-outcome.ts';

/** How long the screen must stay the same after a slash command: a command that begins a turn shows it by then. */
const SETTLED_MS = 3_000;
/** How long after a slash command Claude Code may still write to the transcript that it did not carry it out. */
const RECENT_MS = 10_000;

/** Returns the delivery that Claude Code took last, or null if it took none. */
function lastOf(deliveries: readonly Delivery[]): Delivery | null {
  const [last] = deliveries
    .filter(({ status }) => status === 'delivered')
    .sort((one, other) => Date.parse(other.updated_at) - Date.parse(one.updated_at));
  return last ?? null;
}

/** Returns the last prompt if it was a slash command, whatever became of it, or null otherwise. */
export async function lastCommand(client: Caller, slug: string): Promise<Delivery | null> {
  const last = lastOf(await client.call('listDeliveries', { params: { slug } }));
  return last?.phase !== 'answering' && last?.text.startsWith('/') === true ? last : null;
}

/**
 * Returns the error if Claude Code did not carry out the last slash command of a session, for example because it does
 * not know the command. The status is still that of the turn before the command.
 */
export async function commandFailure(client: Caller, session: Session): Promise<CommandError | null> {
  const { slug, type, status } = session;
  const failed = (why: string): CommandError => new CommandError(`${slug}: ${why}`, `cbos show ${slug}`);
  const last = status.primary === 'idle' ? await lastCommand(client, slug) : null;
  if (last === null) return null;
  const { hooks, json } = (await client.call('explain', { params: { slug } })).evidence;
  const error = json?.turn_end?.command_error;
  if (type === 'json') return error === undefined ? null : failed(cleanLine(error));
  // The command has begun a turn, or a turn has followed it.
  if (hooks?.prompt != null && hooks.prompt.at >= last.created_at) return null;
  const isRecent = Date.now() - Date.parse(last.updated_at) < RECENT_MS;
  const command = { text: last.text, since: last.created_at };
  const printed = await printedBy(client, session, isRecent ? command : { ...command, lagMs: 0 });
  const why = failureIn(printed, last);
  return why === null ? null : failed(why);
}

/** Reports whether a terminal session has an empty conversation. */
export const isNew = ({ type, status }: Session): boolean => type === 'screen' && rowOf(status).group === 'new';

/**
 * Reports whether a terminal session is still new, or is new again, because Claude Code itself carried out the last
 * slash command. Such a command is no prompt, and `/clear` begins an empty conversation, so the status never becomes
 * done. A person may have typed `/clear`.
 */
export async function isCommandOver(client: Caller, slug: string): Promise<boolean> {
  const session = await client.call('getSession', { params: { slug } });
  const { quiet_ms: quietMs, because } = session.status;
  if (!isNew(session) || quietMs < SETTLED_MS) return false;
  const deliveries = await client.call('listDeliveries', { params: { slug } });
  if (deliveries.some(isOnItsWay)) return false;
  const isCleared = because.rule === 'hook.SessionStart' && because.evidence === 'clear';
  return isCleared || lastOf(deliveries)?.text.startsWith('/') === true;
}
