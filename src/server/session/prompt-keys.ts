import { type Clock, markNow } from '../clock.ts';
import type { KeptRecord } from './kept-record.ts';

/**
 * How many digits are remembered, because several dialogs may close one after another before their answers arrive.
 */
const ANSWER_KEYS = 4;

/**
 * CBOS's own keypresses that may still be in the prompt, or have just cleared it; they are saved for the next server.
 */
export interface PromptKeys {
  /**
   * Call this before typing a digit that answers a dialog, or with null once the prompt can no longer contain such a
   * digit.
   */
  rememberAnswerKey(key: string | null): void;
  /**
   * Call this before typing the key that clears the prompt, because the next server must not type a second one right
   * after it.
   */
  rememberClearing(): void;
  /**
   * When the prompt was last cleared, in Unix milliseconds; 0 if never. If the clock has been set back since then, a
   * clearing by a previous server counts as having just happened.
   */
  clearedAt(): number;
}

export function createPromptKeys(clock: Clock, kept: Pick<KeptRecord, 'current' | 'save'>): PromptKeys {
  let tellClearing: (() => number) | null = null;
  return {
    rememberAnswerKey: (key) => {
      const keys = key === null ? null : `${kept.current.answerKey ?? ''}${key}`.slice(-ANSWER_KEYS);
      if (keys !== kept.current.answerKey) kept.save({ answerKey: keys });
    },
    rememberClearing: () => {
      tellClearing = markNow(clock);
      kept.save({ clearedAt: clock.now() });
    },
    clearedAt: () => tellClearing?.() ?? Math.min(kept.current.clearedAt ?? 0, clock.now()),
  };
}
