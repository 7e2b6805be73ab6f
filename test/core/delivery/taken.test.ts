import { describe, expect, test } from 'vitest';
import { type DialogSeen, hasBegunTurn, type SeenAfter, watchForEnd } from '../../../src/core/delivery/taken.ts';
import { type Cover, readScreen } from '../../../src/core/status/index.ts';
import type { Question } from '../../../src/protocol/index.ts';

const text = 'count the tables';
const begun: SeenAfter = { primary: 'active', since: 20, cover: null, draft: null };

test.each<[string, SeenAfter, boolean]>([
  ['above an empty prompt says that a text was taken', begun, true],
  ['above a prompt with another text says so', { ...begun, draft: 'and then' }, true],
  ['above a prompt with the text does not', { ...begun, draft: text }, false],
  ['above a prompt with the text and more does not', { ...begun, draft: `${text} twice` }, false],
  ['below a transcript does not', { ...begun, cover: 'transcript' }, false],
  ['on a screen that is being drawn does not', { ...begun, cover: 'unknown' }, false],
  ['before the text was typed does not', { ...begun, since: 9 }, false],
])('a turn that began %s', (_, seen, taken) => {
  expect(hasBegunTurn(seen, { text, at: 10 })).toBe(taken);
});

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
    ['is gone when another of the same words is asked about', [see(DIALOG, null, 'q3')], [true]],
    [
      'is not gone below a transcript, nor while that closes, nor when it is seen again',
      [covered, closing, see(DIALOG, null, 'q2'), open],
      [false, false, false, false],
    ],
    ['is gone when a transcript closes over the prompt', [covered, closing, gone], [false, false, true]],
  ])('%s', (_, seen, ended) => {
    const isEnd = watchForEnd(question, open);
    expect(seen.map(isEnd)).toEqual(ended);
  });
});
