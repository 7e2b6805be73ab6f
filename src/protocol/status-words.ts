import type { Question } from './question.ts';

export const PRIMARIES = ['idle', 'active', 'waiting', 'stuck', 'dead'] as const;

export const DETAIL_NAMES = [
  'ready',
  'waiting_input',
  'error',
  'thinking',
  'responding',
  'using_tools',
  'compacting',
  'permission',
  'question',
  'plan',
  'setup',
  'limit',
] as const;

export const STATES = ['waiting', 'thinking', 'working', 'idle', 'error', 'dead', 'unknown'] as const;

type Primary = (typeof PRIMARIES)[number];
type Detail = (typeof DETAIL_NAMES)[number];
type State = (typeof STATES)[number];

/** One row of the status table: the primary and the one-word state that a detail belongs to. */
export interface DetailRow {
  primary: Exclude<Primary, 'stuck' | 'dead'>;
  state: State;
}

/** The vocabulary: the primary and the one-word state that each detail belongs to. */
export const DETAILS: Readonly<Record<Detail, DetailRow>> = {
  ready: { primary: 'idle', state: 'idle' },
  waiting_input: { primary: 'idle', state: 'waiting' },
  error: { primary: 'idle', state: 'error' },
  thinking: { primary: 'active', state: 'thinking' },
  responding: { primary: 'active', state: 'thinking' },
  using_tools: { primary: 'active', state: 'working' },
  compacting: { primary: 'active', state: 'working' },
  permission: { primary: 'waiting', state: 'waiting' },
  question: { primary: 'waiting', state: 'waiting' },
  plan: { primary: 'waiting', state: 'waiting' },
  setup: { primary: 'waiting', state: 'waiting' },
  limit: { primary: 'waiting', state: 'waiting' },
};

/**
 * Returns the one word for a list. A stuck session keeps the word that it had before it got stuck.
 * @param before the previous state, needed only for stuck
 */
export function stateOf(primary: Primary | null, detail: Detail | null, before: State = 'unknown'): State {
  if (primary === 'stuck') return before;
  if (primary === 'dead') return 'dead';
  return detail === null ? 'unknown' : DETAILS[detail].state;
}

/** The fields of a status that determine whether a session accepts text. */
interface Taking {
  primary: Primary | null;
  detail: Detail | null;
  question: Pick<Question, 'kind'> | null;
}

/**
 * Reports whether the prompt accepts text. It does if the turn is over, ended with a closing question, or was ended by
 * a usage limit.
 */
export function isReady(status: Taking): boolean {
  const { primary, question } = status;
  return primary === 'idle' || isLimited(status) || (primary === 'waiting' && question?.kind === 'closing');
}

/** Reports whether a dialog is waiting for an answer. Neither a closing question nor a usage limit is a dialog. */
export function isAsking(status: Taking): boolean {
  return status.primary === 'waiting' && status.question?.kind !== 'closing' && !isLimited(status);
}

/** Reports whether a usage limit ended the turn and is still in effect. The prompt accepts text in this state. */
export function isLimited({ primary, detail }: Pick<Taking, 'primary' | 'detail'>): boolean {
  return primary === 'waiting' && detail === 'limit';
}
