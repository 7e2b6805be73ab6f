import { isReady } from '../../protocol/index.ts';
import type { Millis } from '../status/index.ts';
import { boxHoldsReturned, hasPlaceholder, normalisePrompt } from './box.ts';
import { type Change, type DeliveryRecord, statusOf } from './record.ts';
import { draftOf, hasBegunTurn, isBoxEmpty, isReadyBelowDraft, type Seen } from './seen.ts';
import { isQueued, leftoversOf } from './standing.ts';
import { go, type Step, wait } from './step.ts';

/** How long the prompt must be empty before no sign means that there is none: hooks came up to 10 s late under load. */
const SIGN_MS = 10_000;
/** The transcript is written some 100 ms after what it tells; on a loaded machine it takes longer. */
const LOOK_AFTER_MS = [0, 300, 1_500, 5_000] as const;
/** What is put back because a turn ends comes at its end; the status knows up to this much later. */
const END_MS = 2_000;
/** How long somebody at the terminal has to begin to change what came back, before CBOS takes it out and sends it. */
const UNTOUCHED_MS = 3_000;
/** What goes back at once is noted within this time. */
const TOGETHER_MS = 100;

/**
 * What is looked for while nothing is typed: signs of texts that a killed server was sending, and texts that Claude
 * Code has put back out of its queue. The one needs an empty prompt, the other a draft.
 */
export type Watch =
  | { at: 'rest' }
  | { at: 'signs'; until: Millis }
  | { at: 'signs_read' }
  | { at: 'returned'; look: number; until: Millis }
  | { at: 'returned_read'; look: number }
  /** the texts are in the prompt as they came back */
  | { at: 'untouched'; ids: readonly string[]; draft: string; until: Millis }
  /** nothing more is to be found while that stays */
  | { at: 'seen'; draft: string | null; since: Millis };

export const AT_REST: Watch = { at: 'rest' };

export function advanceWatch(state: Watch, seen: Seen): Step<Watch> {
  // What was just read is gone at the next look: it comes first.
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
    case 'signs': {
      if (!isQuiet(seen) || lookedFor(seen).length === 0) return go(AT_REST);
      if (!seen.isDead && seen.now.elapsed < state.until) return wait(state, state.until);
      return go({ at: 'signs_read' }, { effect: { kind: 'read_transcript' } });
    }
    case 'signs_read':
      return go(AT_REST, { changes: lookedFor(seen).map((record) => judge(record, seen)) });
    case 'returned': {
      if (!isReadyBelowDraft(seen)) return go(AT_REST);
      if (seen.now.elapsed < state.until) return wait(state, state.until);
      return go({ at: 'returned_read', look: state.look }, { effect: { kind: 'read_transcript' } });
    }
    case 'returned_read':
      return lookForReturned(state.look, seen);
    case 'untouched': {
      const isTouched = draftOf(seen) !== state.draft || !isReadyBelowDraft(seen);
      if (!isTouched && seen.now.elapsed < state.until) return wait(state, state.until);
      if (!isTouched) return go(asSeen(seen), { changes: became(state.ids, 'put_back') });
      // Sent by hand as they were, they are delivered still.
      return go(asSeen(seen), { changes: isReadyBelowDraft(seen) ? became(state.ids, 'taken_back') : [] });
    }
  }
}

function begin(state: Watch, seen: Seen): Step<Watch> {
  const { elapsed } = seen.now;
  if (lookedFor(seen).length > 0 && isQuiet(seen)) return go({ at: 'signs', until: elapsed + SIGN_MS });
  const mayHaveReturned = seen.deliveries.recent.some((record) => statusOf(record) === 'delivered');
  if (!mayHaveReturned || !isReadyBelowDraft(seen) || leftoversOf(seen) !== null) return wait(state, null);
  return go({ at: 'returned', look: 0, until: elapsed });
}

const asSeen = (seen: Seen): Watch => ({ at: 'seen', draft: draftOf(seen), since: seen.status.since });

const became = (ids: readonly string[], phase: 'put_back' | 'taken_back'): Change[] =>
  ids.map((id) => ({ id, phase, intoQueue: false }));

const lookedFor = ({ deliveries }: Seen): DeliveryRecord[] =>
  deliveries.sent.filter(({ phase }) => phase === 'looking');

/** Whether nothing more can tell of a text but the transcript. */
const isQuiet = (seen: Seen): boolean => seen.isDead || (isReady(seen.status) && isBoxEmpty(seen));

/** What needs no waiting: a session that has ended, and without hooks a turn that began, the sign of every text. */
function seenAtOnce(seen: Seen): Change[] {
  const { deliveries, isDead, isLaunched } = seen;
  const lost = deliveries.queued.filter(({ phase, held }) => isDead && phase === 'resumed' && !held);
  const isTaken = ({ text, updatedAt }: DeliveryRecord): boolean =>
    !isLaunched && hasBegunTurn(seen, { text, at: updatedAt });
  return [
    ...lost.map(({ id }): Change => ({ id, phase: 'session_ended' })),
    ...lookedFor(seen).flatMap((record): Change[] => (isTaken(record) ? [{ id: record.id, phase: 'taken' }] : [])),
  ];
}

function judge({ id, text, command, updatedAt }: DeliveryRecord, { told, isDead }: Seen): Change {
  const prompt = normalisePrompt(text);
  const at = Math.max(told?.taken.get(prompt) ?? 0, told?.queued.get(prompt) ?? 0);
  // Of a built-in command neither a hook nor the transcript tells: that the prompt is empty does.
  return { id, phase: at >= updatedAt || (command && !isDead) ? 'taken' : 'no_sign' };
}

/**
 * Whether what is in the prompt are texts that CBOS typed during a turn and that Claude Code has put back out of its
 * queue. Where that ended the turn and nobody touches them, they are held again; where somebody took them out, or
 * changes them, they are theirs. Only with the session ready: before, nobody knows which it is.
 */
function lookForReturned(look: number, seen: Seen): Step<Watch> {
  const draft = draftOf(seen);
  // A placeholder may as well be what a person has pasted.
  if (draft === null || !isReadyBelowDraft(seen) || hasPlaceholder(draft)) return go(asSeen(seen));
  const found = findReturned(draft, seen);
  if (found === 'nothing_told') {
    const next = look + 1;
    const afterMs = LOOK_AFTER_MS[next];
    if (afterMs === undefined) return go(asSeen(seen));
    return go({ at: 'returned', look: next, until: seen.now.elapsed + afterMs });
  }
  if (found === 'others') return go(asSeen(seen));
  const isTheirs = found.isChanged || seen.status.since > found.at + END_MS;
  if (isTheirs) return go(asSeen(seen), { changes: became(found.ids, 'taken_back') });
  return go({ at: 'untouched', ids: found.ids, draft, until: seen.now.elapsed + UNTOUCHED_MS });
}

interface Returned {
  ids: string[];
  at: Millis;
  /** whether somebody has written beside them by then, maybe before the transcript told of them */
  isChanged: boolean;
}

function findReturned(draft: string, { deliveries, told }: Seen): Returned | 'nothing_told' | 'others' {
  const taken = deliveries.recent.filter((record) => statusOf(record) === 'delivered');
  const queued = taken.filter(isQueued).map(({ text }) => normalisePrompt(text));
  const at = Math.max(...(told?.putBack.values() ?? []));
  const back = [...(told?.putBack ?? [])].flatMap(([text, time]) => (time > at - TOGETHER_MS ? [text] : []));
  if (back.length === 0) return 'nothing_told';
  // The hook tells of a text before it is in the queue. What comes back at that moment is beside it in the box, and
  // the text never gets into the queue (2.1.329).
  const onItsWay = queued
    .filter((text) => told?.queued.has(text) !== true && told?.taken.has(text) !== true)
    .slice(0, 1);
  const texts = [back, [...back, ...onItsWay]].find((some) => boxHoldsReturned(draft, some, queued) !== 'other');
  if (texts === undefined) return 'nothing_told';
  const ids = texts.flatMap((text) => taken.find((one) => normalisePrompt(one.text) === text)?.id ?? []);
  if (ids.length !== texts.length) return 'others';
  return { ids, at, isChanged: boxHoldsReturned(draft, texts, queued) === 'more' };
}
