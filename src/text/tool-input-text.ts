import type { Question } from '../protocol/index.ts';
import { formLines } from './form-words.ts';
import { showHiddenMarks } from './hidden-marks.ts';
import { cleanBlock, cleanLine } from './terminal-text.ts';

/**
 * Cleans text that the user is asked to allow. Control sequences are made harmless, nothing is removed, and invisible
 * characters are shown as escapes.
 */
const plain = (text: string): string => cleanBlock(showHiddenMarks(text)).trimEnd();

/** Returns the complete input of a tool, field by field. */
export function toolInputLines(input: unknown): string[] {
  const entries = typeof input === 'object' && input !== null ? Object.entries(input) : [['input', input] as const];
  return entries.flatMap(([name, value]) => {
    const text = plain(typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? ''));
    const title = cleanLine(showHiddenMarks(name));
    return text.includes('\n') ? [`${title}:`, ...text.split('\n').map((line) => `  ${line}`)] : [`${title}: ${text}`];
  });
}

/**
 * Returns the lines of the tool call that a question would allow, or no lines if the question does not concern a tool
 * call.
 */
export function askedCallLines({ kind, tool }: Question): string[] {
  if (tool === null || (kind !== 'permission' && kind !== 'plan')) return [];
  return [cleanLine(showHiddenMarks(tool.name)), ...toolInputLines(tool.input).map((line) => `  ${line}`)];
}

/**
 * Reports whether the question's own text contains the whole call. The dialog on the screen repeats the call, but not
 * always completely.
 */
export function saysCall({ tool, text }: Question): boolean {
  const said = squeeze(text);
  return tool === null || leavesOf(tool.input).every((leaf) => said.includes(squeeze(leaf)));
}

const squeeze = (text: string): string => text.replace(/\s+/g, '');

/**
 * Returns, as text, everything in an input that affects what the tool does. Booleans and numbers are preceded by their
 * names.
 */
function leavesOf(value: unknown, name = ''): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([key, entry]) => leavesOf(entry, key));
  return [`${name}: ${value}`];
}

/**
 * Returns the notice for a call that is shown only in part. @param how how the user can open the session's own terminal
 */
export function cutText(how: string): string {
  return `The request is longer than shown here, so you can allow it only in the terminal: ${how}`;
}

/**
 * Returns the text of a question together with its tool call, which is everything that the user must read before
 * answering.
 */
export function askedText(question: Question, part: { text: string }): string {
  return [...askedCallLines(question), ...reasonLines(question), part.text, ...formLinesOf(question)].join('\n');
}

/** Returns what a question asks in its form, or no lines if it is no form. */
export const formLinesOf = ({ form }: Pick<Question, 'form'>): string[] => (form === undefined ? [] : formLines(form));

/** Returns the reason that Claude Code gives for asking, or no lines if it gives none or the question contains it. */
export function reasonLines({ reason, text }: Pick<Question, 'reason' | 'text'>): string[] {
  const isSaid = reason === undefined || squeeze(text).includes(squeeze(reason));
  return isSaid ? [] : plain(`Reason: ${reason}`).split('\n');
}
