import { describe, expect, test } from 'vitest';
import { observeScreen, readScreen, type ScreenFrame } from '../../../src/core/status/index.ts';

const COLS = 100;
const RULE = '─'.repeat(COLS);

/** Returns a window as 2.1.330 draws it: the conversation, the prompt, the user's status line, its own line. */
function frame({ own, said = [], statusLine }: { own: string; said?: string[]; statusLine: string[] }): ScreenFrame {
  const above = ['❯ hello', '', '● Hello! I am ready when you are.', ...said, ''];
  const lines = [...above, RULE, '❯', RULE, ...statusLine, own];
  return { lines, cols: COLS, rows: lines.length, cursor: { row: above.length + 1, col: 2 }, dimRows: [] };
}

const IDLE = '  ⏸ manual mode on · ← for agents';
const RUNNING = '  ⏸ manual mode on · esc to interrupt · ← for agents';

describe("the user's status line is not mistaken for Claude Code's own line:", () => {
  test.each([
    ['the hint of a turn', ['  12:00:01 esc to interrupt']],
    ['only the hint of a turn', ['  esc to interrupt']],
    ["Claude Code's own line, word for word", [RUNNING]],
    ['the search', ['  12:00:01', '  search prompts: x']],
    ['the list of agents', ['  enter to return · space to reply']],
  ])('%s', (_, statusLine) => {
    const idle = readScreen(frame({ own: IDLE, statusLine }));
    expect([idle.primary, idle.detail, idle.cover]).toEqual(['idle', 'waiting_input', null]);
    const running = readScreen(frame({ own: RUNNING, statusLine }));
    expect([running.primary, running.rule, running.cover]).toEqual(['active', 'screen.footer.interrupt', null]);
  });
});

test('an agent that the model named after the hint of a turn is not a turn', () => {
  const shown = frame({ own: IDLE, statusLine: [] });
  const lines = [...shown.lines, '   ● main', '   ◯ general-purpose  · esc to interrupt  3s'];
  expect(readScreen({ ...shown, lines, rows: lines.length }).primary).toBe('idle');
});

test('a status line that changes every second is no progress of a turn, but more of the answer is', () => {
  const at = (second: number, said: string[] = []) =>
    frame({ own: RUNNING, said, statusLine: [`  it is 12.00.0${second}`] });
  const first = observeScreen(null, at(1), 1_000);
  const ticked = observeScreen(first, at(2), 2_000);
  expect(ticked.progressedAt).toBe(1_000);
  expect(ticked.changedAt).toBe(2_000);
  expect(observeScreen(ticked, at(3, ['  And more.']), 3_000).progressedAt).toBe(3_000);
});
