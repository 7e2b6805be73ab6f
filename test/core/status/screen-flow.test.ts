import { describe, expect, test } from 'vitest';
import { createTimeline, DEFAULT_THRESHOLDS, type TimelineEntry } from '../../../src/core/status/index.ts';
import { frame, RULE } from './evidence-maker.ts';

const SPINNER_ROW = 2;
/** How long the last frame must be shown before it counts. */
const SETTLED_MS = 300;

interface Shown {
  /** time since the previous frame */
  afterMs?: number;
  /** the highlight's column; null while the highlight is away */
  col: number | null;
  isWhole?: boolean;
  /** the colour of the spinner's sign */
  colour?: number;
  conversation?: string;
}

/** Returns the status at the end of these frames, or that long after the last one. */
function read(frames: readonly Shown[], { laterMs = SETTLED_MS }: { laterMs?: number } = {}): string {
  const said: TimelineEntry[] = [];
  const timeline = createTimeline({ thresholds: DEFAULT_THRESHOLDS, onChange: (entry) => said.push(entry) });
  let at = 0;
  for (const { afterMs = 50, col, isWhole = true, colour = 174, conversation = '> go on' } of frames) {
    at += afterMs;
    const lines = [conversation, '', '✻ Brewing… (esc to interrupt)', '', RULE, '> ', RULE, '  ? for shortcuts'];
    const highlight = col === null ? null : { col, isWhole };
    timeline.see(frame(lines, { spinner: { row: SPINNER_ROW, colour, highlight } }), at);
  }
  timeline.runUntil(at + laterMs);
  const { primary, detail } = said.at(-1) ?? {};
  return `${primary}/${detail}`;
}

const SENDING: readonly Shown[] = [2, 2.5, 3, 4, 5, null].map((col) => ({ col }));
const RECEIVING: readonly Shown[] = [8, 7, 6, null].map((col) => ({ col, afterMs: 200 }));

describe("while no part of an answer is drawn, the spinner's highlight shows whether one is arriving", () => {
  test('to the right while a request is pending, to the left while its answer arrives, even while the highlight is away', () => {
    expect(read(SENDING)).toBe('active/thinking');
    expect(read([...SENDING, ...RECEIVING])).toBe('active/responding');
    expect(read([...SENDING, ...RECEIVING, { col: null, afterMs: 4_000 }])).toBe('active/responding');
    expect(read([...SENDING, ...RECEIVING, ...SENDING])).toBe('active/thinking');
  });

  test('to the left means nothing if it never runs to the right', () => {
    expect(read(RECEIVING)).toBe('active/thinking');
    // The words have changed, and the highlight jumps with them.
    expect(read([{ col: 4 }, { col: 9 }, ...RECEIVING])).toBe('active/thinking');
  });

  test('two runs do not count as one', () => {
    expect(read([...SENDING.slice(0, -1), { col: 2, afterMs: 1_500 }])).toBe('active/thinking');
  });

  test('if it stays away longer than between two runs to the right, an answer is arriving, although nothing is drawn', () => {
    expect(read(SENDING, { laterMs: 1_500 })).toBe('active/thinking');
    expect(read(SENDING, { laterMs: 2_400 })).toBe('active/responding');
    // The next frames continue from there.
    expect(read([...SENDING, { col: 8, afterMs: 3_000 }])).toBe('active/responding');
    expect(read([...SENDING, { col: 2, afterMs: 3_000 }, ...SENDING.slice(1)])).toBe('active/thinking');
    expect(read([...SENDING, { col: null, afterMs: 3_000, conversation: '> go on, please' }])).toBe('active/thinking');
  });

  test('this means nothing if it was never seen running to the right', () => {
    expect(read([{ col: 8 }, { col: 7, afterMs: 200 }, { col: null, afterMs: 200 }], { laterMs: 4_000 })).toBe(
      'active/thinking',
    );
  });

  test('nor if the spinner fades because nothing has arrived: there is no highlight then', () => {
    const fading = [174, 173, 167, 131, 131, 131].map((colour) => ({ col: null, colour, afterMs: 600 }));
    expect(read([...SENDING, ...fading])).toBe('active/thinking');
    expect(read([...SENDING, ...RECEIVING, ...fading])).toBe('active/responding');
  });

  test('anything drawn above the spinner ends the reading: another request may follow', () => {
    const called = { conversation: '> go on, please' };
    expect(read([...SENDING, ...RECEIVING, { ...called, col: null }])).toBe('active/thinking');
    expect(read([...SENDING, ...RECEIVING, ...RECEIVING.map((shown) => ({ ...shown, ...called }))])).toBe(
      'active/responding',
    );
  });
});

describe('if the highlight always runs to the right, its pace shows whether an answer is arriving', () => {
  const COLS = [2, 2.5, 3, 4, 5, 6, 7, 8, 8.5, 9];
  /** Builds one run with steps of these lengths, after a pause of the given length. */
  const run = (stepsMs: readonly number[], awayMs = 500): Shown[] => [
    ...COLS.map((col, index) => ({
      col,
      isWhole: col >= 3 && col <= 8,
      afterMs: index === 0 ? awayMs : (stepsMs[index % stepsMs.length] ?? 0),
    })),
    { col: null, afterMs: 50 },
  ];
  const EVEN = run([50, 49, 51, 53, 47]);
  const UNEVEN = run([40, 78, 36, 75, 83]);

  test('even steps of 50 ms while a request is pending, uneven ones while its answer arrives', () => {
    expect(read([...EVEN, ...EVEN])).toBe('active/thinking');
    expect(read([...EVEN, ...EVEN, ...UNEVEN])).toBe('active/responding');
    expect(read([...EVEN, ...EVEN, ...run([30])])).toBe('active/responding');
    expect(read([...EVEN, ...EVEN, ...run([200])])).toBe('active/responding');
    expect(read([...EVEN, ...EVEN, ...UNEVEN, ...EVEN])).toBe('active/thinking');
  });

  test('a late step followed closely by the next one means nothing, nor do steps at the ends of the words', () => {
    expect(read([...EVEN, ...EVEN, ...run([50, 51, 50, 49, 84, 17, 49, 51, 50, 49])])).toBe('active/thinking');
    expect(read([...EVEN, ...EVEN, ...run([50, 20, 90, 50, 50, 50, 50, 50, 90, 20])])).toBe('active/thinking');
  });

  test('it means nothing on a machine that cannot keep the pace, nor if the highlight turns and is away for twice as long', () => {
    expect(read([...UNEVEN, ...UNEVEN, ...UNEVEN])).toBe('active/thinking');
    const turning = [...run([50], 1_000), ...run([50], 1_000)];
    expect(read([...turning, ...run([40, 78, 36, 75, 83], 1_000)])).toBe('active/thinking');
  });
});
