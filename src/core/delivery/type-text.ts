import { UNREPORTED } from '../../text/delivery-words.ts';
import type { Millis } from '../status/index.ts';
import { boxHolds } from './box.ts';
import { finishEnding } from './ending.ts';
import { utf8Length } from './paste.ts';
import { type Change, type DeliveryRecord, statusOf } from './record.ts';
import { draftOf, hasBegunTurn, hasTakenDraft, isBoxEmpty, isDialogOpen, isKeptFromPrompt, type Seen } from './seen.ts';
import { leftoversOf, returnedBeside } from './standing.ts';
import { go, type Step, wait } from './step.ts';
import { STOOD_MS } from './take-out.ts';

/** How long to wait between pasting the text and pressing Enter, for Claude Code 2.1.150 and later. */
const ENTER_DELAY_MS = 150;
/** How long to wait for Claude Code up to 2.1.50, which loses the Enter after a shorter wait. */
const OLD_ENTER_DELAY_MS = 400;
/**
 * How fast Claude Code reads a paste (20 kB in 0.6 s, 50 kB in 1.9 s). An Enter that arrives before Claude Code has
 * read the whole paste becomes part of the paste.
 */
const READ_BYTES_PER_MS = 25;
/**
 * How long to wait for a message to appear in the box, which normally takes 20 to 100 ms. If it does not appear in this
 * time, CBOS cannot recognize it on the screen.
 */
const SHOWN_MS = 2_500;
/**
 * How much longer to wait if the session has not read the text yet. A machine that is short of memory stalls for
 * seconds.
 */
const READ_MS = 5_000;
/**
 * How long to wait for Claude Code to report that it took a prompt, before CBOS presses Enter once more. The report
 * normally takes 20 to 150 ms.
 */
const FIRST_CONFIRM_MS = 1_500;
/**
 * How long to wait after the second Enter. After that, the delivery remains in phase `entering`, and a sign that
 * arrives later still confirms it.
 */
export const SECOND_CONFIRM_MS = 2_500;
/**
 * How long to wait until a message that Claude Code queues disappears from the box, which normally takes 100 ms. In
 * versions up to 2.1.328, its hook fires only when a turn takes the message.
 */
const QUEUE_CONFIRM_MS = 1_000;

/** A message, and how CBOS types it. */
export interface Typed {
  id: string;
  text: string;
  command: boolean;
  /**
   * the sign that shows that Claude Code took the message: either a turn begins, or Claude Code's own queue contains
   * the message
   */
  confirm: 'turn' | 'queue';
  /** whether to type the message without checking for obstacles */
  force: boolean;
  /** when CBOS began to type, on the monotonic clock */
  begunAt: Millis;
}

/** The state of typing a message, from its first character to the sign that Claude Code took it. */
export type Typing =
  | { at: 'begin'; typed: Typed }
  | { at: 'typed'; typed: Typed }
  | { at: 'reading'; typed: Typed; until: Millis }
  | { at: 'showing'; typed: Typed; until: Millis; isLate: boolean }
  /**
   * a crash left the text alone in the prompt; CBOS presses Enter if the text is still alone after Claude Code must
   * have read all of it
   */
  | { at: 'alone'; typed: Typed; until: Millis }
  | { at: 'entered'; typed: Typed; isShown: boolean }
  | { at: 'confirming'; typed: Typed; enteredAt: Millis; isShown: boolean; isAgain: boolean; until: Millis }
  | { at: 'over'; became: Became };

/**
 * `settled`: the journal records the outcome. `unconfirmed`: CBOS pressed Enter, but nothing shows that Claude Code
 * took the text. `beside_draft`: the box contains other characters that CBOS did not type. `beside_leftover`: the box
 * contains other characters that CBOS typed earlier. `not_alone`: CBOS did nothing.
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

/** Types a message and presses Enter, while CBOS holds the session's turn. */
export const typeText = (record: DeliveryRecord, how: How, seen: Seen): Typing => ({
  at: 'begin',
  typed: typedOf(record, how, seen),
});

/**
 * Presses Enter to send a message that a previous server typed. If an earlier Enter is only late, this Enter meets an
 * empty prompt and does nothing. The alternative, clearing the prompt and typing the text again, could send the text
 * twice.
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
      return go(showing(state.typed, seen));
    }
    case 'showing':
      return show(state, seen);
    case 'alone': {
      if (holds(state.typed, seen) !== 'text' || isDialogOpen(seen)) return go(over('not_alone'));
      return elapsed < state.until ? wait(state, state.until) : enter(state.typed, true, seen, 'left');
    }
    case 'entered': {
      if (seen.isEnterWithheld) return go(showing(state.typed, seen));
      const isQueue = state.typed.confirm === 'queue';
      const until = elapsed + (isQueue ? QUEUE_CONFIRM_MS : FIRST_CONFIRM_MS);
      return go(
        { ...state, at: 'confirming', enteredAt: elapsed, isAgain: false, until },
        { effect: { kind: 'forget_digits' } },
      );
    }
    case 'confirming':
      return confirm(state, seen);
    case 'over':
      return wait(state, null);
  }
}

const showing = (typed: Typed, { now }: Seen): Typing => ({
  at: 'showing',
  typed,
  until: now.elapsed + SHOWN_MS,
  isLate: false,
});

const holds = ({ text }: Typed, seen: Seen): ReturnType<typeof boxHolds> => boxHolds(draftOf(seen) ?? '', text);

/**
 * Presses Enter if no dialog is open and the box contains only this message. In a dialog, Enter would be an answer, and
 * a user may type into the box at the same moment. If CBOS cannot read the box, it presses Enter anyway.
 */
function show(state: Extract<Typing, { at: 'showing' }>, seen: Seen): Step<Typing> {
  const { typed } = state;
  const { id } = typed;
  const isInView = isKeptFromPrompt(seen, typed);
  const isDialog = isDialogOpen(seen);
  const held = holds(typed, seen);
  const isKnownTaken = isTaken(typed, seen);
  // Someone at the terminal has already pressed Enter. CBOS must not send the message again, whatever opens next.
  if (isKnownTaken && (isInView || isDialog || held === 'more')) return go({ at: 'entered', typed, isShown: true });
  if (!isInView && !isDialog && held === 'other') {
    if (seen.now.elapsed < state.until) return wait(state, state.until);
    if (isKnownTaken) return go({ at: 'entered', typed, isShown: true });
    if (seen.isUnread && !state.isLate) return go({ ...state, until: seen.now.elapsed + READ_MS, isLate: true });
    // If Claude Code reads Enter together with the text, it treats the Enter as part of the text.
    if (seen.isUnread) return go(over('settled'), { changes: [{ id, phase: 'unread' }] });
  }
  if (isInView) return go(over('settled'), { changes: [{ id, phase: 'behind_view', held: true }] });
  if (isDialog) return go(over('settled'), { changes: [{ id, phase: 'behind_dialog', held: true }] });
  if (held !== 'more') return enter(typed, held === 'text', seen);
  const returned = returnedBeside(typed.text, seen);
  if (returned.length === 0 && leftoversOf(seen) === null) return go(over('beside_draft'));
  const back = returned.map((record): Change => ({ id: record.id, phase: 'put_back', intoQueue: false }));
  return go(over('beside_leftover'), { changes: [...back, { id, phase: 'beside_leftover', held: true }] });
}

function enter(typed: Typed, isShown: boolean, seen: Seen, of: 'typed' | 'left' = 'typed'): Step<Typing> {
  const { id } = typed;
  // Someone at the terminal may have pressed Enter already. Pressing Enter in an empty prompt does nothing.
  const guessed = seen.conversed === 'unreported' ? { reason: UNREPORTED } : {};
  const phase = { id, phase: 'entering', intoQueue: typed.confirm === 'queue', ...guessed } as const;
  // Only now does the status show how the last turn ended. After the Enter, another turn may be running.
  const changes = [...finishEnding(seen), ...(isTaken(typed, seen) ? [] : [phase])];
  return go({ at: 'entered', typed, isShown }, { changes, effect: { kind: 'enter', id, of, isForced: typed.force } });
}

function isTaken({ id }: Typed, { deliveries }: Seen): boolean {
  const record = deliveries.recent.find((one) => one.id === id);
  return record !== undefined && statusOf(record) === 'delivered';
}

/**
 * Waits for the first sign that Claude Code took the message: its hook, or the beginning of a turn. For commands and
 * for messages in the queue, an empty prompt is also a sign.
 */
function confirm(state: Extract<Typing, { at: 'confirming' }>, seen: Seen): Step<Typing> {
  const { typed, until } = state;
  const { id } = typed;
  // On a loaded machine, Claude Code may draw the text and react to Enter only after CBOS has stopped waiting.
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
    return mayPress ? go(next, { effect: { kind: 'enter', id, of: 'again', isForced: false } }) : go(next);
  }
  if (isKept) return go(over('settled'), { changes: [{ id, phase: 'under_view' }] });
  if (isShown || !tells(typed, seen) || !isBoxEmpty(seen)) return go(over('unconfirmed'));
  return go(over('settled'), { changes: [{ id, phase: 'never_shown' }] });
}

/** Reports whether a hook is going to report the message. */
const tells = ({ force }: Typed, { isLaunched }: Seen): boolean => isLaunched && !force;

function isConfirmed({ typed, enteredAt, isShown }: Extract<Typing, { at: 'confirming' }>, seen: Seen): boolean {
  const since = (mark: Millis): Millis => seen.now.wall - (seen.now.elapsed - mark);
  if (typed.command && (seen.isDead || hasTakenDraft(seen, since(enteredAt)))) return true;
  if (typed.confirm === 'queue') return isShown && hasTakenDraft(seen, since(enteredAt)) && isBoxEmpty(seen);
  // A message that the box never showed may have been lost, and a turn that begins may belong to another message.
  if (!isShown && tells(typed, seen)) return false;
  return hasBegunTurn(seen, { text: typed.text, at: since(typed.begunAt) });
}
