import { isAsking, isReady, type ParkingRefusal } from '../../protocol/index.ts';
import { coverOf, draftOf, type Seen } from '../delivery/seen.ts';

/** What is known of a session that is to be parked. */
export interface ParkingSeen {
  prompt: Seen;
  attached: boolean | null;
  /** whether a process runs inside the session that Claude Code started for its own tools */
  hasTools: boolean;
  /** whether Claude Code can resume the conversation */
  hasConversation: boolean;
  /** what Claude Code's registry says; null if it says nothing */
  registry: 'idle' | 'busy' | 'waiting' | 'shell' | null;
}

/**
 * Why a session must not be parked now; null if it may. Ending its process must lose nothing, so whatever is not known
 * refuses too.
 */
export function whyNotParked(seen: ParkingSeen): ParkingRefusal | null {
  const { prompt, attached, registry } = seen;
  const { status, deliveries, hooks } = prompt;
  if (!prompt.isAdopted || !prompt.isLaunched) return 'not_launched';
  if (isAsking(status)) return 'asking';
  if (status.primary === 'active' || status.primary === 'stuck' || deliveries.sent.length > 0) return 'working';
  // A closing question is a question in words: the conversation keeps it.
  if (!isReady(status)) return 'unknown';
  if (attached === true) return 'attached';
  if (prompt.isUnread) return 'unread';
  if (coverOf(prompt) !== null || prompt.screen === null) return 'covered';
  if (draftOf(prompt) !== null) return 'draft';
  if (deliveries.queued.length > 0 && !prompt.isQueueStopped) return 'queued';
  if (seen.hasTools || registry === 'shell' || (hooks.background ?? 0) > 0) return 'background';
  return seen.hasConversation ? null : 'no_conversation';
}
