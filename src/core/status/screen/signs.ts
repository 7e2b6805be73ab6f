import type { RuleFacts } from '../rule.ts';

/** How a prompt is drawn: its border and its mark. */
export interface PromptSign extends RuleFacts {
  /** a box around the prompt, or two lines across the whole window */
  frame: 'box' | 'lines';
  /** matches the beginning of the first row; the group captures the mark */
  mark: RegExp;
}

/** Matches the beginning of an error that Claude Code itself reports. Answers that mention errors begin differently. */
export interface ErrorSign extends RuleFacts {
  pattern: RegExp;
}

/** Matches a border around a whole dialog. The sides of the border are not part of the text. */
export interface BorderSign extends RuleFacts {
  left: RegExp;
  right: RegExp;
}

/**
 * The parts of a screen that the generations of Claude Code draw differently. The signs of all generations apply at the
 * same time, because a recording does not contain the version.
 */
export interface ScreenSigns {
  prompts: readonly PromptSign[];
  errors: readonly ErrorSign[];
  borders: readonly BorderSign[];
}
