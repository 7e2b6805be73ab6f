import type { Detail, Primary } from '../../../protocol/index.ts';
import type { RuleFacts } from '../rule.ts';
import type { Layout } from './layout.ts';
import type { Flow, ScreenDialog } from './screen-evidence.ts';
import type { ScreenSigns } from './signs.ts';

/** What rules look at: the frame's regions, and the dialog that stands where the prompt would. */
export interface ScreenView extends Layout {
  dialog: ScreenDialog | null;
  signs: ScreenSigns;
  /** which way the spinner's highlight ran last; null where it was not seen moving */
  flow: Flow | null;
  /** whether the spinner's clock has said in this turn that reasoning came */
  hasReasoned: boolean;
  /** whether a call that shows no sign of running has done so for longer than one that runs */
  areCallsOver: boolean;
}

/** What a rule says when it fits. */
export interface ScreenFinding {
  primary: Primary | null;
  detail: Detail | null;
  evidence: string;
  dialog?: ScreenDialog;
}

/** A rule over the screen. The first one that fits wins. */
export interface ScreenRule extends RuleFacts {
  read(view: ScreenView): ScreenFinding | null;
}

/**
 * What a rule goes by, strongest first: whatever its generation, a dialog before a spinner, and that before a prompt.
 */
export const STRENGTHS = ['dialog', 'spinner', 'footer', 'error', 'prompt'] as const;

/**
 * What came with a generation of Claude Code's interface, one file each. What is not drawn any more in later ones
 * stays: people keep old versions. A later generation adds a file.
 */
export interface ScreenGeneration {
  signs: Partial<ScreenSigns>;
  /** within a strength in the order of trying */
  rules: Readonly<Partial<Record<(typeof STRENGTHS)[number], readonly ScreenRule[]>>>;
}
