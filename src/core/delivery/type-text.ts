import type { Millis } from '../status/index.ts';
import { boxHolds } from './box.ts';
import { utf8Length } from './paste.ts';
import { type DeliveryRecord, statusOf } from './record.ts';
import { draftOf, hasBegunTurn, hasTakenDraft, isBoxEmpty, isDialogOpen, isKeptFromPrompt, type Seen } from './seen.ts';
import { finishEnding, leftoversOf } from './standing.ts';
import { go, type Step, wait } from './step.ts';
import { STOOD_MS } from './take-out.ts';

/** Between the pasted text and Enter, from 2.1.150 on. */
const ENTER_DELAY_MS = 150;
/** The same for versions up to 2.1.50: with less they swallow the Enter. */
const OLD_ENTER_DELAY_MS = 400;
/** How fast Claude Code reads a paste (20 kB in 0.6 s, 50 kB in 1.9 s); an Enter before its end would be part of it. */
const READ_BYTES_PER_MS = 25;
/** A text shows 20 to 100 ms after it was typed. Where it does not show in this time, CBOS cannot read where it is. */
const SHOWN_MS = 2_500;
/** How much longer to wait for a session that has not read it: a machine short of memory stands still for seconds. */
const READ_MS = 5_000;
/** How long Claude Code may take to say that it took a prompt (20 to 150 ms) before Enter is pressed once more. */
const FIRST_CONFIRM_MS = 1_500;
/** And how long after that; then the delivery stays `entering`, and a late sign still confirms it. */
export const SECOND_CONFIRM_MS = 2_500;
/**
 * A text that Claude Code queues leaves the box within 100 ms; up to 2.1.328 its hook comes only when the turn takes
 * it.
 */
const QUEUE_CONFIRM_MS = 1_000;

/** A text that is to be typed, and how. */
export interface Typed {
  id: string;
  text: string;
  command: boolean;
  /** what shows that Claude Code took it: a turn that begins, or its place in Claude Code's own queue */
  confirm: 'turn' | 'queue';
  /** without looking at what is in the way */
  force: boolean;
  /** when it began, of the count that only grows */
  begunAt: Millis;
}

/** A text on its way from its first letter to the sign that Claude Code took it. */
export type Typing =
  | { at: 'begin'; typed: Typed }
  | { at: 'typed'; typed: Typed }
  | { at: 'reading'; typed: Typed; until: Millis }
  | { at: 'showing'; typed: Typed; until: Millis; isLate: boolean }
  /** since a crash it is in the prompt, alone: Enter is pressed if it is still so when all of it must have been read */
  | { at: 'alone'; typed: Typed; until: Millis }
  | { at: 'entered'; typed: Typed; isShown: boolean }
  | { at: 'confirming'; typed: Typed; enteredAt: Millis; isShown: boolean; isAgain: boolean; until: Millis }
  | { at: 'over'; became: Became };

/**
 * `settled`: the journal says what became of it. `unconfirmed`: Enter was pressed, and nothing says that it was taken.
 * `beside_draft`: somebody else's letters are beside it. `beside_leftover`: CBOS's own are. `not_alone`: nothing was
 * done.
 */
export type Became = 'settled' | 'unconfirmed' | 'beside_draft' | 'beside_leftover' | 'not_alone';

const over = (became: Became): Typing => ({ at: 'over', became });

type How = Pick<Typed, 'confirm' | 'force'>;

const typedOf = ({ id, text, command }: DeliveryRecord, how: How, { now }: Seen): Typed => ({
  id,
  text,
  command,
  ...how,
  begunAt: now.elapsed,
});

/** Types a text and its Enter, with the session's turn held. */
export const typeText = (record: DeliveryRecord, how: How, seen: Seen): Typing => ({
  at: 'begin',
  typed: typedOf(record, how, seen),
});

/**
 * Presses Enter below a text that a former server typed. Where a former Enter is only late, this one finds an empty
 * prompt and does nothing; to clear the prompt and type anew would send the text twice.
 */
export const enterLeft = (record: DeliveryRecord, seen: Seen): Typing => ({
  at: 'alone',
  typed: typedOf(record, { confirm: 'turn', force: false }, seen),
  until: seen.now.elapsed + STOOD_MS + utf8Length(record.text) / READ_BYTES_PER_MS,
});

export function advanceTyping(state: Typing, seen: Seen): Step<Typing> {
  const { elapsed } = seen.now;
  switch (state.at) {
    case 'begin': {
      const { id, text, command } = state.typed;
      const effect = { kind: 'type', id, text, command } as const;
      return go({ at: 'typed', typed: state.typed }, { changes: [{ id, phase: 'typing', intoQueue: false }], effect });
    }
    case 'typed': {
      const delayMs = seen.takesManyPastes ? ENTER_DELAY_MS : OLD_ENTER_DELAY_MS;
      const until = elapsed + delayMs + utf8Length(state.typed.text) / READ_BYTES_PER_MS;
      return go({ at: 'reading', typed: state.typed, until });
    }
    case 'reading': {
      if (elapsed < state.until) return wait(state, state.until);
      if (state.typed.force) return enter(state.typed, false, seen);
      return go({ at: 'showing', typed: state.typed, until: elapsed + SHOWN_MS, isLate: false });
    }
    case 'showing':
      return show(state, seen);
    case 'alone': {
      if (holds(state.typed, seen) !== 'text' || isDialogOpen(seen)) return go(over('not_alone'));
      return elapsed < state.until ? wait(state, state.until) : enter(state.typed, true, seen, 'left');
    }
    case 'entered': {
      const isQueue = state.typed.confirm === 'queue';
      const until = elapsed + (isQueue ? QUEUE_CONFIRM_MS : FIRST_CONFIRM_MS);
      const changes = finishEnding(seen.deliveries);
      return go(
        { ...state, at: 'confirming', enteredAt: elapsed, isAgain: false, until },
        { changes, effect: { kind: 'forget_digits' } },
      );
    }
    case 'confirming':
      return confirm(state, seen);
    case 'over':
      return wait(state, null);
  }
}

const holds = ({ text }: Typed, seen: Seen): ReturnType<typeof boxHolds> => boxHolds(draftOf(seen) ?? '', text);

/**
 * Enter only goes where no dialog is, which it would answer, and where the box holds this text alone: a person may type
 * at the same moment. What CBOS cannot read of the box is no reason to leave Enter out.
 */
function show(state: Extract<Typing, { at: 'showing' }>, seen: Seen): Step<Typing> {
  const { typed } = state;
  const { id } = typed;
  const isInView = isKeptFromPrompt(seen, typed);
  const isDialog = isDialogOpen(seen);
  const held = holds(typed, seen);
  const isKnownTaken = isTaken(typed, seen);
  // A person at the terminal has pressed Enter already: whatever opens now, the text must not be sent again.
  if (isKnownTaken && (isInView || isDialog || held === 'more')) return go({ at: 'entered', typed, isShown: true });
  if (!isInView && !isDialog && held === 'other') {
    if (seen.now.elapsed < state.until) return wait(state, state.until);
    if (isKnownTaken) return go({ at: 'entered', typed, isShown: true });
    if (seen.isUnread && !state.isLate) return go({ ...state, until: seen.now.elapsed + READ_MS, isLate: true });
    // An Enter that is read in one piece with its text becomes a part of it.
    if (seen.isUnread) return go(over('settled'), { changes: [{ id, phase: 'unread' }] });
  }
  if (isInView) return go(over('settled'), { changes: [{ id, phase: 'behind_view', held: true }] });
  if (isDialog) return go(over('settled'), { changes: [{ id, phase: 'behind_dialog', held: true }] });
  if (held !== 'more') return enter(typed, held === 'text', seen);
  if (leftoversOf(seen) === null) return go(over('beside_draft'));
  return go(over('beside_leftover'), { changes: [{ id, phase: 'beside_leftover', held: true }] });
}

function enter(typed: Typed, isShown: boolean, seen: Seen, of: 'typed' | 'left' = 'typed'): Step<Typing> {
  const { id } = typed;
  // The hook of an older text with the same words may have told of this one: Enter on an empty prompt does nothing.
  const phase = { id, phase: 'entering', intoQueue: typed.confirm === 'queue' } as const;
  const changes = isTaken(typed, seen) ? [] : [phase];
  return go({ at: 'entered', typed, isShown }, { changes, effect: { kind: 'enter', id, of } });
}

function isTaken({ id }: Typed, { deliveries }: Seen): boolean {
  const record = deliveries.recent.find((one) => one.id === id);
  return record !== undefined && statusOf(record) === 'delivered';
}

/** Waits for the first sign: its hook, a turn that began, or for the queue and for commands an empty prompt again. */
function confirm(state: Extract<Typing, { at: 'confirming' }>, seen: Seen): Step<Typing> {
  const { typed, until } = state;
  const { id } = typed;
  // A loaded machine may draw it, and take its Enter, later than was waited for.
  const isShown = state.isShown || holds(typed, seen) === 'text';
  if (isShown !== state.isShown) return go({ ...state, isShown });
  if (isTaken(typed, seen)) return go(over('settled'));
  if (isConfirmed(state, seen)) return go(over('settled'), { changes: [{ id, phase: 'taken' }] });
  if (seen.now.elapsed < until) return wait(state, until);
  const isKept = isKeptFromPrompt(seen, typed);
  if (!state.isAgain) {
    const moreMs = typed.confirm === 'queue' ? 0 : SECOND_CONFIRM_MS;
    const next = { ...state, isAgain: true, until: seen.now.elapsed + moreMs };
    const isStuck = draftOf(seen) !== null && holds(typed, seen) !== 'more';
    const mayPress = isStuck && !seen.isDead && !isDialogOpen(seen) && !isKept;
    return mayPress ? go(next, { effect: { kind: 'enter', id, of: 'again' } }) : go(next);
  }
  if (isKept) return go(over('settled'), { changes: [{ id, phase: 'under_view' }] });
  if (isShown || !tells(typed, seen) || !isBoxEmpty(seen)) return go(over('unconfirmed'));
  return go(over('settled'), { changes: [{ id, phase: 'never_shown' }] });
}

/** Whether hooks tell of it. */
const tells = ({ force }: Typed, { isLaunched }: Seen): boolean => isLaunched && !force;

function isConfirmed({ typed, enteredAt, isShown }: Extract<Typing, { at: 'confirming' }>, seen: Seen): boolean {
  const since = (mark: Millis): Millis => seen.now.wall - (seen.now.elapsed - mark);
  if (typed.command && (seen.isDead || hasTakenDraft(seen, since(enteredAt)))) return true;
  if (typed.confirm === 'queue') return isShown && hasTakenDraft(seen, since(enteredAt)) && isBoxEmpty(seen);
  // What the box never showed may have been lost on the way to it, and a turn that begins may be another text's.
  if (!isShown && tells(typed, seen)) return false;
  return hasBegunTurn(seen, { text: typed.text, at: since(typed.begunAt) });
}
