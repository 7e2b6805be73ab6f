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
  test('tells a step to whoever keeps times before it tells the time', () => {
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

  test('calls a sleep of the machine a step: its timers stood still', () => {
    const { machine, clock, steps } = someMachine();
    machine.wallMs += 8 * HOUR_MS;
    clock.now();
    expect(steps).toEqual([8 * HOUR_MS]);
  });

  test('takes time that passes, and what NTP adjusts, for no step', () => {
    const { machine, clock, steps, pass } = someMachine();
    for (let hour = 0; hour < 24; hour += 1) {
      pass(HOUR_MS);
      machine.wallMs += 1;
      clock.now();
    }
    expect(steps).toEqual([]);
  });

  test('believes no reading between whose halves the thread was held up', () => {
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

  test('tells a moment by the clock of later, and is heard no more once that is asked', () => {
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
