import type { State } from '../../protocol/index.ts';
import type { Dispose } from '../sessions.ts';

/** A change of status that no face has learnt yet: the state before. Null: only other fields changed. */
type Change = { was: State | null } | null;

/** Keeps changes back while rules look at a question, so that no alert is for a question that nobody has to answer. */
export interface Hush {
  /** Keeps changes back until the returned function is called, and every other one too. */
  begin(): Dispose;
  /** @returns whether the change is kept back */
  defer(change: Change): boolean;
}

/** @param tell tells all that was kept back, as one change */
export function createHush(tell: (change: Change) => void): Hush {
  let holds = 0;
  let kept: { change: Change } | null = null;
  return {
    begin: () => {
      holds += 1;
      let isHeld = true;
      return () => {
        if (!isHeld) return;
        isHeld = false;
        holds -= 1;
        if (holds > 0 || kept === null) return;
        const { change } = kept;
        kept = null;
        tell(change);
      };
    },
    defer: (change) => {
      if (holds === 0) return false;
      // The first change knows the state that the faces know.
      if (kept === null || (kept.change === null && change !== null)) kept = { change };
      return true;
    },
  };
}
