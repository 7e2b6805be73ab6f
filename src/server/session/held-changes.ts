import type { Dispose } from '../sessions.ts';

/** What the faces have yet to learn of a session: a change of its status, or of other fields only. */
export type Change = 'state' | 'updated';

/** Keeps changes back while rules look at a question, so that no alert is for a question that nobody has to answer. */
export interface HeldChanges {
  /** Keeps changes back until the returned function is called, and every other one too. */
  begin(): Dispose;
  /** @returns whether the change is kept back */
  defer(change: Change): boolean;
}

/** @param tell reports all that was kept back, as one change */
export function createHeldChanges(tell: (change: Change) => void): HeldChanges {
  let holds = 0;
  let kept: Change | null = null;
  return {
    begin: () => {
      holds += 1;
      let isHeld = true;
      return () => {
        if (!isHeld) return;
        isHeld = false;
        holds -= 1;
        if (holds > 0 || kept === null) return;
        const change = kept;
        kept = null;
        tell(change);
      };
    },
    defer: (change) => {
      if (holds === 0) return false;
      kept = kept === 'state' ? 'state' : change;
      return true;
    },
  };
}
