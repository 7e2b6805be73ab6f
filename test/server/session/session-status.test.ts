import { expect, test } from 'vitest';
import { DEFAULT_THRESHOLDS, observeScreen, type StatusMemory } from '../../../src/core/status/index.ts';
import { createSessionStatus } from '../../../src/server/session/session-status.ts';
import { bash, FRAMES, hook, hooksOf } from '../../core/status/evidence-maker.ts';
import { ManualClock } from '../../harness/manual-clock.ts';

test('what is remembered of the dialogs is kept whenever it changes, also if no client shows the change, and only then', () => {
  const clock = new ManualClock(0);
  let kept: StatusMemory['shown'] = [];
  let times = 0;
  const keep = (shown: StatusMemory['shown']): void => {
    kept = shown;
    times += 1;
  };
  const status = createSessionStatus({
    ...{ clock, thresholds: DEFAULT_THRESHOLDS, observe: observeScreen, movedMs: 0, memory: null, json: undefined },
    hooks: hooksOf(hook(0, 'UserPromptSubmit')),
    onChange: ({ shown }, before) => {
      if (shown !== before?.shown) keep(shown);
    },
    onSeenForms: () => undefined,
    onShown: keep,
  });
  const see = (at: number, what: () => void): void => {
    clock.advance(at - clock.now());
    what();
    expect(kept).toEqual(status.memory().shown);
  };
  see(100, () => status.seeScreen(FRAMES.permission, 100));
  see(1_000, () => status.seeHook(hook(90, 'PreToolUse', bash('a'))));
  see(1_100, () => status.seeHook(hook(91, 'PermissionRequest', { ...bash('a'), tool_use_id: undefined })));
  expect(kept).toMatchObject([{ isAsked: true }]);
  const before = times;
  for (const at of [1_200, 1_300, 1_400]) see(at, () => status.seeScreen(FRAMES.permission, at));
  expect(times).toBe(before);
  status.dispose();
});
