import { isDue, type SnoozeRule } from '../../core/attention/index.ts';
import type { Clock } from '../clock.ts';
import type { Dispose } from '../sessions.ts';

/** The longest delay of a single timer. Node limits a timer to 24 days, and timers pause while the machine sleeps. */
const MOST_MS = 24 * 60 * 60 * 1_000;

/** Runs one timer, for the snoozed session that is due next. */
export interface WakeTimer {
  /** Sets the timer again after a snooze rule or the clock has changed. */
  set(): void;
  dispose: Dispose;
}

/** @param options.rules returns the snooze rules in force, by session id */
export function createWakeTimer(options: {
  clock: Clock;
  rules: () => readonly (readonly [id: string, rule: SnoozeRule])[];
  wake: (id: string) => void;
}): WakeTimer {
  const { clock, rules, wake } = options;
  let cancel: Dispose | null = null;

  function set(): void {
    // The time must be read first: `now` may notice that the clock was set, and then calls this function again.
    const now = clock.now();
    cancel?.();
    cancel = null;
    const times = rules().flatMap(([, { until }]) => (until === null ? [] : [until]));
    if (times.length === 0) return;
    const next = times.reduce((soonest, time) => Math.min(soonest, time));
    cancel = clock.after(Math.min(Math.max(0, next - now), MOST_MS), wakeDue);
  }

  function wakeDue(): void {
    const now = clock.now();
    for (const [id, rule] of rules()) if (isDue(rule, now)) wake(id);
    set();
  }

  const stopNoticing = clock.onStep(set);
  return {
    set,
    dispose: () => {
      stopNoticing();
      cancel?.();
      cancel = null;
    },
  };
}
