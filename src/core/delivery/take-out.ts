import type { Millis } from '../status/index.ts';
import { normalisePrompt, squeeze } from './box.ts';
import { finishEnding } from './ending.ts';
import { type Change, statusOf } from './record.ts';
import { countPutBack, draftOf, isBoxEmpty, type Seen } from './seen.ts';
import { afterClearing, isInterrupting, leftoversOf } from './standing.ts';
import { go, type Step, wait } from './step.ts';

/**
 * How long a message must have been in the prompt before CBOS types ^C, and the minimum time between two such
 * keypresses. A second ^C on an empty prompt within 1 to 3 s would end Claude Code.
 */
export const STOOD_MS = 300;
const BETWEEN_CLEARS_MS = 4_000;
const FOOTER_ROWS = 3;
const AGAIN_TO_EXIT = /again to exit/i;
const CLEARED_MS = 2_000;
/**
 * How long a turn that has ended may still look as if it were running. If it looks that way for longer, the turn really
 * is running, and the status reports that.
 */
const STILL_DRAWN_MS = 1_500;
/**
 * The maximum number of times that CBOS types the key. If a view opens at the same moment, the key closes the view
 * instead.
 */
const TRIES = 2;

/**
 * The messages that CBOS removes from the prompt. They are either deliveries or the prompt of an interrupted turn,
 * which a user may have typed.
 */
type Standing = { ids: readonly string[]; takenBefore: ReadonlySet<string> } | { prompt: string };

/**
 * Removes CBOS's own text from the prompt with a single ^C. As long as the prompt contains text, ^C does not end
 * anything.
 */
export type TakingOut =
  | { at: 'begin' }
  | { at: 'standing'; what: Standing; tries: number; until: Millis }
  | { at: 'drawn_running'; what: Standing; tries: number; until: Millis }
  | { at: 'key_typed'; what: Standing; tries: number }
  | { at: 'clearing'; what: Standing; tries: number; until: Millis }
  | { at: 'cleared'; what: Standing; isRead: boolean }
  | { at: 'ended' }
  | { at: 'over'; isEmpty: boolean };

const over = (isEmpty: boolean): TakingOut => ({ at: 'over', isEmpty });

/** Begins to remove text from the prompt, which need not be a delivery. */
export const takeOutPrompt = (prompt: string, seen: Seen): TakingOut => stand({ prompt }, 1, seen);

function stand(what: Standing, tries: number, { now, clearedAt }: Seen): TakingOut {
  // If the clock has been set back since then, CBOS cannot tell when a previous server typed the key. It then assumes
  // that this happened just now.
  const clearedMs = Math.max(0, now.wall - clearedAt);
  return { at: 'standing', what, tries, until: now.elapsed + Math.max(STOOD_MS, BETWEEN_CLEARS_MS - clearedMs) };
}

export function advanceTakingOut(state: TakingOut, seen: Seen): Step<TakingOut> {
  const { now } = seen;
  switch (state.at) {
    case 'begin': {
      const found = leftoversOf(seen);
      if (found === null) return go(over(draftOf(seen) === null));
      const taken = found.filter((record) => statusOf(record) === 'delivered');
      const what = { ids: found.map(({ id }) => id), takenBefore: new Set(taken.map(({ id }) => id)) };
      return go(stand(what, 1, seen));
    }
    case 'standing': {
      if (isStill(state.what, seen) && now.elapsed < state.until) return wait(state, state.until);
      return go({ ...state, at: 'drawn_running', until: now.elapsed + STILL_DRAWN_MS });
    }
    case 'drawn_running': {
      // The key would end a turn that has begun since the last check, for example a turn from the queue. The screen is
      // the first to show such a turn.
      const isRunning = seen.screen?.reading.primary === 'active';
      if (isStill(state.what, seen) && isRunning && now.elapsed < state.until) return wait(state, state.until);
      // If a message disappears before CBOS types the key, someone sent the message, and its hook will report that.
      if (!isStill(state.what, seen) || isAskedToExit(seen)) return go(over(isBoxEmpty(seen)));
      if (isRunning) return go(over(false));
      return go({ at: 'key_typed', what: state.what, tries: state.tries }, { effect: { kind: 'clear' } });
    }
    case 'key_typed':
      return go({ ...state, at: 'clearing', until: now.elapsed + CLEARED_MS });
    case 'clearing': {
      if (isBoxEmpty(seen)) return go({ at: 'cleared', what: state.what, isRead: false });
      if (now.elapsed < state.until) return wait(state, state.until);
      return go(state.tries < TRIES ? stand(state.what, state.tries + 1, seen) : over(false));
    }
    case 'cleared': {
      if (isInterrupting(seen.deliveries, now.wall) && !state.isRead) {
        return go({ ...state, isRead: true }, { effect: { kind: 'read_transcript' } });
      }
      return go({ at: 'ended' }, { changes: becameOf(state.what, seen) });
    }
    case 'ended':
      return go(over(true), { changes: finishEnding(seen), effect: { kind: 'forget_digits' } });
    case 'over':
      return wait(state, null);
  }
}

/** Reports whether the prompt still contains the same message as before. */
function isStill(what: Standing, seen: Seen): boolean {
  if ('prompt' in what) return squeeze(draftOf(seen) ?? '') === squeeze(what.prompt);
  return leftoversOf(seen)?.length === what.ids.length;
}

function isAskedToExit({ screen }: Seen): boolean {
  return AGAIN_TO_EXIT.test(screen?.frame.lines.slice(-FOOTER_ROWS).join('\n') ?? '');
}

function becameOf(what: Standing, { deliveries, told, now }: Seen): Change[] {
  if ('prompt' in what) return [];
  const isInterrupt = isInterrupting(deliveries, now.wall);
  return what.ids.flatMap((id, index): Change[] => {
    const record = deliveries.recent.find((one) => one.id === id);
    // If a hook has reported the text since CBOS typed the key, the text left the box because it was sent, not because
    // of the key.
    if (record === undefined || (statusOf(record) === 'delivered' && !what.takenBefore.has(id))) return [];
    const text = normalisePrompt(record.text);
    // The interrupted prompt comes first in the box, unless its turn had just ended normally. Such a turn may have had
    // several prompts.
    const isFirst = index === 0 || told?.taken.has(text) === true;
    const isSame = (other: string): boolean =>
      deliveries.recent.some((one) => one.id === other && normalisePrompt(one.text) === text);
    // If several have this text, the last ones came from the queue.
    const isFromQueue = what.ids.slice(index).filter(isSame).length <= countPutBack(told, text);
    const isPrompt = isInterrupt && !isFromQueue && isFirst;
    const phase = afterClearing(record, isPrompt);
    return [{ id, phase, ...(statusOf({ phase }) === 'queued' ? { intoQueue: false } : {}) }];
  });
}
