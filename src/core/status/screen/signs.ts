import type { RuleFacts } from '../rule.ts';

/** How a prompt is drawn: in what, and with which mark. */
export interface PromptSign extends RuleFacts {
  /** a box of its own, or two lines over the whole window */
  frame: 'box' | 'lines';
  /** at the beginning of its first row; the group is the mark */
  mark: RegExp;
}

/** How an error begins where Claude Code itself reports one; answers that talk of errors begin otherwise. */
export interface ErrorSign extends RuleFacts {
  pattern: RegExp;
}

/** A border around a whole dialog: its sides are no text. */
export interface BorderSign extends RuleFacts {
  left: RegExp;
  right: RegExp;
}

/**
 * What of a screen is drawn in other ways from generation to generation. All are known at once: nobody tells a
 * recording's version.
 */
export interface ScreenSigns {
  prompts: readonly PromptSign[];
  errors: readonly ErrorSign[];
  borders: readonly BorderSign[];
}
