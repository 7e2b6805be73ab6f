import { describe, expect, test } from 'vitest';
import { type DialogSeen, watchForEnd } from '../../../src/core/answer/dialog-gone.ts';
import { type Cover, readScreen } from '../../../src/core/status/index.ts';
import type { Question } from '../../../src/protocol/index.ts';

describe('a dialog after its last key', () => {
  const RULE = '─'.repeat(80);
  const see = (shown: string, cover: Cover | null, questionId: string | null): DialogSeen => {
    const frame = { lines: shown.split('\n'), cursor: { row: 0, col: 0 }, cols: 80, rows: 30, dimRows: [] };
    return { view: { frame, dialog: readScreen(frame).dialog }, cover, questionId };
  };
  const DIALOG = `${RULE}\n Bash command\n touch ../a\n Do you want to proceed?\n ❯ 1. Yes\n   2. No\n\n Esc to cancel`;
  const open = see(DIALOG, null, 'q1');
  const covered = see('  dialog waiting · Showing detailed transcript · ctrl+o to toggle', 'transcript', 'q2');
  const closing = see('', 'unknown', 'q2');
  const gone = see(`${RULE}\n❯ \n${RULE}\n  ? for shortcuts`, null, null);
  const question: Question = {
    id: 'q1',
    kind: 'permission',
    text: 'touch ../a',
    tool: { name: 'Bash', input: { command: 'touch ../a' } },
    options: [],
    multi: false,
    questions: [],
    asked_at: '2026-11-21T10:00:00.000Z',
  };

  test.each<[string, DialogSeen[], boolean[]]>([
    ['is gone when the prompt is back', [open, gone], [false, true]],
    ['is gone when another one with the same words is open', [see(DIALOG, null, 'q3')], [true]],
    [
      'is not gone below a transcript, while the transcript closes, or when it is seen again',
      [covered, closing, see(DIALOG, null, 'q2'), open],
      [false, false, false, false],
    ],
    ['is gone when a transcript closes over the prompt', [covered, closing, gone], [false, false, true]],
  ])('%s', (_, seen, ended) => {
    const isEnd = watchForEnd(question, open);
    expect(seen.map(isEnd)).toEqual(ended);
  });
});
