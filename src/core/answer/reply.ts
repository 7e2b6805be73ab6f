import type { OptionMeaning, Question } from '../../protocol/index.ts';
import { standingFor, standingPermissions } from '../status/index.ts';
import type { AnswerPlan, PartAnswer } from './answer.ts';
import type { FormReply } from './form-answer.ts';

/**
 * A request from Claude Code. In a JSON session it arrives as `can_use_tool`; in a terminal, through a hook that waits
 * for the reply.
 */
export interface AskedTool {
  /** the call's whole input, which CBOS returns with a yes */
  input: unknown;
  suggestions: readonly unknown[];
}

/** The reply that CBOS returns to Claude Code. */
export type Reply =
  | { behavior: 'allow'; updatedInput: unknown; updatedPermissions?: readonly unknown[] }
  | { behavior: 'deny'; message: string; interrupt?: true };

/** What Claude Code can get as the answer to a control request of a JSON session. */
export type AnyReply = Reply | FormReply;

/** Why CBOS cannot give an answer as a reply. */
export interface NoReply {
  /** why the answer cannot be given, worded for users */
  why: string;
}

export interface ReplyOptions {
  /**
   * whether a no without a reason ends the turn, as it does in Claude Code's own dialogs; otherwise the model continues
   * without the tool
   */
  endsTurn: boolean;
  /** how far "always" extends; default: as far as Claude Code suggests */
  reach?: 'session' | 'project' | undefined;
}

/** The message that Claude Code itself sends to the model after a no (2.0.77 to 2.1.330). */
const NO_REASON = "The user doesn't want to proceed with this tool use.";
/** The message that Claude Code sends to the model if the user would rather discuss the question first (2.1.330). */
const CLARIFY =
  'The user wants to clarify these questions. This means they may have additional information, context or questions for you. ' +
  'Take their response into account and then reformulate the questions if appropriate. Start by asking them what they would like to clarify.';
const REASON = `${NO_REASON} To tell you how to proceed, the user said:\n`;

/**
 * Returns the permission mode to use after a plan: Claude Code either asks before each edit, or edits without asking.
 * If the reply does not set a mode, Claude Code 2.0.77 stays in plan mode.
 */
const switchTo = (mode: 'default' | 'acceptEdits'): unknown => ({ type: 'setMode', mode, destination: 'session' });

/** Returns the reply that carries out an answer, both for a JSON session and for a session in a terminal. */
export function replyTo(
  asked: AskedTool,
  question: Question,
  plan: Extract<AnswerPlan, { kind: 'select' | 'dismiss' }>,
  options: ReplyOptions,
): Reply | NoReply {
  if (plan.kind === 'dismiss') return deny(null, options);
  if (question.kind === 'question') return answered(asked, question, plan.parts);
  const [part] = plan.parts;
  const means = question.options[part?.options[0] ?? -1]?.means ?? (part?.text == null ? undefined : 'text');
  if (means === 'no' || means === 'text') return deny(plan.remark ?? part?.text ?? null, options);
  if (plan.remark !== null)
    return { why: 'An answer of yes cannot include a reply; send the text as a prompt afterwards' };
  const updates = updatesOf(asked, question, { means, reach: options.reach });
  if (updates === null) return { why: 'This option can be chosen only at the terminal' };
  const updatedPermissions = updates.length === 0 ? {} : { updatedPermissions: updates };
  return { behavior: 'allow', updatedInput: asked.input, ...updatedPermissions };
}

function deny(reason: string | null, { endsTurn }: ReplyOptions): Reply {
  if (reason !== null) return { behavior: 'deny', message: `${REASON}${reason}` };
  return { behavior: 'deny', message: NO_REASON, ...(endsTurn ? { interrupt: true } : {}) };
}

/** Returns what a yes allows beyond the current call, or null if the option allows more than a reply can express. */
function updatesOf(
  asked: AskedTool,
  question: Question,
  { means, reach }: { means: OptionMeaning | undefined; reach: ReplyOptions['reach'] },
): readonly unknown[] | null {
  if (question.kind === 'plan') {
    if (means === 'always') return [switchTo('acceptEdits')];
    return means === 'yes' ? [switchTo('default')] : null;
  }
  if (means === 'always') {
    const { suggestions } = asked;
    return (reach === undefined ? standingPermissions(suggestions) : standingFor(suggestions, reach))?.updates ?? null;
  }
  return means === 'yes' ? [] : null;
}

/**
 * AskUserQuestion expects the answers in its input, as a map from each question to a label. Multiple labels are joined
 * with commas (2.0.77 to 2.1.330).
 */
function answered(asked: AskedTool, question: Question, parts: readonly PartAnswer[]): Reply {
  const chosen = question.questions.map(({ options }, index) =>
    (parts[index]?.options ?? []).flatMap((option) => options[option] ?? []),
  );
  if (chosen.flat().some(({ means }) => means === 'leave')) return { behavior: 'deny', message: CLARIFY };
  const answers = question.questions.map(({ text }, index): [string, string] => {
    const words = parts[index]?.text;
    return [text, [...(chosen[index] ?? []).map(({ label }) => label), ...(words == null ? [] : [words])].join(', ')];
  });
  return { behavior: 'allow', updatedInput: { ...(asked.input as object), answers: Object.fromEntries(answers) } };
}
