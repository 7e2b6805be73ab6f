import type { Clock } from '../clock.ts';

/**
 * Records whether Screen itself would have taken the last keypresses, because somebody has copy mode or one of Screen's
 * prompts open in the session.
 */
export interface ScreenPrompt {
  see(isOpen: boolean): void;
  /** When that was last seen, in Unix milliseconds; null if it was never seen. */
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
