import type { RuleFacts } from '../rule.ts';

/** How a prompt is drawn: its frame and its mark. */
export interface PromptSign extends RuleFacts {
  /** a box of its own, or two lines over the whole window */
  frame: 'box' | 'lines';
  /** matches the beginning of the first row; the group is the mark */
  mark: RegExp;
}

/** How an error begins that Claude Code itself reports. Answers that mention errors begin differently. */
export interface ErrorSign extends RuleFacts {
  pattern: RegExp;
}

/** A border around a whole dialog. Its sides are not part of the text. */
export interface BorderSign extends RuleFacts {
  left: RegExp;
  right: RegExp;
}

/**
 * The parts of a screen that each generation draws differently. The signs of all generations apply at once, because a
 * recording does not record its version.
 */
export interface ScreenSigns {
  prompts: readonly PromptSign[];
  errors: readonly ErrorSign[];
  borders: readonly BorderSign[];
}
