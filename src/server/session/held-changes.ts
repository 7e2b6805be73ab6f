import type { Dispose } from '../sessions.ts';

/** A change in a session that has not been reported to the faces yet: in its status, or only in other fields. */
export type Change = 'state' | 'updated';

/**
 * Holds back changes while a question is checked against the rules, so that no alert is sent for a question that no
 * person has to answer.
 */
export interface HeldChanges {
  /**
   * Holds back changes until the returned function is called. If this method was called several times, changes are held
   * back until all returned functions have been called.
   */
  begin(): Dispose;
  /** @returns whether the change is held back */
  defer(change: Change): boolean;
}

/** @param tell reports everything that was held back, as a single change */
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
