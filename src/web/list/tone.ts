import { type Attending, type Attention, attentionOf, needOf, type Session } from '../../protocol/index.ts';
import { blockedText } from '../../text/blocked-words.ts';
import { showHiddenMarks } from '../../text/hidden-marks.ts';
import { sessionGist, stateText } from '../../text/session-words.ts';
import { worktreeBranch } from '../../text/worktree-words.ts';

export { stateText as statusText };

/** The look of a session in the list and on its chip, which is the colour of its dot. */
export type Tone = 'needs' | 'error' | 'stuck' | 'turn' | 'busy' | 'idle' | 'unknown' | 'dead';

/** The tones of the headings, and of all sessions without a failure. */
export const TONES: Readonly<Record<Attention, Tone>> = {
  needs_you: 'needs',
  done: 'turn',
  working: 'busy',
  new: 'idle',
  unknown: 'unknown',
  snoozed: 'idle',
  parked: 'idle',
  stopped: 'dead',
};

export function toneOf(session: Attending): Tone {
  const need = needOf(session);
  if (need === 'stuck') return 'stuck';
  return need === 'error' || need === 'limit' ? 'error' : TONES[attentionOf(session)];
}

/** Returns one line about the session: what keeps it from being reached, its question, what it does, or its folder. */
export function gistOf(session: Pick<Session, 'status' | 'path' | 'screen_prompt_at' | 'worktree'>): string {
  const { path } = session;
  const place = worktreeBranch(session.worktree) || (path === null ? '' : shortPath(path));
  return blockedText(session) || sessionGist(session) || place;
}

/** Returns the last two parts of a path: `…/src/auth`. */
export function shortPath(path: string): string {
  const parts = showHiddenMarks(path)
    .split('/')
    .filter((part) => part !== '');
  return parts.length <= 2 ? showHiddenMarks(path) : `…/${parts.slice(-2).join('/')}`;
}
