import type { Clock } from '../clock.ts';

/**
 * Whether Screen itself had a session's keys when something was to be typed: somebody has copy mode or one of Screen's
 * prompts open there.
 */
export interface ScreenPrompt {
  see(isOpen: boolean): void;
  /** when that was seen last, Unix milliseconds; null: nothing is known of one */
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
