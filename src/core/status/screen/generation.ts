import type { Detail, Primary } from '../../../protocol/index.ts';
import type { RuleFacts } from '../rule.ts';
import type { Layout } from './layout.ts';
import type { Flow, ScreenDialog } from './screen-evidence.ts';
import type { ScreenSigns } from './signs.ts';

/** What the rules read: the regions of the frame, and the dialog that replaces the prompt. */
export interface ScreenView extends Layout {
  dialog: ScreenDialog | null;
  signs: ScreenSigns;
  /** what the spinner's highlight last showed (a pending request or an arriving answer), or null if unknown */
  flow: Flow | null;
  /** whether the spinner's clock has reported reasoning in this turn */
  hasReasoned: boolean;
  /** whether a call has shown no sign of running for so long that it can no longer be running */
  areCallsOver: boolean;
}

/** What a rule reports when it matches. */
export interface ScreenFinding {
  primary: Primary | null;
  detail: Detail | null;
  evidence: string;
  dialog?: ScreenDialog;
}

/** A rule that reads the screen. The first matching rule wins. */
export interface ScreenRule extends RuleFacts {
  read(view: ScreenView): ScreenFinding | null;
}

/**
 * The parts of the screen that rules read, strongest first. In every generation, a dialog takes precedence over a
 * spinner, and a spinner over a prompt.
 */
export const STRENGTHS = ['dialog', 'spinner', 'footer', 'error', 'prompt'] as const;

/**
 * The rules and signs that one generation of Claude Code's interface introduced. Each generation has a file of its own.
 * Rules are kept even if later generations no longer draw what the rules look for, because people continue to use old
 * versions.
 */
export interface ScreenGeneration {
  signs: Partial<ScreenSigns>;
  /** the rules of equal strength, in the order in which they are tried */
  rules: Readonly<Partial<Record<(typeof STRENGTHS)[number], readonly ScreenRule[]>>>;
}
