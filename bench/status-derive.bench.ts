import {
  advanceStatus,
  DEFAULT_THRESHOLDS,
  NO_HOOKS,
  observeScreen,
  type ScreenEvidence,
  type ScreenFrame,
  type StatusMemory,
} from '../src/core/status/index.ts';
import type { Figure } from './figures.mjs';

export const about =
  'the status from a full 200×50 screen that changes with every frame: reading the screen and deriving the status together';

const COLS = 200;
const ROWS = 50;
const ROUNDS = 5_000;
const WARM_UP = 500;

export async function measure(): Promise<Figure[]> {
  const busy = timePerFrame((round) => screen(round, ['✻ Garnishing… (3s · ↓ 20 tokens)', '', ...prompt()]));
  const idle = timePerFrame((round) => screen(round, ['✻ Crunched for 2s · done 2:55 PM', '', ...prompt()]));
  const dialog = timePerFrame((round) => screen(round, DIALOG));
  const copied = timeOf((round) => JSON.stringify(screen(round, prompt())).length);
  return [
    { name: 'a turn runs', value: busy, unit: 'ms', limit: 0.2 },
    { name: 'the prompt is up', value: idle, unit: 'ms', limit: 0.2 },
    { name: 'a permission is asked', value: dialog, unit: 'ms', limit: 0.2 },
    {
      name: 'slowest of these against JSON.stringify of the frame',
      value: Math.max(busy, idle, dialog) / copied,
      unit: 'times',
    },
  ];
}

const RULE = '─'.repeat(COLS);
const prompt = (): string[] => [RULE, '❯ ', RULE, '  ? for shortcuts'];
const DIALOG = [
  RULE,
  ' Bash command',
  '   npm test',
  ' Do you want to proceed?',
  ' ❯ 1. Yes',
  '   2. Yes, and don’t ask again for npm test commands in /home/user/project',
  '   3. No',
  '',
  ' Esc to cancel · Tab to amend',
];

/**
 * Returns a frame with a conversation that fills the window above the given lines. Each line of the conversation
 * changes in every round.
 */
function screen(round: number, bottom: readonly string[]): ScreenFrame {
  const lines = Array.from({ length: ROWS - bottom.length }, (_, row) =>
    row % 7 === 0
      ? `● Read(src/part-${round}-${row}.ts)`
      : row % 7 === 6
        ? ''
        : `  line ${round} ${row} ${'explains the module '.repeat(8)}`,
  );
  return { lines: [...lines, ...bottom], cursor: { row: ROWS - 3, col: 2 }, cols: COLS, rows: ROWS, dimRows: [] };
}

function timePerFrame(frameOf: (round: number) => ScreenFrame): number {
  let shown: ScreenEvidence | null = null;
  let memory: StatusMemory | null = null;
  return timeOf((round) => {
    shown = observeScreen(shown, frameOf(round), round * 50);
    const evidence = { process: null, screen: shown, hooks: NO_HOOKS, registry: null };
    memory = advanceStatus(memory, { evidence, now: round * 50, thresholds: DEFAULT_THRESHOLDS }).memory;
    return memory.since;
  });
}

/** Returns the milliseconds per call, without the time that it takes to create the frame. */
function timeOf(work: (round: number) => number): number {
  let sum = 0;
  const run = (from: number, to: number, step: (round: number) => number): number => {
    const startedAt = performance.now();
    for (let round = from; round < to; round++) sum += step(round);
    return (performance.now() - startedAt) / (to - from);
  };
  run(0, WARM_UP, work);
  const whole = run(WARM_UP, WARM_UP + ROUNDS, work);
  const making = run(0, ROUNDS, (round) => screen(round, DIALOG).lines.length);
  if (!Number.isFinite(sum)) throw new Error('nothing was measured');
  return Math.max(0, whole - making);
}
