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

/** One row of the status table: a detail's primary and one-word state. */
export interface DetailRow {
  primary: Exclude<Primary, 'stuck' | 'dead'>;
  state: State;
}

/** The vocabulary of statuses: the primary and the one-word state of each detail. */
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
 * Returns the one-word state that lists show. A session that gets stuck keeps its previous state.
 * @param before the previous state, needed only if the session is stuck
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
 * Reports whether the prompt accepts text. It does if the turn is over, including when it ended with a closing question
 * or was cut off by a usage limit.
 */
export function isReady(status: Taking): boolean {
  const { primary, question } = status;
  return primary === 'idle' || isLimited(status) || (primary === 'waiting' && question?.kind === 'closing');
}

/** Reports whether a dialog is waiting for an answer. Neither a closing question nor a usage limit is a dialog. */
export function isAsking(status: Taking): boolean {
  return status.primary === 'waiting' && status.question?.kind !== 'closing' && !isLimited(status);
}

/**
 * Reports whether a usage limit has cut off the turn and is still in effect. In this state, the prompt accepts text.
 */
export function isLimited({ primary, detail }: Pick<Taking, 'primary' | 'detail'>): boolean {
  return primary === 'waiting' && detail === 'limit';
}

/** Returns the detail of a session that asks a question of this kind. */
export function detailOfQuestion(kind: Question['kind']): Detail {
  return kind === 'closing' || kind === 'form' ? 'question' : kind;
}

/** Returns all open questions of a session, oldest first. An older server reports only the oldest. */
export function openQuestions(status: {
  question: Question | null;
  questions?: readonly Question[] | undefined;
}): readonly Question[] {
  const { question, questions } = status;
  return questions ?? (question === null ? [] : [question]);
}
