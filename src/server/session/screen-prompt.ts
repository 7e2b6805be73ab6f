import type { Clock } from '../clock.ts';

/**
 * Records whether Screen itself would have taken the last keypresses, because somebody had opened copy mode or one of
 * Screen's prompts in the session.
 */
export interface ScreenPrompt {
  see(isOpen: boolean): void;
  /** Returns when copy mode or a prompt was last seen open, in Unix milliseconds; null if neither is open. */
  seenAt(): number | null;
}

export function createScreenPrompt(clock: Clock, onChange: () => void): ScreenPrompt {
  let seenAt: number | null = null;
  return {
    see: (isOpen) => {
      if (!isOpen && seenAt === null) return;
      seenAt = isOpen ? clock.now() : null;
      onChange();
    },
    seenAt: () => seenAt,
  };
}
