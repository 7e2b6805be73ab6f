import type { Detail, Primary } from '../../../protocol/index.ts';
import type { RuleFacts } from '../rule.ts';
import type { Layout } from './layout.ts';
import type { Flow, ScreenDialog } from './screen-evidence.ts';
import type { ScreenSigns } from './signs.ts';

/** The input to the rules: the regions of the frame, and the dialog that replaces the prompt. */
export interface ScreenView extends Layout {
  dialog: ScreenDialog | null;
  signs: ScreenSigns;
  /** what the spinner's highlight last showed, a request or its answer, or null if unknown */
  flow: Flow | null;
  /** whether the spinner's clock reported reasoning in this turn */
  hasReasoned: boolean;
  /** whether a call has shown no sign of running for longer than any running call would */
  areCallsOver: boolean;
}

/** What a matching rule reports. */
export interface ScreenFinding {
  primary: Primary | null;
  detail: Detail | null;
  evidence: string;
  dialog?: ScreenDialog;
}

/** A rule over the screen. The first matching rule wins. */
export interface ScreenRule extends RuleFacts {
  read(view: ScreenView): ScreenFinding | null;
}

/**
 * The parts of the screen that rules read, strongest first. In every generation a dialog outranks a spinner, and a
 * spinner outranks a prompt.
 */
export const STRENGTHS = ['dialog', 'spinner', 'footer', 'error', 'prompt'] as const;

/**
 * The rules and signs that one generation of Claude Code's interface introduced. Each generation has its own file.
 * Rules are kept even if later generations no longer draw what they look for, because people keep using old versions.
 */
export interface ScreenGeneration {
  signs: Partial<ScreenSigns>;
  /** within a strength, in the order in which they are tried */
  rules: Readonly<Partial<Record<(typeof STRENGTHS)[number], readonly ScreenRule[]>>>;
}
