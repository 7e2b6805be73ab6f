import { describe, expect, test } from 'vitest';
import { observeScreen, type ScreenEvidence } from '../../../src/core/status/index.ts';
import { frame, RULE } from './evidence-maker.ts';

const SPINNER_ROW = 2;

interface Shown {
  /** from the frame before */
  afterMs?: number;
  /** the highlight's column; null: it is away */
  col: number | null;
  conversation?: string;
}

/** What is read at the end of these frames. */
function read(frames: readonly Shown[]): string {
  let screen: ScreenEvidence | null = null;
  let at = 0;
  for (const { afterMs = 50, col, conversation = '> go on' } of frames) {
    at += afterMs;
    const lines = [conversation, '', '✻ Brewing… (esc to interrupt)', '', RULE, '> ', RULE, '  ? for shortcuts'];
    screen = observeScreen(screen, frame(lines, { glimmer: col === null ? null : { row: SPINNER_ROW, col } }), at);
  }
  return `${screen?.reading.primary}/${screen?.reading.detail}`;
}

const SENDING: readonly Shown[] = [2, 2.5, 3, 4, 5, null].map((col) => ({ col }));
const RECEIVING: readonly Shown[] = [8, 7, 6, null].map((col) => ({ col, afterMs: 200 }));

describe('while nothing of an answer is drawn, the highlight on the spinner tells whether it comes', () => {
  test('to the right a request is out, to the left its answer comes, also while the highlight is away', () => {
    expect(read(SENDING)).toBe('active/thinking');
    expect(read([...SENDING, ...RECEIVING])).toBe('active/responding');
    expect(read([...SENDING, ...RECEIVING, { col: null, afterMs: 4_000 }])).toBe('active/responding');
    expect(read([...SENDING, ...RECEIVING, ...SENDING])).toBe('active/thinking');
  });

  test('to the left says nothing where it never runs to the right', () => {
    expect(read(RECEIVING)).toBe('active/thinking');
    // The words have changed, and the highlight jumps with them.
    expect(read([{ col: 4 }, { col: 9 }, ...RECEIVING])).toBe('active/thinking');
  });

  test('two runs are not taken for one', () => {
    expect(read([...SENDING.slice(0, -1), { col: 2, afterMs: 1_500 }])).toBe('active/thinking');
  });

  test('what is drawn above the spinner ends what was told: another request may follow', () => {
    const called = { conversation: '> go on, please' };
    expect(read([...SENDING, ...RECEIVING, { ...called, col: null }])).toBe('active/thinking');
    expect(read([...SENDING, ...RECEIVING, ...RECEIVING.map((shown) => ({ ...shown, ...called }))])).toBe(
      'active/responding',
    );
  });
});
