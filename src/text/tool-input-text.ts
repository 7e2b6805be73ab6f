import type { Question } from '../protocol/index.ts';
import { showHiddenMarks } from './hidden-marks.ts';
import { cleanBlock, cleanLine } from './terminal-text.ts';

/**
 * A text that somebody is to allow: nothing of it is obeyed, nothing left out, and what nobody would see is written
 * out.
 */
const plain = (text: string): string => cleanBlock(showHiddenMarks(text)).trimEnd();

/** All that a tool is called with, by its fields. */
export function toolInputLines(input: unknown): string[] {
  const entries = typeof input === 'object' && input !== null ? Object.entries(input) : [['input', input] as const];
  return entries.flatMap(([name, value]) => {
    const text = plain(typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? ''));
    const title = cleanLine(showHiddenMarks(name));
    return text.includes('\n') ? [`${title}:`, ...text.split('\n').map((line) => `  ${line}`)] : [`${title}: ${text}`];
  });
}

/** The call that a question lets run; none where it is about something else. */
export function askedCallLines({ kind, tool }: Question): string[] {
  if (tool === null || (kind !== 'permission' && kind !== 'plan')) return [];
  return [cleanLine(showHiddenMarks(tool.name)), ...toolInputLines(tool.input).map((line) => `  ${line}`)];
}

/** Whether a question's own words have all of the call: a dialog on a screen repeats it, but not always to its end. */
export function saysCall({ tool, text }: Question): boolean {
  const said = squeeze(text);
  return tool === null || leavesOf(tool.input).every((leaf) => said.includes(squeeze(leaf)));
}

const squeeze = (text: string): string => text.replace(/\s+/g, '');

/** Everything in an input that makes a difference, as text; of true, false and numbers also the name. */
function leavesOf(value: unknown, name = ''): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([key, entry]) => leavesOf(entry, key));
  return [`${name}: ${value}`];
}

/** What is said about a call that is cut. @param how the way into the session's terminal */
export function cutText(how: string): string {
  return `It is longer than what is shown here, so only its terminal takes a yes: ${how}`;
}

/** The text of a question with its call: what somebody has read who has read all of it. */
export function askedText(question: Question, part: { text: string }): string {
  return [...askedCallLines(question), part.text].join('\n');
}
