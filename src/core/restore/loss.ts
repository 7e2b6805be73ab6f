import type { Loss } from '../../protocol/index.ts';

/** What is known of the end of a session in a terminal. */
export interface EndSeen {
  /** whether somebody asked CBOS for it: by a stop, a deletion or parking */
  isAsked: boolean;
  /** when a server noticed: as it happened, at its own start, or in the moments before its own end */
  noticed: 'at_once' | 'at_start' | 'at_close';
  /** the reason that Claude Code's SessionEnd hook gave; null if none came */
  reason: string | null;
  /** whether any hook of this launch has come: without hooks, a missing SessionEnd says nothing */
  hasHooks: boolean;
  /** whether the machine was started anew since the launch; null if that is not known */
  hasRebooted: boolean | null;
  /** `killed`: its socket is left, which a daemon that ends by itself removes; `alive`: only Claude Code has gone */
  screen: 'gone' | 'killed' | 'alive';
}

/** What Claude Code says where a signal ended it (2.1.330). */
const BY_SIGNAL = 'other';
/** Reasons that end a conversation, and not the session: it goes on with another one. */
const GOES_ON: ReadonlySet<string> = new Set(['clear', 'resume']);

/**
 * How a session was lost; null for one that a person, or it itself, has ended. Where that is not known, it is not
 * lost: what a person has closed must not come back by itself.
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

/** Whether Claude Code has said that it ends, by any reason but a signal. A reason of a later version counts too. */
export function hasEndedItself(reason: string | null): boolean {
  return reason !== null && reason !== BY_SIGNAL && !GOES_ON.has(reason);
}
