import type { Caller } from '../client/index.ts';
import type { Session } from '../protocol/index.ts';
import { isOnItsWay } from './send-and-wait.ts';

/** How long the screen must stay the same after a slash command: a command that begins a turn shows it by then. */
const SETTLED_MS = 3_000;

/** Reports whether a terminal session has an empty conversation. */
export const isNew = ({ type, status }: Session): boolean =>
  type === 'screen' && status.primary === 'idle' && status.detail === 'ready';

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
  const [last] = deliveries
    .filter(({ status }) => status === 'delivered')
    .sort((one, other) => Date.parse(other.updated_at) - Date.parse(one.updated_at));
  const isCleared = because.rule === 'hook.SessionStart' && because.evidence === 'clear';
  return isCleared || last?.text.startsWith('/') === true;
}
