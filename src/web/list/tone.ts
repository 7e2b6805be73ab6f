import type { Session } from '../../protocol/index.ts';
import { showHiddenMarks } from '../../text/hidden-marks.ts';

/** What a session needs of the person who looks, the most pressing first: the order of the list. */
export const TONES = ['needs', 'error', 'stuck', 'turn', 'busy', 'idle', 'unknown', 'dead'] as const;
export type Tone = (typeof TONES)[number];

export function toneOf({ status }: Pick<Session, 'status'>): Tone {
  switch (status.primary) {
    case null:
      return 'unknown';
    case 'waiting':
      return 'needs';
    case 'stuck':
      return 'stuck';
    case 'dead':
      return 'dead';
    case 'active':
      return 'busy';
    case 'idle':
      if (status.detail === 'error') return 'error';
      return status.detail === 'ready' ? 'idle' : 'turn';
  }
}

/** The status in words that need no glossary. */
export function statusText({ status }: Pick<Session, 'status'>): string {
  if (status.primary === null) return 'starting';
  if (status.primary === 'dead') return 'ended';
  if (status.primary === 'stuck') return 'no sign of life';
  switch (status.detail) {
    case 'ready':
      return 'ready';
    case 'waiting_input':
      return 'done, your turn';
    case 'error':
      return 'stopped by an error';
    case 'thinking':
      return 'thinking';
    case 'responding':
      return 'answering';
    case 'using_tools':
      return 'using tools';
    case 'compacting':
      return 'compacting';
    case 'permission':
      return 'asks permission';
    case 'question':
      return 'asks';
    case 'plan':
      return 'has a plan';
    case 'setup':
      return 'needs set-up';
    case null:
      return 'unknown';
  }
}

/** One line of what it is about: the question, or what it does. */
export function gistOf({ status, path }: Pick<Session, 'status' | 'path'>): string {
  const { question, because } = status;
  if (status.primary === null && because.source === 'process') return firstLine(because.evidence);
  if (question !== null) {
    const { tool } = question;
    if (question.kind === 'permission' && tool !== null) return `${tool.name}: ${inputGist(tool.input)}`;
    return firstLine(question.text);
  }
  if (status.primary === 'active' && status.detail === 'using_tools') return firstLine(because.evidence);
  if (status.primary === 'stuck') return statusText({ status });
  if (status.detail === 'error') return firstLine(because.evidence);
  return path === null ? '' : shortPath(path);
}

/** The part of a tool's input that a person looks at first. */
export function inputGist(input: unknown): string {
  if (typeof input !== 'object' || input === null) return firstLine(String(input ?? ''));
  for (const name of ['command', 'file_path', 'path', 'url', 'pattern', 'query', 'prompt', 'description']) {
    const value = (input as Record<string, unknown>)[name];
    if (typeof value === 'string' && value !== '') return firstLine(value);
  }
  return firstAsked(input) ?? firstLine(JSON.stringify(input));
}

/** The first of the questions that a tool asks with; null where it asks none. */
function firstAsked(input: object): string | null {
  if (!('questions' in input) || !Array.isArray(input.questions)) return null;
  const first: unknown = input.questions[0];
  if (typeof first !== 'object' || first === null || !('question' in first)) return null;
  return typeof first.question === 'string' ? firstLine(first.question) : null;
}

/** The last two parts: `…/src/auth`. */
export function shortPath(path: string): string {
  const parts = showHiddenMarks(path)
    .split('/')
    .filter((part) => part !== '');
  return parts.length <= 2 ? showHiddenMarks(path) : `…/${parts.slice(-2).join('/')}`;
}

function firstLine(text: string): string {
  return showHiddenMarks(text.trim().split('\n', 1)[0] ?? '');
}
