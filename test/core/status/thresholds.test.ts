import { expect, test } from 'vitest';
import { thresholdsOf } from '../../../src/core/settings/index.ts';
import {
  advanceStatus,
  DEFAULT_THRESHOLDS,
  type Evidence,
  type ScreenFrame,
  type Thresholds,
  userObserver,
} from '../../../src/core/status/index.ts';
import { SETTING_ROWS, type Settings } from '../../../src/protocol/index.ts';
import { evidenceOf, FRAMES, hook, hooksOf, registryOf } from './evidence-maker.ts';

const T = 100_000;
const started = hook(T - 50_000, 'SessionStart', { source: 'startup' });
const prompted = hook(T, 'UserPromptSubmit', { prompt: 'go on' });

/** The evidence `nowMs` after T, with frames at their times after T. */
interface Case {
  threshold: keyof Thresholds;
  evidence: Partial<Evidence>;
  frames: readonly [afterMs: number, frame: ScreenFrame][];
  nowMs: number;
  /** the status with the default thresholds, and with this one at twenty seconds */
  says: [short: string, long: string];
}

const CASES: readonly Case[] = [
  {
    threshold: 'stuckMs',
    evidence: {},
    frames: [[0, FRAMES.thinking]],
    nowMs: 15_000,
    says: ['stuck', 'active/thinking'],
  },
  {
    threshold: 'spinnerSettleMs',
    evidence: {},
    frames: [
      [-9_000, FRAMES.blank],
      [-8_000, FRAMES.fresh],
      [0, FRAMES.thinking],
    ],
    nowMs: 300,
    says: ['active/thinking', 'idle/ready'],
  },
  {
    threshold: 'promptSettleMs',
    evidence: {},
    frames: [
      [-9_000, FRAMES.blank],
      [-8_000, FRAMES.thinking],
      [0, FRAMES.idle],
    ],
    nowMs: 300,
    says: ['idle/waiting_input', 'active/thinking'],
  },
  {
    threshold: 'silentEndMs',
    evidence: { hooks: hooksOf(started, prompted) },
    frames: [
      [100, FRAMES.thinking],
      [2_000, FRAMES.idle],
    ],
    nowMs: 3_000,
    says: ['idle/waiting_input', 'active/thinking'],
  },
  {
    threshold: 'drawLagMs',
    evidence: { registry: registryOf('busy', T + 100) },
    frames: [[0, FRAMES.idle]],
    nowMs: 2_000,
    says: ['idle/waiting_input', 'active/thinking'],
  },
  {
    threshold: 'staleScreenMs',
    evidence: { registry: registryOf('waiting', T + 4_000, 'permission prompt') },
    frames: [[0, FRAMES.thinking]],
    nowMs: 8_000,
    says: ['waiting/permission', 'active/thinking'],
  },
];

function say({ evidence, frames, nowMs }: Case, thresholds: Thresholds): string {
  const observe = userObserver([], thresholds);
  let screen: Evidence['screen'] = null;
  for (const [afterMs, shown] of frames) screen = observe(screen, shown, T + afterMs);
  const { memory } = advanceStatus(null, { evidence: evidenceOf({ ...evidence, screen }), now: T + nowMs, thresholds });
  return [memory.primary, memory.detail].filter((word) => word !== null).join('/');
}

test.each(CASES)('$threshold changes the status', (one) => {
  expect(say(one, DEFAULT_THRESHOLDS)).toBe(one.says[0]);
  expect(say(one, { ...DEFAULT_THRESHOLDS, [one.threshold]: 20_000 })).toBe(one.says[1]);
});

test('there is a case for each, and each has its own setting', () => {
  expect(CASES.map(({ threshold }) => threshold)).toEqual(Object.keys(DEFAULT_THRESHOLDS));
  const names = SETTING_ROWS.map(({ name }) => name);
  const settings = Object.fromEntries(names.map((name, index) => [name, index])) as unknown as Settings;
  const set = Object.values(thresholdsOf(settings)).map((index) => names[index]);
  expect(set).toEqual([
    'stuck_threshold_ms',
    'status_spinner_settle_ms',
    'status_prompt_settle_ms',
    'status_silent_end_ms',
    'status_draw_lag_ms',
    'status_stale_screen_ms',
  ]);
});
