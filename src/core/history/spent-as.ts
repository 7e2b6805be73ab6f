import type { Health, Primary, State } from '../../protocol/index.ts';

/** The categories in which a session's time is counted: the states shown in lists, with stuck counted separately. */
export type SpentAs = 'worked' | 'waited' | 'stuck' | 'idle' | 'error';

/**
 * Returns the category in which a session's time is counted, or null if it does not count, because the session is dead
 * or its activity is unknown.
 */
export function spentAs({
  primary,
  state,
  health,
}: {
  primary: Primary | null;
  state: State;
  health: Health;
}): SpentAs | null {
  if (primary === 'stuck' || health === 'STUCK') return 'stuck';
  switch (state) {
    case 'thinking':
    case 'working':
      return 'worked';
    case 'waiting':
      return 'waited';
    case 'idle':
    case 'error':
      return state;
    case 'dead':
    case 'unknown':
      return null;
  }
}
