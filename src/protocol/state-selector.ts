import { attentionOf, isUnread } from './attention.ts';
import type { Session } from './session.ts';
import type { Detail, Primary, State } from './status.ts';
import { type Attention, DETAIL_NAMES, DETAILS, isReady, PRIMARIES, STATES } from './status-words.ts';

/**
 * A word that selects sessions by what they are doing or what they want: a one-word state, `ready`, `stuck`,
 * `needs-you`, `done`, `new`, `parked`, `stopped`, `lost`, `snoozed`, `unread`, or `primary/detail`. It is accepted
 * wherever a state can be given (`?state=`, `--state`, `--for`).
 */
export type StateSelector =
  | { kind: 'state'; state: State }
  | { kind: 'ready' }
  | { kind: 'stuck' }
  | { kind: 'unread' }
  | { kind: 'lost' }
  | { kind: 'attention'; attention: Attention }
  | { kind: 'exact'; primary: Primary; detail: Detail | null };

/**
 * The words for attention, except for `working` and `unknown`, which are already states. `active` selects all sessions
 * that are working.
 */
const ATTENTION_WORDS: ReadonlyMap<string, Attention> = new Map([
  ['needs-you', 'needs_you'],
  ['done', 'done'],
  ['new', 'new'],
  ['parked', 'parked'],
  ['stopped', 'stopped'],
  ['snoozed', 'snoozed'],
]);

/**
 * Parses a selector, such as `idle/ready`, `waiting`, `ready`, `stuck` or `dead/`. Returns null if the word is not a
 * selector.
 */
export function parseStateSelector(word: string): StateSelector | null {
  if (word === 'ready') return { kind: 'ready' };
  if (word === 'stuck') return { kind: 'stuck' };
  if (word === 'unread') return { kind: 'unread' };
  if (word === 'lost') return { kind: 'lost' };
  const attention = ATTENTION_WORDS.get(word);
  if (attention !== undefined) return { kind: 'attention', attention };
  const state = STATES.find((one) => one === word);
  if (state !== undefined) return { kind: 'state', state };
  const [primaryWord, detailWord, ...more] = word.split('/');
  const primary = PRIMARIES.find((one) => one === primaryWord);
  if (primary === undefined || more.length > 0) return null;
  if (detailWord === undefined || detailWord === '') return { kind: 'exact', primary, detail: null };
  const detail = DETAIL_NAMES.find((one) => one === detailWord);
  if (detail === undefined || DETAILS[detail].primary !== primary) return null;
  return { kind: 'exact', primary, detail };
}

/** All words that are valid selectors, for messages and completion. */
export const STATE_SELECTOR_WORDS: readonly string[] = [
  ...STATES,
  'ready',
  'stuck',
  'unread',
  'lost',
  ...ATTENTION_WORDS.keys(),
  ...DETAIL_NAMES.map((detail) => `${DETAILS[detail].primary}/${detail}`),
];

type Selectable = Pick<Session, 'state' | 'status'> &
  Partial<Pick<Session, 'rate_limit' | 'snoozed' | 'unread' | 'parked_at' | 'lost'>>;

export function matchesState(session: Selectable, selector: StateSelector): boolean {
  switch (selector.kind) {
    case 'ready':
      return isReady(session.status);
    case 'stuck':
      return session.status.primary === 'stuck';
    case 'unread':
      return isUnread(session);
    case 'lost':
      return session.lost !== undefined;
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
