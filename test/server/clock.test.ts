import { describe, expect, onTestFinished, test } from 'vitest';
import { createClock, markNow } from '../../src/server/clock.ts';

const HOUR_MS = 3_600_000;

/** The two clocks of a machine, which a test can set. */
function someMachine() {
  const machine = { wallMs: Date.UTC(2026, 10, 22), monotonicMs: 5_000 };
  const clock = createClock({ wall: () => machine.wallMs, monotonic: () => machine.monotonicMs, boot: 'one' });
  const steps: number[] = [];
  const stop = clock.onStep((byMs) => steps.push(byMs));
  onTestFinished(stop);
  const pass = (ms: number): void => {
    machine.wallMs += ms;
    machine.monotonicMs += ms;
  };
  return { machine, clock, steps, stop, pass };
}

describe("the server's clock", () => {
  test('reports a step to everything that stores times before it returns the new time', () => {
    const { machine, clock, steps, pass } = someMachine();
    pass(1_000);
    clock.now();
    machine.wallMs -= HOUR_MS;
    const told: number[] = [];
    onTestFinished(clock.onStep(() => told.push(clock.now())));
    expect(clock.now()).toBe(machine.wallMs);
    expect([steps, told]).toEqual([[-HOUR_MS], [machine.wallMs]]);
    machine.wallMs += 2 * HOUR_MS;
    clock.now();
    expect(steps).toEqual([-HOUR_MS, 2 * HOUR_MS]);
  });

  test('treats a sleep of the machine as a step, because its timers stood still', () => {
    const { machine, clock, steps } = someMachine();
    machine.wallMs += 8 * HOUR_MS;
    clock.now();
    expect(steps).toEqual([8 * HOUR_MS]);
  });

  test('does not treat passing time, and adjustments by NTP, as a step', () => {
    const { machine, clock, steps, pass } = someMachine();
    for (let hour = 0; hour < 24; hour += 1) {
      pass(HOUR_MS);
      machine.wallMs += 1;
      clock.now();
    }
    expect(steps).toEqual([]);
  });

  test('does not believe a reading during which the thread was delayed', () => {
    const machine = { wallMs: 1_000_000, monotonicMs: 0 };
    let heldUp = 0;
    const clock = createClock({
      wall: () => {
        if (heldUp > 0) {
          heldUp -= 1;
          machine.monotonicMs += 900;
          machine.wallMs += 900;
        }
        return machine.wallMs - (heldUp > 0 ? 900 : 0);
      },
      monotonic: () => machine.monotonicMs,
      boot: 'one',
    });
    const steps: number[] = [];
    onTestFinished(clock.onStep((byMs) => steps.push(byMs)));
    heldUp = 3;
    clock.now();
    expect(steps).toEqual([]);
  });

  test('gives a moment by the later clock, and needs no listener once that was requested', () => {
    const { machine, clock, steps, stop, pass } = someMachine();
    const moment = markNow(clock);
    pass(500);
    machine.wallMs -= HOUR_MS;
    expect(moment()).toBe(machine.wallMs - 500);
    stop();
    machine.wallMs += HOUR_MS;
    clock.now();
    expect(steps).toEqual([-HOUR_MS]);
  });
});
