import { z } from 'zod';
import { Question } from './question.ts';
import { Timestamp } from './words.ts';

export const Primary = z.enum(['idle', 'active', 'waiting', 'stuck', 'dead']);
export type Primary = z.infer<typeof Primary>;

export const Detail = z.enum([
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
]);
export type Detail = z.infer<typeof Detail>;

export const State = z.enum(['waiting', 'thinking', 'working', 'idle', 'error', 'dead', 'unknown']);
export type State = z.infer<typeof State>;

export const Health = z.enum(['ALIVE', 'STUCK', 'RECOVERED', 'DEAD']);
export type Health = z.infer<typeof Health>;

export const EvidenceSource = z.enum(['hook', 'registry', 'screen', 'process', 'json', 'user', 'none']);
export type EvidenceSource = z.infer<typeof EvidenceSource>;

/** Which rule of which source decided, and what it saw. */
export const Because = z
  .object({ source: EvidenceSource, rule: z.string(), evidence: z.string() })
  .meta({ id: 'Because' });
export type Because = z.infer<typeof Because>;

export const Status = z
  .object({
    primary: Primary.nullable(),
    detail: Detail.nullable(),
    health: Health,
    since: Timestamp.meta({ description: 'When this primary and detail began' }),
    unchanged_ms: z.number().meta({ description: 'Since anything changed, a spinner included' }),
    quiet_ms: z.number().meta({ description: 'Since anything but a spinner and its clock changed' }),
    because: Because,
    question: Question.nullable(),
  })
  .meta({ id: 'Status' });
export type Status = z.infer<typeof Status>;

/** One row of the status table: the primary and the one-word state of a detail. */
export interface DetailRow {
  primary: Exclude<Primary, 'stuck' | 'dead'>;
  state: State;
}

/** The vocabulary: which primary and which one-word state a detail belongs to. */
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
};

/**
 * The one word for a list. A stuck session keeps the word it had before it got stuck.
 * @param before the state before, needed for stuck only
 */
export function stateOf(primary: Primary | null, detail: Detail | null, before: State = 'unknown'): State {
  if (primary === 'stuck') return before;
  if (primary === 'dead') return 'dead';
  return detail === null ? 'unknown' : DETAILS[detail].state;
}

/** What of a status says whether a session takes text. */
interface Taking {
  primary: Primary | null;
  question: Pick<Question, 'kind'> | null;
}

/** Whether the prompt takes text: the turn is over, or it ended with a closing question. */
export function isReady({ primary, question }: Taking): boolean {
  return primary === 'idle' || (primary === 'waiting' && question?.kind === 'closing');
}

/** Whether a dialog waits for its answer: a closing question is none. */
export function isAsking({ primary, question }: Taking): boolean {
  return primary === 'waiting' && question?.kind !== 'closing';
}
