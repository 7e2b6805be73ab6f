import { expect, test } from 'vitest';
import { derive, type ScreenFrame } from '../../../src/core/status/index.ts';
import { evidenceOf, hook, hooksOf, registryOf, screenOf } from './evidence-maker.ts';

const COLS = 100;
const RULE = '─'.repeat(COLS);
const MARK = '  ⎿  Interrupted · What should Claude do instead?';
const DONE = '✻ Brewed for 2s · done 3:32 PM';

/** A window as 2.1.330 draws it, with an empty box below the conversation. */
function frame(...conversation: string[]): ScreenFrame {
  const lines = [...conversation, '', RULE, '❯', RULE, '  ⏸ manual mode on · ? for shortcuts'];
  return { lines, cols: COLS, rows: lines.length, cursor: { row: lines.length - 3, col: 2 }, dimRows: [] };
}

/** The status after the prompt `go on`, whose end no hook has reported. */
const after = (screen: ScreenFrame) =>
  derive(
    evidenceOf({
      hooks: hooksOf(hook(0, 'SessionStart', { source: 'startup' }), hook(10, 'UserPromptSubmit', { prompt: 'go on' })),
      screen: screenOf([20, screen]),
      registry: registryOf('idle', 2_100),
    }),
    10_000,
  );

test.each([
  ['with the mark of an interrupt', frame('❯ go on', '', '● Let me see.', MARK), true],
  ['before its first answer, so that its prompt is gone', frame('❯ hello', '', '● Hello!', '', DONE), true],
  [
    'with an answer, and the hook of its end is late or lost',
    frame('❯ go on', '', '● It is done.', '', DONE),
    undefined,
  ],
])('a turn whose end no hook reports and that ended %s', (_, screen, isInterrupted) => {
  const verdict = after(screen);
  expect(verdict.primary).toBe('idle');
  expect(verdict.isInterrupted).toBe(isInterrupted);
});
