import { type QuestionPart, tellingField } from '../../protocol/index.ts';
import { meaningOfAnswer } from './option-meaning.ts';
import type { ScreenDialog } from './screen/screen-evidence.ts';

/** The kinds of dialogs that offer options. A form of an MCP server offers none. */
export type DialogKind = Exclude<ScreenDialog['kind'], 'form'>;

/** Returns the kind of dialog that opens when a tool requests permission. */
export function dialogKindOf(toolName: string): DialogKind {
  if (toolName === 'AskUserQuestion') return 'question';
  return toolName === 'ExitPlanMode' ? 'plan' : 'permission';
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

export const stringOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Returns all the questions in the input of AskUserQuestion. The screen shows only one tab at a time. */
export function askedQuestions(input: unknown): QuestionPart[] {
  const list = isRecord(input) && Array.isArray(input.questions) ? input.questions : [];
  return list.filter(isRecord).map((question) => ({
    header: stringOf(question.header) || null,
    text: stringOf(question.question),
    multi: question.multiSelect === true,
    options: (Array.isArray(question.options) ? question.options : []).filter(isRecord).map((option, index) => ({
      key: String(index + 1),
      label: stringOf(option.label),
      description: stringOf(option.description) || null,
      means: meaningOfAnswer(stringOf(option.label)),
    })),
  }));
}

/**
 * Returns the part of a tool call by which a user recognizes it: the first line of the command, the file, or the
 * address, truncated to 200 characters.
 */
export function describeTool(tool: { name: string; input: unknown }): string {
  const line = tellingField(tool.input)?.split('\n')[0] ?? '';
  return line === '' ? tool.name : `${tool.name}: ${line.length > 200 ? `${line.slice(0, 200)}…` : line}`;
}

/** Removes all spaces, because a dialog wraps the text that it repeats. */
export const squeeze = (value: string): string => value.replace(/\s+/g, '');
