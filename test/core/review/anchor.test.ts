import { describe, expect, test } from 'vitest';
import { anchorLines, commentedLines } from '../../../src/core/review/anchor.ts';
import { answerTo } from '../../../src/core/review/answer.ts';
import type { StoredEvent } from '../../../src/protocol/index.ts';

const file = (text: string): string[] => text.split(' ');
/** Comments on lines of the first text, and returns where these lines are in the second text. */
function follow(before: string, [line, endLine]: [number, number], after: string | null): string {
  const commented = commentedLines(file(before), line, endLine);
  if (commented === null) return 'none';
  const { state, line: from, end_line: to } = anchorLines(commented, after === null ? null : file(after));
  return from === null ? state : `${state} ${from}-${to}`;
}

test.each([
  ['nothing has changed', 'a b c d', [2, 2], 'a b c d', 'here 2-2'],
  ['lines were added above', 'a b c d', [2, 3], 'x y a b c d', 'moved 4-5'],
  ['lines were removed above', 'a b c d e', [4, 4], 'c d e', 'moved 2-2'],
  ['lines around it have changed', 'a b c d', [2, 2], 'x b y', 'here 2-2'],
  ['the line itself has changed', 'a b c d', [2, 2], 'a B c d', 'outdated'],
  ['one line of several has changed', 'a b c d', [2, 3], 'a b C d', 'outdated'],
  ['the file is gone', 'a b', [1, 1], null, 'outdated'],
  [
    'of identical lines, the one with the old lines around it counts',
    'a } b } c',
    [4, 4],
    'a } x } y } b } c',
    'moved 8-8',
  ],
  ['lines without content are never chosen by accident', 'a } b', [2, 2], 'x y z }', 'outdated'],
  ['a line that exists only once is found anywhere', 'a name b', [2, 2], 'x y z name q', 'moved 4-4'],
  ['of equal places, the nearest counts', 'q x q q x q', [5, 5], 'q x q q x q', 'here 5-5'],
  ['at the end of a file', 'a b }', [3, 3], 'a b c }', 'moved 4-4'],
  ['lines that the file lacks cannot be commented on', 'a b', [2, 3], 'a b', 'none'],
  ['nor an empty range', 'a b', [2, 1], 'a b', 'none'],
] as const)('%s', (_, before, lines, after, expected) => {
  expect(follow(before, [lines[0], lines[1]], after)).toBe(expected);
});

describe('the answer of a session', () => {
  const prompt = 'Review of your changes, round 1: 1 comment.\n\n1. a.txt, line 2:\n> two\nUse a number.';
  const user = (text: unknown) => ({ type: 'user', message: { content: text } });
  const said = (text: string, more: object = {}) => ({
    type: 'assistant',
    message: { content: [{ type: 'text', text }] },
    ...more,
  });
  const answer = (...events: object[]) =>
    answerTo(
      prompt,
      events.map((event, seq) => ({ seq, timestamp: 0, event }) as StoredEvent),
    );

  test('is its last text in the turn of the prompt', () => {
    expect(answer(user('hello'), said('hi'))).toBe(null);
    expect(answer(user(prompt))).toEqual({ text: null, isOver: false });
    const turn = [
      user(prompt),
      said('I look at it.'),
      user([{ type: 'tool_result', content: 'ok' }]),
      said('an agent', { parent_tool_use_id: 't1' }),
      said('1: it is 2 now.'),
    ];
    expect(answer(...turn)).toEqual({ text: '1: it is 2 now.', isOver: false });
    expect(answer(...turn, user('more'), said('of another turn'))).toEqual({ text: '1: it is 2 now.', isOver: true });
  });

  test('is found whatever Claude Code changed in the blanks of the prompt', () => {
    const typed = prompt.replaceAll('\n\n', '\n').replaceAll('> two', '>  two ');
    expect(answer(user([{ type: 'text', text: `<pasted_content>${typed}</pasted_content>` }]), said('done'))).toEqual({
      text: 'done',
      isOver: false,
    });
  });
});
