import { isAsking, isReady, type ParkingRefusal } from '../../protocol/index.ts';
import { coverOf, draftOf, type Seen } from '../delivery/seen.ts';

/** What is known about a session that is to be parked. */
export interface ParkingSeen {
  prompt: Seen;
  attached: boolean | null;
  /** whether a process that Claude Code started for one of its tools is still running */
  hasTools: boolean;
  /** whether the session has a conversation that Claude Code can resume */
  hasConversation: boolean;
  /** the status in Claude Code's registry, or null if the registry reports none */
  registry: 'idle' | 'busy' | 'waiting' | 'shell' | null;
}

/**
 * Returns why CBOS must not park a session now, or null if it may. Parking must not lose anything when the process
 * ends, so CBOS also refuses if any fact is unknown.
 */
export function whyNotParked(seen: ParkingSeen): ParkingRefusal | null {
  const { prompt, attached, registry } = seen;
  const { status, deliveries, hooks } = prompt;
  if (!prompt.isAdopted || !prompt.isLaunched) return 'not_launched';
  if (isAsking(status)) return 'asking';
  if (status.primary === 'active' || status.primary === 'stuck' || deliveries.sent.length > 0) return 'working';
  // A closing question is plain text, so it remains in the conversation.
  if (!isReady(status)) return 'unknown';
  if (attached === true) return 'attached';
  if (prompt.isUnread) return 'unread';
  if (coverOf(prompt) !== null || prompt.screen === null) return 'covered';
  if (draftOf(prompt) !== null) return 'draft';
  if (deliveries.queued.length > 0 && !prompt.isQueueStopped) return 'queued';
  if (seen.hasTools || registry === 'shell' || (hooks.background ?? 0) > 0) return 'background';
  return seen.hasConversation ? null : 'no_conversation';
}
