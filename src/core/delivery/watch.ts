import { isReady } from '../../protocol/index.ts';
import type { Millis } from '../status/index.ts';
import { boxHoldsReturned, hasPlaceholder, normalisePrompt } from './box.ts';
import { finishEnding } from './ending.ts';
import { type Change, type DeliveryRecord, isEscPending, statusOf } from './record.ts';
import { goneFromBox, mayBeRefused, refusedBy, refusedDuringTurn } from './refusal.ts';
import { countPutBack, draftOf, hasBegunTurn, isBoxEmpty, isReadyBelowDraft, type Seen, TOGETHER_MS } from './seen.ts';
import { isQueued, LATE_RETURN_MS, leftoversOf } from './standing.ts';
import { go, type Step, wait } from './step.ts';

/**
 * How long the prompt must be empty before CBOS stops waiting for a hook. Under load, hooks arrived up to 10 s late.
 */
const SIGN_MS = 10_000;
/** When to read the transcript. Claude Code writes to it about 100 ms after the event, or later on a loaded machine. */
const LOOK_AFTER_MS = [0, 300, 1_500, 5_000] as const;
/**
 * How late the status may report the end of a turn. Messages that come back at the end of a turn appear in the box when
 * the turn really ends.
 */
const END_MS = 2_000;
/**
 * How long someone at the terminal has to start editing messages that came back, before CBOS removes them and sends
 * them again.
 */
const UNTOUCHED_MS = 3_000;

/**
 * What CBOS watches for when it is not typing: signs of messages that a server was sending when it was killed, and
 * messages that Claude Code has put back from its queue. The former require an empty prompt, the latter a draft.
 */
export type Watch =
  | { at: 'rest' }
  /** CBOS typed Esc without learning what it did, the session is ready, and a prompt may still come back */
  | { at: 'ending'; until: Millis }
  | { at: 'signs'; until: Millis }
  | { at: 'signs_read' }
  | { at: 'returned'; look: number; until: Millis }
  | { at: 'returned_read'; look: number }
  /** the prompt contains the messages, which have not changed since they came back */
  | { at: 'untouched'; ids: readonly string[]; draft: string; until: Millis }
  /** there is nothing new to find while the draft and the status stay the same */
  | { at: 'seen'; draft: string | null; since: Millis };

export const AT_REST: Watch = { at: 'rest' };

export function advanceWatch(state: Watch, seen: Seen): Step<Watch> {
  // A transcript that has just been read is handled first, because its content is not available in the next call.
  const isRead = state.at === 'signs_read' || state.at === 'returned_read';
  const atOnce = isRead ? [] : seenAtOnce(seen);
  if (atOnce.length > 0) return go(state, { changes: atOnce });
  switch (state.at) {
    case 'rest':
      return begin(state, seen);
    case 'seen': {
      const isSame = state.draft === draftOf(seen) && state.since === seen.status.since;
      const mayFind = isQuiet(seen) && lookedFor(seen).length > 0;
      return isSame && !mayFind ? wait(state, null) : go(AT_REST);
    }
    case 'ending': {
      if (!isEndingQuiet(seen)) return go(AT_REST);
      if (seen.now.elapsed < state.until) return wait(state, state.until);
      return go(AT_REST, { changes: finishEnding(seen) });
    }
    case 'signs': {
      if (!isQuiet(seen) || (lookedFor(seen).length === 0 && leftInQueue(seen).length === 0)) return go(AT_REST);
      if (!seen.isDead && seen.now.elapsed < state.until) return wait(state, state.until);
      return go({ at: 'signs_read' }, { effect: { kind: 'read_transcript' } });
    }
    case 'signs_read':
      return go(AT_REST, {
        changes: [
          ...lookedFor(seen).map((record) => judge(record, seen)),
          ...leftInQueue(seen).map((record) => judgeQueued(record, seen)),
        ],
      });
    case 'returned': {
      if (!mayHaveReturned(seen)) return go(AT_REST);
      if (seen.now.elapsed < state.until) return wait(state, state.until);
      return go({ at: 'returned_read', look: state.look }, { effect: { kind: 'read_transcript' } });
    }
    case 'returned_read':
      return lookForReturned(state.look, seen);
    case 'untouched': {
      const isTouched = draftOf(seen) !== state.draft || !isReadyBelowDraft(seen);
      if (!isTouched && seen.now.elapsed < state.until) return wait(state, state.until);
      if (!isTouched) return go(asSeen(seen), { changes: became(state.ids, 'put_back') });
      // If someone sent the messages by hand without changing them, they still count as delivered.
      return go(asSeen(seen), { changes: isReadyBelowDraft(seen) ? became(state.ids, 'taken_back') : [] });
    }
  }
}

function begin(state: Watch, seen: Seen): Step<Watch> {
  const { elapsed, wall } = seen.now;
  const isLookedFor = lookedFor(seen).length > 0 && isQuiet(seen);
  if (isLookedFor || leftInQueue(seen).length > 0) return go({ at: 'signs', until: elapsed + SIGN_MS });
  if (isEndingQuiet(seen)) {
    const readyMs = seen.isDead ? LATE_RETURN_MS : Math.max(0, wall - seen.status.since);
    return go({ at: 'ending', until: elapsed + Math.max(0, LATE_RETURN_MS - readyMs) });
  }
  const hasTaken = seen.deliveries.recent.some((record) => statusOf(record) === 'delivered');
  const mayTell = mayBeRefused(seen) || (hasTaken && mayHaveReturned(seen));
  if (!mayTell || leftoversOf(seen) !== null) return wait(state, null);
  return go({ at: 'returned', look: 0, until: elapsed });
}

/** Reports whether the transcript may tell that a message came back from the queue or was refused. */
const mayHaveReturned = (seen: Seen): boolean => isReadyBelowDraft(seen) || mayBeRefused(seen);

const asSeen = (seen: Seen): Watch => ({ at: 'seen', draft: draftOf(seen), since: seen.status.since });

const became = (ids: readonly string[], phase: 'put_back' | 'taken_back'): Change[] =>
  ids.map((id) => ({ id, phase, intoQueue: false }));

/** Reports whether CBOS typed Esc, and nothing happens that would show what the key did. */
const isEndingQuiet = (seen: Seen): boolean => seen.deliveries.recent.some(isEscPending) && isQuiet(seen);

/**
 * Returns the messages of which only the transcript or the prompt can still tell what became of them. No hook reports a
 * built-in command, which Claude Code may carry out after CBOS has stopped waiting for its Enter.
 */
const lookedFor = ({ deliveries, isDead }: Seen): DeliveryRecord[] =>
  deliveries.sent.filter(({ phase, command }) => phase === 'looking' || (phase === 'entering' && command && !isDead));

/** Returns the messages that may have been in Claude Code's queue when the session ended. */
const leftInQueue = ({ deliveries, isDead }: Seen): DeliveryRecord[] =>
  isDead ? deliveries.recent.filter(isQueued) : [];

/** Reports whether the transcript is the only source that can still report a message. */
const isQuiet = (seen: Seen): boolean => seen.isDead || (isReady(seen.status) && isBoxEmpty(seen));

/**
 * Returns the changes that need no waiting. Either the session has ended, or it has no hooks and a turn began. In a
 * session without hooks, the beginning of a turn confirms every message.
 */
function seenAtOnce(seen: Seen): Change[] {
  const { deliveries, isDead, isLaunched } = seen;
  const lost = deliveries.queued.filter(({ phase, held }) => isDead && phase === 'resumed' && !held);
  const isTaken = ({ text, updatedAt }: DeliveryRecord): boolean =>
    !isLaunched && hasBegunTurn(seen, { text, at: updatedAt });
  return [
    ...lost.map(({ id }): Change => ({ id, phase: 'session_ended' })),
    ...goneFromBox(seen),
    ...refusedDuringTurn(seen),
    ...lookedFor(seen).flatMap((record): Change[] => (isTaken(record) ? [{ id: record.id, phase: 'taken' }] : [])),
  ];
}

function judge({ id, text, command, updatedAt }: DeliveryRecord, { told, isDead }: Seen): Change {
  const prompt = normalisePrompt(text);
  const at = Math.max(told?.taken.get(prompt) ?? 0, told?.queued.get(prompt) ?? 0);
  // Neither a hook nor the transcript reports a built-in command. An empty prompt shows that Claude Code took it.
  return { id, phase: at >= updatedAt || (command && !isDead) ? 'taken' : 'no_sign' };
}

/**
 * Claude Code's queue is lost with its process (2.1.330). Claude Code may have ended before it wrote to the transcript
 * that it queued or took the message. A turn may have taken several messages together.
 */
function judgeQueued({ id, text, createdAt, updatedAt }: DeliveryRecord, { told, hooks }: Seen): Change {
  const prompt = normalisePrompt(text);
  const queuedAt = told?.queued.get(prompt) ?? 0;
  const isWaiting = (told?.waiting.get(prompt) ?? 0) >= createdAt;
  const isIn = (taken: string): boolean => `\n${taken}\n`.includes(`\n${prompt}\n`);
  const isTaken = [...(told?.taken ?? [])].some(([taken, at]) => at >= Math.max(createdAt, queuedAt) && isIn(taken));
  if (isWaiting && !isTaken) return { id, phase: 'session_ended', intoQueue: false };
  const isTurnOver = (hooks.turnEnd?.at ?? 0) >= updatedAt;
  const isKnown = isTaken || queuedAt >= createdAt || isTurnOver;
  return { id, phase: isKnown ? 'taken' : 'no_sign', keepsTime: true, intoQueue: false };
}

/**
 * Checks whether the prompt contains messages that CBOS typed during a turn and that Claude Code has put back from its
 * queue. If the messages came back at the end of the turn and no one touches them, CBOS holds them again. If a user
 * brought them back or edits them, they belong to that user. The two cases can be told apart only after the session has
 * become ready.
 */
function lookForReturned(look: number, seen: Seen): Step<Watch> {
  // On a busy machine, the screen shows the notice before it is in the transcript.
  const refused = refusedBy(seen, { byScreen: look > 0 });
  if (refused.length > 0) return go(asSeen(seen), { changes: refused });
  const draft = draftOf(seen);
  if (draft === null && mayBeRefused(seen)) return lookAgain(look, seen);
  // A placeholder may also represent a user's paste.
  if (draft === null || !isReadyBelowDraft(seen) || hasPlaceholder(draft)) return go(asSeen(seen));
  const found = findReturned(draft, seen);
  if (found === 'nothing_told') return lookAgain(look, seen);
  if (found === 'others') return go(asSeen(seen));
  const isTheirs = found.isChanged || seen.status.since > found.at + END_MS;
  if (isTheirs) return go(asSeen(seen), { changes: became(found.ids, 'taken_back') });
  return go({ at: 'untouched', ids: found.ids, draft, until: seen.now.elapsed + UNTOUCHED_MS });
}

function lookAgain(look: number, seen: Seen): Step<Watch> {
  const afterMs = LOOK_AFTER_MS[look + 1];
  if (afterMs === undefined) return go(asSeen(seen));
  return go({ at: 'returned', look: look + 1, until: seen.now.elapsed + afterMs });
}

interface Returned {
  ids: string[];
  at: Millis;
  /** whether someone has typed next to the messages, possibly before the transcript reported all of them */
  isChanged: boolean;
}

function findReturned(draft: string, { deliveries, told }: Seen): Returned | 'nothing_told' | 'others' {
  const taken = deliveries.recent.filter((record) => statusOf(record) === 'delivered');
  const queued = taken.filter(isQueued).map(({ text }) => normalisePrompt(text));
  const at = Math.max(...(told?.putBack.values() ?? []));
  const back = [...(told?.putBack ?? [])].flatMap(([text, time]) =>
    time > at - TOGETHER_MS ? Array<string>(countPutBack(told, text)).fill(text) : [],
  );
  if (back.length === 0) return 'nothing_told';
  // The hook reports a message before the message enters the queue. If other messages come back at that moment, the new
  // message appears next to them in the box and never enters the queue (2.1.329).
  const onItsWay = queued
    .filter((text) => told?.queued.has(text) !== true && told?.taken.has(text) !== true)
    .slice(0, 1);
  const texts = [back, [...back, ...onItsWay]].find((some) => boxHoldsReturned(draft, some, queued) !== 'other');
  if (texts === undefined) return 'nothing_told';
  const left = [...taken];
  const ids = texts.flatMap((text) => {
    const index = left.findIndex((one) => normalisePrompt(one.text) === text);
    return index < 0 ? [] : left.splice(index, 1).map(({ id }) => id);
  });
  if (ids.length !== texts.length) return 'others';
  return { ids, at, isChanged: boxHoldsReturned(draft, texts, queued) === 'more' };
}
