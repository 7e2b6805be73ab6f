import type { Question } from './question.ts';

export const PRIMARIES = ['idle', 'active', 'waiting', 'stuck', 'dead'] as const;
export const STATES = ['waiting', 'thinking', 'working', 'idle', 'error', 'dead', 'unknown'] as const;

/** What a session wants from the user, most urgent first. Every list uses this order. */
export const ATTENTIONS = ['needs_you', 'done', 'working', 'new', 'unknown', 'snoozed', 'parked', 'stopped'] as const;
export type Attention = (typeof ATTENTIONS)[number];

/** Why a session needs the user. */
export interface Need {
  /** what lists call it */
  words: string;
  /** its place in lists: questions, which are sorted by time, come before failures */
  rank: number;
  look: 'needs_you' | 'fault' | 'stuck';
  /** whether its reason, such as the words of a hook, may be too long for a row of a list */
  isLong?: true;
}

const asks = (words: string): Need => ({ words, rank: 0, look: 'needs_you' });
const fault = (words: string, rank: number): Need => ({ words, rank, look: 'fault' });

/** The needs that do not follow from the detail alone. No rank is higher than that of `stuck`. */
export const NEEDS = {
  question: asks('asks'),
  limit: fault('limit reached', 1),
  budget: fault('over budget', 2),
  conversation: fault('wrong conversation', 3),
  interrupted: fault('interrupted', 5),
  ended: { ...fault('ended', 6), isLong: true },
  stuck: { words: 'no sign of life', rank: 7, look: 'stuck' },
} satisfies Record<string, Need>;

/** One row of the status table: everything that the faces and the server derive from a detail. */
export interface DetailRow {
  primary: Exclude<Primary, 'stuck' | 'dead'>;
  state: State;
  /** the group of lists, if it differs from that of other sessions with this primary */
  group?: Attention;
  /** what lists call it and its icon, unless it needs the user; default: those of its group */
  words?: string;
  icon?: string;
  /** why it needs the user; a session that waits always does */
  need?: Need;
  /** the title of a message about it; default: that it asks */
  title?: string;
  /** how the turn ended: the prompt accepts text */
  ends?: 'finished' | 'failed' | 'limit';
  asks?: Question['kind'];
  /** whether it belongs to no turn, like a question that Claude Code asks before its first turn */
  isOutsideTurns?: true;
  runsTool?: true;
}

const ACTIVE = { primary: 'active', state: 'working' } as const;
const THINKING = { primary: 'active', state: 'thinking', icon: '◐' } as const;
const WAITING = { primary: 'waiting', state: 'waiting' } as const;

const ROWS = {
  ready: { primary: 'idle', state: 'idle', group: 'new' },
  waiting_input: { primary: 'idle', state: 'waiting', ends: 'finished' },
  error: {
    ...{ primary: 'idle', state: 'error', ends: 'failed', title: 'stopped with an error' },
    need: { ...fault('error', 4), isLong: true },
  },
  thinking: { ...THINKING, words: 'thinking' },
  responding: { ...THINKING, words: 'answering' },
  using_tools: { ...ACTIVE, words: 'using tools', runsTool: true },
  compacting: { ...ACTIVE, words: 'compacting' },
  permission: { ...WAITING, asks: 'permission', need: asks('asks permission'), title: 'asks permission' },
  question: { ...WAITING, asks: 'question', need: NEEDS.question },
  plan: { ...WAITING, asks: 'plan', need: asks('has a plan') },
  setup: { ...WAITING, asks: 'setup', need: asks('needs set-up'), isOutsideTurns: true },
  limit: { ...WAITING, ends: 'limit', need: NEEDS.limit, title: 'stopped by a usage limit' },
} satisfies Record<string, DetailRow>;

type Primary = (typeof PRIMARIES)[number];
type State = (typeof STATES)[number];
type Detail = keyof typeof ROWS;

/**
 * The vocabulary of statuses. A new word is a row here and the rule that derives it. No other file compares details
 * with literals, except for the rules in `src/core/status/`; the gate checks this.
 */
export const DETAILS: Readonly<Record<Detail, DetailRow>> = ROWS;
export const DETAIL_NAMES = Object.keys(ROWS) as Detail[];

/** Returns the row of a status. It is empty if there is no detail, or if only a newer server knows the detail. */
export function rowOf({ detail }: { detail: Detail | null }): Partial<DetailRow> {
  return (detail === null ? undefined : DETAILS[detail]) ?? {};
}

/**
 * Returns the one-word state that lists show. A session that gets stuck keeps its previous state.
 * @param before the previous state, needed only if the session is stuck
 */
export function stateOf(primary: Primary | null, detail: Detail | null, before: State = 'unknown'): State {
  if (primary === 'stuck') return before;
  if (primary === 'dead') return 'dead';
  return rowOf({ detail }).state ?? 'unknown';
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
  return status.primary === 'idle' || (status.primary === 'waiting' && !isAsking(status));
}

/** Reports whether a dialog is waiting for an answer. Neither a closing question nor a usage limit is a dialog. */
export function isAsking(status: Taking): boolean {
  return status.primary === 'waiting' && status.question?.kind !== 'closing' && rowOf(status).ends === undefined;
}

/** Reports whether a usage limit has cut off the turn and is in effect. In this state, the prompt accepts text. */
export function isLimited(status: Pick<Taking, 'detail'>): boolean {
  return rowOf(status).ends === 'limit';
}

/** Reports whether the turn ended with an error. */
export function hasFailed(status: Pick<Taking, 'detail'>): boolean {
  return rowOf(status).ends === 'failed';
}

/** Reports whether a turn is running, or is waiting for the answer to a dialog. */
export function isInTurn(status: Taking): boolean {
  const { primary } = status;
  return primary === 'active' || primary === 'stuck' || (isAsking(status) && rowOf(status).isOutsideTurns !== true);
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
