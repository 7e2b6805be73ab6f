import { z } from 'zod';
import { type Attention, attentionOf } from './attention.ts';
import type { Session } from './session.ts';
import { DETAILS, Detail, isReady, Primary, State } from './status.ts';

/**
 * A word that selects sessions by what they do or want: a one-word state, `ready`, `stuck`, `needs-you`, `done`,
 * `new`, `stopped`, or `primary/detail`. Taken wherever a state can be asked for (`?state=`, `--state`, `--for`).
 */
export type StateSelector =
  | { kind: 'state'; state: State }
  | { kind: 'ready' }
  | { kind: 'stuck' }
  | { kind: 'attention'; attention: Attention }
  | { kind: 'exact'; primary: Primary; detail: Detail | null };

/** `working` and `unknown` are states already; `active` selects all that work. */
const ATTENTION_WORDS: ReadonlyMap<string, Attention> = new Map([
  ['needs-you', 'needs_you'],
  ['done', 'done'],
  ['new', 'new'],
  ['stopped', 'stopped'],
]);

/**
 * Reads a selector; null when the word is none. `idle/ready`, `waiting`, `ready`, `stuck` and `dead/` are examples of
 * the forms.
 */
export function parseStateSelector(word: string): StateSelector | null {
  if (word === 'ready') return { kind: 'ready' };
  if (word === 'stuck') return { kind: 'stuck' };
  const attention = ATTENTION_WORDS.get(word);
  if (attention !== undefined) return { kind: 'attention', attention };
  const state = State.safeParse(word);
  if (state.success) return { kind: 'state', state: state.data };
  const [primaryWord, detailWord, ...more] = word.split('/');
  const primary = Primary.safeParse(primaryWord);
  if (!primary.success || more.length > 0) return null;
  if (detailWord === undefined || detailWord === '') return { kind: 'exact', primary: primary.data, detail: null };
  const detail = Detail.safeParse(detailWord);
  if (!detail.success || DETAILS[detail.data].primary !== primary.data) return null;
  return { kind: 'exact', primary: primary.data, detail: detail.data };
}

/** The words a selector may be, for messages and completion. */
export const STATE_SELECTOR_WORDS: readonly string[] = [
  ...State.options,
  'ready',
  'stuck',
  ...ATTENTION_WORDS.keys(),
  ...Detail.options.map((detail) => `${DETAILS[detail].primary}/${detail}`),
];

/** A selector in a query string or an option. */
export const StateSelectorWord = z
  .string()
  .refine((word) => parseStateSelector(word) !== null, { error: `must be one of ${STATE_SELECTOR_WORDS.join(', ')}` });

type Selectable = Pick<Session, 'state' | 'status'> & Partial<Pick<Session, 'rate_limit'>>;

export function matchesState(session: Selectable, selector: StateSelector): boolean {
  switch (selector.kind) {
    case 'ready':
      return isReady(session.status);
    case 'stuck':
      return session.status.primary === 'stuck';
    case 'attention':
      return attentionOf(session) === selector.attention;
    case 'state':
      return session.state === selector.state;
    case 'exact':
      return (
        session.status.primary === selector.primary &&
        (selector.detail === null || session.status.detail === selector.detail)
      );
  }
}
