import { describe, expect, test } from 'vitest';
import { NO_HOOKS, observeHook } from '../../../src/core/status/index.ts';
import { keepEvidence, restoreHooks } from '../../../src/server/session/kept-evidence.ts';
import { ManualClock } from '../../harness/manual-clock.ts';

const HOUR_MS = 3_600_000;

/** Returns what hooks reported before: a prompt, and a call that has not ended. */
function someHooks(clock: ManualClock) {
  const prompted = observeHook(NO_HOOKS, { at: clock.now(), event: 'UserPromptSubmit', payload: { prompt: 'do it' } });
  clock.advance(2_000);
  return observeHook(prompted, {
    at: clock.now(),
    event: 'PreToolUse',
    payload: { tool_name: 'Bash', tool_use_id: 'a' },
  });
}

/** Converts a value as SQLite stores and returns it. */
const through = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe('evidence that a former server stored', () => {
  test.each([-HOUR_MS, HOUR_MS, 2 * HOUR_MS, 0])(
    'has the right age, although the clock was set by %i ms since',
    (byMs) => {
      const clock = new ManualClock();
      const hooks = someHooks(clock);
      const ageMs = clock.now() - (hooks.lastAt ?? 0);
      const kept = through(keepEvidence(hooks, 0, clock));
      clock.step(byMs);
      clock.advance(10_000);
      const { evidence, movedMs } = restoreHooks(kept, clock);
      expect(clock.now() - (evidence.lastAt ?? 0)).toBe(ageMs + 10_000);
      expect((evidence.tools[0]?.at ?? 0) - (evidence.prompt?.at ?? 0)).toBe(2_000);
      expect(movedMs).toBe(byMs);
    },
  );

  test('by an older CBOS, or before a reboot, is never in the future, and keeps its order', () => {
    const clock = new ManualClock();
    const hooks = someHooks(clock);
    const old = through(hooks);
    const rebooted = through({ ...hooks, kept: { clock: { boot: 'another', offset_ms: 0 }, moved_ms: 0 } });
    clock.step(-HOUR_MS);
    for (const kept of [old, rebooted]) {
      const { evidence } = restoreHooks(kept, clock);
      expect(evidence.lastAt).toBe(clock.now());
      expect((evidence.tools[0]?.at ?? 0) - (evidence.prompt?.at ?? 0)).toBe(2_000);
    }
  });

  test('that is empty stays empty', () => {
    expect(restoreHooks(null, new ManualClock())).toEqual({ evidence: NO_HOOKS, movedMs: 0 });
  });
});
