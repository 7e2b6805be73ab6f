import type { Clock } from '../clock.ts';

/**
 * Records whether Screen itself took a session's keypresses when something was to be typed, because somebody has copy
 * mode or one of Screen's prompts open there.
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
