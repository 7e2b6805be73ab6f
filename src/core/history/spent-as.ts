import type { Health, Primary, State } from '../../protocol/index.ts';

/**
 * The categories into which a session's time is divided: the states that lists show, with stuck as a separate category.
 */
export type SpentAs = 'worked' | 'waited' | 'stuck' | 'idle' | 'error';

/**
 * Returns the category to which a session's current time belongs, or null if the time is not counted, because the
 * session is dead or its activity is unknown.
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
