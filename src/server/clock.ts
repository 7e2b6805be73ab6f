import { readFileSync } from 'node:fs';
import { Emitter } from '../emitter/emitter.ts';
import type { Dispose } from './sessions.ts';

/** How the wall clock stood against the monotonic one: two of the same boot tell by how much it was set in between. */
export interface ClockSetting {
  boot: string;
  /** the wall clock minus the monotonic one, in whole milliseconds */
  offset_ms: number;
}

/** Time as the server sees it; `main.ts` gives the real one. */
export interface Clock {
  /**
   * The wall clock, Unix milliseconds: what people read and others stamp. It may be set at any moment, see `onStep`.
   */
  now(): number;
  /**
   * Milliseconds that only grow, whatever is done to the wall clock: for how long something takes. They stand still
   * while the machine sleeps.
   */
  elapsed(): number;
  /** runs `work` once after so long; never keeps the process alive by itself */
  after(delayMs: number, work: () => void): Dispose;
  /**
   * Called when the wall clock was set (NTP, a resumed machine), with how far and in whole milliseconds, before `now`
   * tells the new time to anybody: who keeps times of the wall clock moves them.
   */
  onStep(listener: (byMs: number) => void): Dispose;
  /** how the clock is set now, to be written down beside times */
  setting(): ClockSetting;
}

/** Less is adjusted by NTP without a step, and no rule over the order of evidence looks so closely. */
const LEAST_STEP_MS = 100;
/** A thread that is held up between two reads of the clocks sees a difference that is none. */
const MOST_APART_MS = 5;
const READINGS = 5;

/** What a clock is made of; each in milliseconds. */
export interface TimeSource {
  wall(): number;
  /** counts from the machine's boot, for all processes the same */
  monotonic(): number;
  /** changes with each boot */
  boot: string;
}

/** Keeps both clocks side by side, and tells when they part. */
export function createClock(source: TimeSource): Clock {
  const steps = new Emitter<[byMs: number]>();
  let offset = offsetOf(source) ?? source.wall() - source.monotonic();

  function noticeStep(): void {
    if (Math.abs(source.wall() - source.monotonic() - offset) < LEAST_STEP_MS) return;
    const next = offsetOf(source);
    if (next === null || Math.abs(next - offset) < LEAST_STEP_MS) return;
    const byMs = Math.round(next - offset);
    offset = next;
    steps.tell(byMs);
  }

  return {
    now: () => {
      noticeStep();
      return source.wall();
    },
    elapsed: source.monotonic,
    after: (delayMs, work) => {
      const timer = setTimeout(work, delayMs);
      timer.unref();
      return () => clearTimeout(timer);
    },
    onStep: steps.on,
    setting: () => {
      noticeStep();
      return { boot: source.boot, offset_ms: Math.round(offset) };
    },
  };
}

/** The present moment, to be told later by the clock of then. */
export function markNow(clock: Clock): () => number {
  const at = clock.elapsed();
  return () => clock.now() - (clock.elapsed() - at);
}

/** Null where the machine is too busy to read both clocks at once. */
function offsetOf({ wall, monotonic }: TimeSource): number | null {
  for (let reading = 0; reading < READINGS; reading += 1) {
    const before = monotonic();
    const now = wall();
    if (monotonic() - before <= MOST_APART_MS) return now - before;
  }
  return null;
}

export function createSystemClock(): Clock {
  return createClock({
    wall: Date.now,
    monotonic: () => Number(process.hrtime.bigint()) / 1e6,
    boot: bootId(),
  });
}

/** Where it cannot be read, no two servers can compare their clocks. */
function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return '';
  }
}
