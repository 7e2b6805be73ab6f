import { describe, expect, test } from 'vitest';
import {
  awaySince,
  firstLines,
  happenedIn,
  lastReply,
  NEVER_THERE,
  noteThere,
} from '../../../src/core/catchup/index.ts';
import type { Detail, StatusChange } from '../../../src/protocol/index.ts';
import { DETAILS } from '../../../src/protocol/status-words.ts';

type Told = Pick<StatusChange, 'at' | 'primary' | 'detail' | 'interrupted'>;
const at = (second: number): string => new Date(second * 1_000).toISOString();
const steps = (...details: (Detail | 'stuck' | 'dead' | null)[]): Told[] =>
  details.map((word, index) => {
    const base = { at: at(index) };
    if (word === 'stuck' || word === 'dead') return { ...base, primary: word, detail: null };
    return { ...base, primary: word === null ? null : DETAILS[word].primary, detail: word };
  });

const interrupted = (told: Told[], step: number): Told[] =>
  told.map((one, index) => (index === step ? { ...one, interrupted: true } : one));

describe('what happened follows from the changes of status', () => {
  test.each<[string, Told[], string[]]>([
    ['a turn', steps('thinking', 'using_tools', 'waiting_input'), ['finished -']],
    ['a turn that was interrupted', interrupted(steps('thinking', 'waiting_input'), 1), ['interrupted -']],
    [
      'a turn whose interrupt became known after its end',
      interrupted(steps('thinking', 'waiting_input', 'waiting_input', 'thinking'), 2),
      ['interrupted 2000'],
    ],
    [
      'a turn that only looked interrupted',
      interrupted(steps('thinking', 'waiting_input', 'waiting_input'), 1),
      ['finished -'],
    ],
    ['a turn that began before', steps('waiting_input'), ['finished -']],
    ['a session that has just started', steps('ready'), []],
    ['a status that was unknown for a while', steps('ready', null, 'waiting_input'), []],
    ['an error', steps('thinking', 'error'), ['failed -']],
    ['a limit', steps('thinking', 'limit', 'thinking'), ['limit 1000']],
    ['a question and its answer', steps('using_tools', 'permission', 'using_tools'), ['asked permission 1000']],
    ['an open question', steps('thinking', 'plan'), ['asked plan -']],
    ['a stuck turn', steps('thinking', 'stuck', 'thinking', 'waiting_input'), ['stuck 1000', 'finished -']],
    ['an end', steps('thinking', 'dead'), ['stopped -']],
    ['an end that was known before', steps('dead'), []],
    ['a repeated status', steps('permission', 'permission', 'thinking'), ['asked permission 2000']],
  ])('%s', (_, changes, events) => {
    const told = happenedIn(changes).map(({ kind, question, lasted_ms }) =>
      [kind, ...(question === null ? [] : [question]), lasted_ms ?? '-'].join(' '),
    );
    expect(told).toEqual(events);
  });

  test('and only the last hundred events are kept', () => {
    const many = Array.from({ length: 250 }, (): Detail[] => ['thinking', 'permission']).flat();
    expect(happenedIn(steps(...many))).toHaveLength(100);
  });
});

describe('a person is away after a quarter of an hour without a sign', () => {
  const MINUTE = 60_000;
  test.each<[string, number[], number, number | null]>([
    ['never there', [], 100, null],
    ['there all the time', [0, 10, 20], 25, null],
    ['away now', [0, 10], 30, 10],
    ['back again', [0, 10, 60, 65], 66, 10],
    ['away and back twice', [0, 60, 120], 121, 60],
    ['a clock that was set back', [60, 10], 12, null],
  ])('%s', (_, signs, now, since) => {
    const there = signs.reduce((before, minute) => noteThere(before, minute * MINUTE), NEVER_THERE);
    const found = awaySince(there, now * MINUTE);
    expect(found === null ? null : found / MINUTE).toBe(since);
  });
});

test('the first lines of the last reply are shown', () => {
  expect(firstLines('\n\none\n\ntwo\nthree\nfour')).toBe('one\ntwo\nthree …');
  expect(firstLines('x'.repeat(500))).toBe(`${'x'.repeat(400)} …`);
  expect(firstLines(' \n')).toBeNull();
  const said = (second: number, type: string, content: unknown) => ({
    ...{ seq: second, timestamp: second },
    event: { type, message: { content } },
  });
  const events = [
    said(1, 'assistant', [{ type: 'text', text: 'before' }]),
    said(2, 'assistant', [
      { type: 'text', text: 'done' },
      { type: 'tool_use', name: 'Bash' },
    ]),
    said(3, 'assistant', [{ type: 'tool_use', name: 'Bash' }]),
    said(4, 'user', 'thanks'),
  ];
  expect(lastReply(events, 2_000)).toBe('done');
  expect(lastReply(events, 3_000)).toBeNull();
  expect(lastReply([], 0)).toBeNull();
});
