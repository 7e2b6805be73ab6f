import { readFileSync } from 'node:fs';
import { Emitter } from '../emitter/emitter.ts';
import type { Dispose } from './sessions.ts';

/**
 * How the wall clock relates to the monotonic clock. The difference between two settings from the same boot shows how
 * far the wall clock was moved between them.
 */
export interface ClockSetting {
  boot: string;
  /** the wall clock minus the monotonic one, in whole milliseconds */
  offset_ms: number;
}

/** The time as the server sees it. `main.ts` passes in the real clock. */
export interface Clock {
  /**
   * The wall clock in Unix milliseconds, which people read and other programs write into timestamps. Somebody may set
   * the clock at any moment; see `onStep`.
   */
  now(): number;
  /**
   * Milliseconds that never decrease, even if the wall clock is set. Use them for durations. They do not advance while
   * the machine sleeps.
   */
  elapsed(): number;
  /** Runs `work` once after the delay. The timer alone never keeps the process alive. */
  after(delayMs: number, work: () => void): Dispose;
  /**
   * Calls the listener with the size of the step, in whole milliseconds, when the wall clock has been set (by NTP, or
   * on resume). Listeners run before `now` returns the new time to anybody, so that they can shift the wall-clock times
   * that they have stored.
   */
  onStep(listener: (byMs: number) => void): Dispose;
  /** The clock's current setting, to be stored together with times. */
  setting(): ClockSetting;
}

/**
 * The smallest difference that counts as a step. NTP corrects smaller differences gradually, and no rule about the
 * order of evidence depends on them.
 */
const LEAST_STEP_MS = 100;
/**
 * The longest time allowed between readings of the two clocks. If the thread is delayed between them, it measures a
 * step that did not happen.
 */
const MOST_APART_MS = 5;
const READINGS = 5;

/** The clocks from which a `Clock` is made, each in milliseconds. */
export interface TimeSource {
  wall(): number;
  /** counts from the machine's boot, the same for all processes */
  monotonic(): number;
  /** different after each boot */
  boot: string;
}

/** Compares the two clocks, and reports when they diverge. */
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

/**
 * Remembers the current moment. The returned function returns that moment, by the wall clock as it is set at the time
 * of the call.
 */
export function markNow(clock: Clock): () => number {
  const at = clock.elapsed();
  return () => clock.now() - (clock.elapsed() - at);
}

/** Returns null if the machine is too busy to read both clocks at once. */
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

/** If the id cannot be read, this is empty, and no two servers can compare their clocks. */
function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return '';
  }
}
