import type { Question } from '../../protocol/index.ts';
import { type JsonRequest, standingRule } from '../status/index.ts';
import type { AnswerPlan, PartAnswer } from './answer.ts';

/** What goes back to Claude Code for a `can_use_tool`. */
export type PermissionResult =
  | { behavior: 'allow'; updatedInput: unknown; updatedPermissions?: readonly unknown[] }
  | { behavior: 'deny'; message: string };

const NO_REASON = "The user doesn't want to proceed with this tool use.";
const ACCEPT_EDITS = { type: 'setMode', mode: 'acceptEdits', destination: 'session' };

/**
 * The answer to an open request, as the plan wants it.
 * @returns a text where it cannot be given so
 */
export function permissionResult(
  request: JsonRequest,
  question: Question,
  plan: Extract<AnswerPlan, { kind: 'select' | 'dismiss' }>,
): PermissionResult | string {
  if (plan.kind === 'dismiss') return { behavior: 'deny', message: NO_REASON };
  if (question.kind === 'question') return answered(request, question, plan.parts);
  const means = question.options[plan.parts[0]?.options[0] ?? -1]?.means;
  if (means === 'no') return { behavior: 'deny', message: plan.remark ?? NO_REASON };
  if (plan.remark !== null) return 'A yes takes no remark; send it as a prompt afterwards';
  return { behavior: 'allow', updatedInput: request.input, ...(means === 'always' ? grants(request, question) : {}) };
}

/** What "always" allows beyond this once. */
function grants(request: JsonRequest, question: Question): { updatedPermissions?: readonly unknown[] } {
  if (question.kind === 'plan') return { updatedPermissions: [ACCEPT_EDITS] };
  const rule = standingRule(request);
  return rule === null ? {} : { updatedPermissions: [rule.suggestion] };
}

/** AskUserQuestion takes its answers as part of its input: question → label, several of them joined by commas (2.1.329). */
function answered(request: JsonRequest, question: Question, parts: readonly PartAnswer[]): PermissionResult {
  const answers = question.questions.map((asked, index): [string, string] => {
    const given = parts[index];
    const labels = (given?.options ?? []).map((option) => asked.options[option]?.label ?? '');
    return [asked.text, [...labels, ...(given?.text == null ? [] : [given.text])].join(', ')];
  });
  return { behavior: 'allow', updatedInput: { ...(request.input as object), answers: Object.fromEntries(answers) } };
}
