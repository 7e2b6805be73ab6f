import type { Health, Primary, State } from '../../protocol/index.ts';

/** How a session's time is counted: by the states that lists show, with stuck counted separately. */
export type SpentAs = 'worked' | 'waited' | 'stuck' | 'idle' | 'error';

/**
 * How a session's time is counted; null if it does not count, because the session is dead or nobody knows what it does.
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
