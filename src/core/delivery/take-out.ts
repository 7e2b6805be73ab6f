import type { Millis } from '../status/index.ts';
import { normalisePrompt } from './box.ts';
import { type Change, statusOf } from './record.ts';
import { draftOf, isBoxEmpty, type Seen } from './seen.ts';
import { afterClearing, finishEnding, isInterrupting, leftoversOf } from './standing.ts';
import { go, type Step, wait } from './step.ts';

/**
 * A second ^C on an empty prompt within 1 to 3 s ends Claude Code. So a text must have been there this long before one
 * is typed at all, and this much time must pass between two.
 */
export const STOOD_MS = 300;
const BETWEEN_CLEARS_MS = 4_000;
const FOOTER_ROWS = 3;
const AGAIN_TO_EXIT = /again to exit/i;
const CLEARED_MS = 2_000;
/** How long a turn that has ended may be drawn still; what is drawn longer runs, and the status knows by then. */
const STILL_DRAWN_MS = 1_500;
/** Where a view is opened in the same moment, the key closes that instead. */
const TRIES = 2;

/** What is to be taken out: deliveries, or the prompt of an interrupted turn, which a person may have typed. */
type Standing = { ids: readonly string[]; takenBefore: ReadonlySet<string> } | { prompt: string };

/** Taking out of the prompt what CBOS has put there: one ^C does, and ends nothing while a text is there. */
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

/** Begins to clear the prompt of a text that may be nobody's delivery. */
export const takeOutPrompt = (prompt: string, seen: Seen): TakingOut => stand({ prompt }, 1, seen);

function stand(what: Standing, tries: number, { now, clearedAt }: Seen): TakingOut {
  // A clock that was set back since says nothing of when a former server typed the key: it was just now.
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
      // A turn that has begun meanwhile, as from the queue, is what the key would end; the screen says so first.
      const isRunning = seen.screen?.reading.primary === 'active';
      if (isStill(state.what, seen) && isRunning && now.elapsed < state.until) return wait(state, state.until);
      // What goes by itself is sent: its hook says so.
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
      return go(over(true), { changes: finishEnding(seen.deliveries), effect: { kind: 'forget_digits' } });
    case 'over':
      return wait(state, null);
  }
}

/** Whether that is still what is in the prompt. */
function isStill(what: Standing, seen: Seen): boolean {
  if ('prompt' in what) return squeeze(draftOf(seen) ?? '') === squeeze(what.prompt);
  return leftoversOf(seen)?.length === what.ids.length;
}

/** The text without what the box sets anew when it wraps lines. */
export const squeeze = (text: string): string => text.replace(/\s+/g, '');

function isAskedToExit({ screen }: Seen): boolean {
  return AGAIN_TO_EXIT.test(screen?.frame.lines.slice(-FOOTER_ROWS).join('\n') ?? '');
}

function becameOf(what: Standing, { deliveries, told, now }: Seen): Change[] {
  if ('prompt' in what) return [];
  const isInterrupt = isInterrupting(deliveries, now.wall);
  return what.ids.flatMap((id, index): Change[] => {
    const record = deliveries.recent.find((one) => one.id === id);
    // Where a hook has told of it meanwhile, it was not the key that took it out of the box.
    if (record === undefined || (statusOf(record) === 'delivered' && !what.takenBefore.has(id))) return [];
    const text = normalisePrompt(record.text);
    // First in the box is the prompt that was interrupted, unless its turn had just ended by itself. That turn may have
    // had several prompts.
    const isFirst = index === 0 || told?.taken.has(text) === true;
    const isPrompt = isInterrupt && told?.putBack.has(text) !== true && isFirst;
    const phase = afterClearing(record, isPrompt);
    return [{ id, phase, ...(statusOf({ phase }) === 'queued' ? { intoQueue: false } : {}) }];
  });
}
