import { type CatchupEvent, type CatchupKind, rowOf, type StatusChange } from '../../protocol/index.ts';

export type Happened = Omit<CatchupEvent, 'replay'>;

/** How many events are kept for each session. The newest ones are kept, because they matter most. */
const MOST_EVENTS = 100;

type Told = Pick<StatusChange, 'at' | 'primary' | 'detail' | 'interrupted'>;

/**
 * Returns what happened in a session, oldest first.
 * @param changes the session's status changes, oldest first; consecutive changes may have the same status
 */
export function happenedIn(changes: readonly Told[]): Happened[] {
  const steps: Told[] = [];
  for (const change of changes) {
    const before = steps.at(-1);
    // Whether a turn was interrupted may become known only after it has ended.
    if (before?.primary === change.primary && before.detail === change.detail) {
      steps.splice(-1, 1, { ...change, at: before.at });
    } else steps.push(change);
  }
  const events = steps.flatMap((step, index): Happened[] => {
    const found = kindOf(step, steps[index - 1] ?? null);
    if (found === null) return [];
    const next = steps[index + 1];
    const lasted = next === undefined ? null : Math.max(0, Date.parse(next.at) - Date.parse(step.at));
    return [{ at: step.at, ...found, lasted_ms: lasted }];
  });
  return events.slice(-MOST_EVENTS);
}

function kindOf(step: Told, before: Told | null): Pick<Happened, 'kind' | 'question'> | null {
  const { ends, asks } = rowOf(step);
  const plain = (kind: CatchupKind) => ({ kind, question: null });
  switch (step.primary) {
    case 'idle':
    case 'waiting':
      if (asks !== undefined) return { kind: 'asked', question: asks };
      if (ends !== 'finished') return ends === undefined ? null : plain(ends);
      // A status of ready does not mean that a turn has begun. Before the server restarted, the session's status was
      // unknown.
      if (before !== null && !endsTurn(before)) return null;
      return plain(step.interrupted === true ? 'interrupted' : 'finished');
    case 'stuck':
      return plain('stuck');
    case 'dead':
      // The first change may only repeat a status that was already known.
      return before === null ? null : plain('stopped');
    default:
      return null;
  }
}

const endsTurn = ({ primary }: Told): boolean => primary === 'active' || primary === 'stuck' || primary === 'waiting';
