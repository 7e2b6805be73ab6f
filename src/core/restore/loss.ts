import type { Loss } from '../../protocol/index.ts';

/** What is known about how a session in a terminal ended. */
export interface EndSeen {
  /** whether someone made CBOS end the session, by stopping, deleting, or parking it */
  isAsked: boolean;
  /**
   * when a server noticed that the session had ended: as it happened, when the server started, or just before the
   * server itself ended
   */
  noticed: 'at_once' | 'at_start' | 'at_close';
  /** the reason that Claude Code's SessionEnd hook gave, or null if that hook did not arrive */
  reason: string | null;
  /** whether any hook of this launch has arrived; in a session without hooks, a missing SessionEnd proves nothing */
  hasHooks: boolean;
  /** whether the machine has been rebooted since the launch, or null if unknown */
  hasRebooted: boolean | null;
  /**
   * `killed`: the daemon's socket still exists, although a daemon that ends normally removes it; `alive`: only Claude
   * Code has ended
   */
  screen: 'gone' | 'killed' | 'alive';
}

/** The reason that Claude Code gives when a signal ended it (2.1.330). */
export const BY_SIGNAL = 'other';
/** Reasons that end a conversation but not the session, which continues with another conversation. */
const GOES_ON: ReadonlySet<string> = new Set(['clear', 'resume']);

/**
 * Returns how a session was lost, or null if a user ended it or it ended on its own. If the cause is unknown, the
 * session does not count as lost, because a session that a user closed must not come back automatically.
 */
export function lossOf(end: EndSeen): Loss | null {
  if (end.isAsked || hasEndedItself(end.reason)) return null;
  if (end.noticed === 'at_close') return 'shutdown';
  if (end.noticed === 'at_once') return end.screen === 'killed' ? 'screen_killed' : null;
  if (end.hasRebooted === true) return 'reboot';
  if (end.screen === 'alive') return null;
  if (end.screen === 'killed') return 'screen_killed';
  if (end.reason === BY_SIGNAL) return 'signal';
  return end.hasHooks ? 'vanished' : null;
}

/**
 * Reports whether Claude Code announced that it was ending for a reason other than a signal. Reasons that later
 * versions introduce also count.
 */
export function hasEndedItself(reason: string | null): boolean {
  return reason !== null && reason !== BY_SIGNAL && !GOES_ON.has(reason);
}
