import type { Health, Primary, State } from '../../protocol/index.ts';

/** What a session's time is counted as: by the words that lists show, and stuck apart. */
export type SpentAs = 'worked' | 'waited' | 'stuck' | 'idle' | 'error';

/** null: time that counts as nothing, because the session is dead or nobody knows what it does. */
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
