import { readFileSync } from 'node:fs';
import { Emitter } from '../emitter/emitter.ts';
import type { Dispose } from './sessions.ts';

/**
 * The offset between the wall clock and the monotonic clock. Comparing two settings from the same boot shows how far
 * the wall clock was moved in between.
 */
export interface ClockSetting {
  boot: string;
  /** the wall clock minus the monotonic one, in whole milliseconds */
  offset_ms: number;
}

/** The server's source of time. `main.ts` passes in the real clock. */
export interface Clock {
  /**
   * The wall-clock time in Unix milliseconds. It is the time that people read and that other programs put into
   * timestamps. The wall clock may be set at any moment; see `onStep`.
   */
  now(): number;
  /**
   * A count of milliseconds that never decreases, even if the wall clock is set. Use it for durations. It does not
   * advance while the machine sleeps.
   */
  elapsed(): number;
  /** Runs `work` once after the delay. The timer does not keep the process alive. */
  after(delayMs: number, work: () => void): Dispose;
  /**
   * Calls the listener with the size of the step, in whole milliseconds, when the wall clock has been set (by NTP, or
   * on resume). Listeners run before any caller of `now` sees the new time, so they can shift the wall-clock times that
   * they have stored.
   */
  onStep(listener: (byMs: number) => void): Dispose;
  /** The clock's current setting, to be stored along with timestamps. */
  setting(): ClockSetting;
}

/**
 * The smallest jump of the wall clock that counts as a step. NTP corrects smaller errors gradually, and no rule about
 * the order of evidence depends on them.
 */
const LEAST_STEP_MS = 100;
/**
 * The longest time allowed between reading one clock and reading the other. If the thread is delayed between the two
 * readings, it measures a step that never happened.
 */
const MOST_APART_MS = 5;
const READINGS = 5;

/** The two clocks that a `Clock` is built from, both in milliseconds. */
export interface TimeSource {
  wall(): number;
  /** milliseconds since the machine booted, the same in every process */
  monotonic(): number;
  /** an id that changes with each boot of the machine */
  boot: string;
}

/** Compares the wall clock with the monotonic clock, and reports when they diverge. */
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
 * Remembers the current moment. The returned function converts that moment to wall-clock time, using the wall clock's
 * setting at the time of the call.
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

/** Returns an empty string if the boot id cannot be read. Two servers then cannot compare their clocks. */
function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return '';
  }
}
