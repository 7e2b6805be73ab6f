import { type Clock, markNow } from '../clock.ts';
import type { KeptRecord } from './kept-record.ts';

/** How many digits are remembered: several dialogs may close one after another before their answers arrive. */
const ANSWER_KEYS = 4;

/** Keys of CBOS itself that may be in the prompt, or have just cleared it, saved for the next server. */
export interface PromptKeys {
  /** A digit that answers a dialog is about to be typed; null if none can be in the prompt any more. */
  rememberAnswerKey(key: string | null): void;
  /** The key that clears the prompt is about to be typed: the next server must not type a second one right after it. */
  rememberClearing(): void;
  /**
   * When the prompt was last cleared, in Unix milliseconds; 0 if never. If the clock was set back since, the clearing
   * of a former server counts as just done.
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
