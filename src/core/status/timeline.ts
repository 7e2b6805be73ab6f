import type { Because, Detail, Health, Primary, State } from '../../protocol/index.ts';
import { advanceStatus } from './advance.ts';
import type { Evidence, StatusMemory } from './evidence.ts';
import { NO_HOOKS } from './hooks/hooks.ts';
import type { Millis } from './millis.ts';
import { observeScreen, type ScreenObserver } from './screen/screen.ts';
import type { ScreenFrame } from './screen/screen-evidence.ts';
import type { Thresholds } from './thresholds.ts';

/** A status change in a recording. */
export interface TimelineEntry {
  at: Millis;
  primary: Primary | null;
  detail: Detail | null;
  state: State;
  health: Health;
  because: Because;
}

export interface TimelineOptions {
  thresholds: Thresholds;
  /** reads the screen; default: with the built-in rules */
  observe?: ScreenObserver;
  /** called at each change of primary, detail, or health; the first call reports the initial status */
  onChange(entry: TimelineEntry): void;
}

/**
 * The status over the course of a recording. It is computed in the same steps as for a live session: one step per
 * frame, and one at each `recheckAt`.
 */
export interface Timeline {
  see(frame: ScreenFrame, at: Millis): void;
  /** lets time pass without new evidence; a silence of any length takes one step for each threshold that it crosses */
  runUntil(at: Millis): void;
  /** records that the recorded program has ended */
  seeEnd(at: Millis): void;
}

/** Creates a timeline from the screen alone. Frames must be passed in chronological order. */
export function createTimeline({ thresholds, observe = observeScreen, onChange }: TimelineOptions): Timeline {
  let evidence: Evidence = { process: null, screen: null, hooks: NO_HOOKS, registry: null };
  let memory: StatusMemory | null = null;
  let recheckAt: Millis | null = null;

  const step = (now: Millis): void => {
    const before = memory;
    const next = advanceStatus(before, { evidence, now, thresholds });
    memory = next.memory;
    recheckAt = next.recheckAt;
    const { primary, detail, state, health, because } = next.memory;
    const isSame = before?.primary === primary && before.detail === detail && before.health === health;
    if (before === null || !isSame) onChange({ at: now, primary, detail, state, health, because });
  };
  const runUntil = (at: Millis): void => {
    while (recheckAt !== null && recheckAt <= at) step(recheckAt);
  };
  return {
    runUntil,
    see: (frame, at) => {
      runUntil(at - 1);
      evidence = { ...evidence, screen: observe(evidence.screen, frame, at) };
      step(at);
    },
    seeEnd: (at) => {
      runUntil(at - 1);
      evidence = { ...evidence, process: { alive: false, startedAt: null, endedAt: at } };
      step(at);
    },
  };
}
