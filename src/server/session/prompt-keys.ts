import { type Clock, markNow } from '../clock.ts';
import type { KeptRecord } from './kept-record.ts';

/**
 * How many digits are remembered. More than one is needed, because several dialogs in a row may close before their
 * answers arrive.
 */
const ANSWER_KEYS = 4;

/**
 * Remembers those of CBOS's own keypresses that may still be in the prompt or have just cleared it. They are saved for
 * the next server.
 */
export interface PromptKeys {
  /**
   * Call this before typing a digit that answers a dialog. Call it with null once the prompt cannot contain such a
   * digit any more.
   */
  rememberAnswerKey(key: string | null): void;
  /**
   * Call this before typing the key that clears the prompt, because the next server must not type the key again right
   * afterwards.
   */
  rememberClearing(): void;
  /**
   * Returns when the prompt was last cleared, in Unix milliseconds; 0 if never. If a previous server cleared it and the
   * clock has been set back since then, the prompt counts as having just been cleared.
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
