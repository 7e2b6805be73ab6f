import type { Clock } from '../clock.ts';

/**
 * Records whether Screen itself had a session's keys when something was to be typed: somebody has copy mode or one of
 * Screen's prompts open there.
 */
export interface ScreenPrompt {
  see(isOpen: boolean): void;
  /** When that was last seen, in Unix milliseconds; null if nothing is known of it. */
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
