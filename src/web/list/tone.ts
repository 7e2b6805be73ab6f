import {
  type Attending,
  type Attention,
  attentionOf,
  needOf,
  type Session,
  tellingField,
} from '../../protocol/index.ts';
import { showHiddenMarks } from '../../text/hidden-marks.ts';
import { stateText } from '../../text/session-words.ts';

export { stateText as statusText };

/** The look of a session in the list and on its chip, which is the colour of its dot. */
export type Tone = 'needs' | 'error' | 'stuck' | 'turn' | 'busy' | 'idle' | 'unknown' | 'dead';

/** The tones of the headings, and of all sessions without a failure. */
export const TONES: Readonly<Record<Attention, Tone>> = {
  needs_you: 'needs',
  done: 'turn',
  working: 'busy',
  new: 'idle',
  unknown: 'unknown',
  snoozed: 'idle',
  parked: 'idle',
  stopped: 'dead',
};

export function toneOf(session: Attending): Tone {
  const need = needOf(session);
  if (need === 'stuck') return 'stuck';
  return need === 'error' || need === 'limit' ? 'error' : TONES[attentionOf(session)];
}

/** Returns one line about the session: its question, or what it is doing. */
export function gistOf({ status, path }: Pick<Session, 'status' | 'path'>): string {
  const { question, because } = status;
  if (status.primary === null && because.source === 'process') return firstLine(because.evidence);
  if (question !== null) {
    const { tool } = question;
    if (question.kind === 'permission' && tool !== null) return `${tool.name}: ${inputGist(tool.input)}`;
    return firstLine(question.text);
  }
  if (status.primary === 'active' && status.detail === 'using_tools') return firstLine(because.evidence);
  if (status.primary === 'stuck') return stateText({ status });
  if (status.detail === 'error') return firstLine(because.evidence);
  return path === null ? '' : shortPath(path);
}

/** Returns the part of a tool's input that a person looks at first. */
export function inputGist(input: unknown): string {
  if (typeof input !== 'object' || input === null) return firstLine(String(input ?? ''));
  const telling = tellingField(input);
  return telling === null ? (firstAsked(input) ?? firstLine(JSON.stringify(input))) : firstLine(telling);
}

/** Returns the first of the questions that a tool asks; null if it asks none. */
function firstAsked(input: object): string | null {
  if (!('questions' in input) || !Array.isArray(input.questions)) return null;
  const first: unknown = input.questions[0];
  if (typeof first !== 'object' || first === null || !('question' in first)) return null;
  return typeof first.question === 'string' ? firstLine(first.question) : null;
}

/** Returns the last two parts of a path: `…/src/auth`. */
export function shortPath(path: string): string {
  const parts = showHiddenMarks(path)
    .split('/')
    .filter((part) => part !== '');
  return parts.length <= 2 ? showHiddenMarks(path) : `…/${parts.slice(-2).join('/')}`;
}

function firstLine(text: string): string {
  return showHiddenMarks(text.trim().split('\n', 1)[0] ?? '');
}
