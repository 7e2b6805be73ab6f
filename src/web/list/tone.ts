import {
  type Attending,
  type Attention,
  attentionOf,
  isCurrent,
  type Need,
  needOf,
  placeOf,
  type SeenSession,
  type Session,
} from '../../protocol/index.ts';
import { blockedText } from '../../text/blocked-words.ts';
import type { Ended } from '../../text/end-words.ts';
import { showHiddenMarks } from '../../text/hidden-marks.ts';
import { pullRequestText } from '../../text/pull-request-words.ts';
import { sessionGist, stateText } from '../../text/session-words.ts';
import { worktreeBranch } from '../../text/worktree-words.ts';

/** Returns a session's status in words. For an outdated session, it is the last known status. */
export function statusText(session: SeenSession): string {
  return isCurrent(session) ? stateText(session) : `was ${stateText(session)}`;
}

/** How a session looks in the list and on its chip: the colour of its dot. */
export type Tone = 'needs' | 'error' | 'stuck' | 'turn' | 'busy' | 'idle' | 'unknown' | 'dead';

/** The tone of each heading, and of the sessions below it. */
export const TONES: Readonly<Record<Attention | Need['look'], Tone>> = {
  needs_you: 'needs',
  fault: 'error',
  stuck: 'stuck',
  done: 'turn',
  working: 'busy',
  new: 'idle',
  unknown: 'unknown',
  snoozed: 'idle',
  parked: 'idle',
  stopped: 'dead',
};

export function toneOf(session: Attending & Pick<SeenSession, 'elsewhere'>): Tone {
  return isCurrent(session) ? TONES[needOf(session)?.look ?? attentionOf(session)] : 'unknown';
}

/** Returns one line about the session: why it cannot be reached, its question, what it is doing, or its folder. */
export function gistOf(
  session: Pick<Session, 'slug' | 'status' | 'path' | 'place' | 'screen_prompt_at' | 'view' | 'worktree'> & Ended,
): string {
  const path = placeOf(session);
  const place = worktreeBranch(session.worktree) || (path === null ? '' : shortPath(path));
  const says = blockedText(session) || sessionGist(session) || place;
  return [pullRequestText(session), says].filter(Boolean).join(' · ');
}

/** Returns the last two parts of a path, such as `…/src/auth`. */
export function shortPath(path: string): string {
  const parts = showHiddenMarks(path)
    .split('/')
    .filter((part) => part !== '');
  return parts.length <= 2 ? showHiddenMarks(path) : `…/${parts.slice(-2).join('/')}`;
}
