import { describe, expect, test } from 'vitest';
import { decidedOn, type Outcome, outcomeOf, type SeenSinceReply } from '../../../src/core/answer/outcome.ts';
import type { Reply } from '../../../src/core/answer/reply.ts';
import type { QuestionKind } from '../../../src/protocol/index.ts';

const NOTHING: SeenSinceReply = {
  isOpen: true,
  primary: 'waiting',
  endedInput: null,
  followed: null,
  isEveryEndReported: true,
  decided: 0,
  interrupted: 0,
};
const gone = (seen: Partial<SeenSinceReply>): SeenSinceReply => ({ ...NOTHING, isOpen: false, ...seen });

const YES: Reply = { behavior: 'allow', updatedInput: { command: 'ls' } };
const NO: Reply = { behavior: 'deny', message: 'no', interrupt: true };
const REASON: Reply = { behavior: 'deny', message: 'use docs/' };
const ANSWER: Reply = { behavior: 'allow', updatedInput: { questions: [], answers: { 'Which one?': 'A' } } };

describe('the outcome of a reply', () => {
  test.each<[string, Reply, QuestionKind, SeenSinceReply, Outcome]>([
    ['nothing is seen yet', YES, 'permission', NOTHING, 'open'],
    ['a yes: the call runs', YES, 'permission', gone({ primary: 'active' }), 'taken'],
    [
      'a yes: the call has ended, the dialog is still drawn',
      YES,
      'permission',
      { ...NOTHING, endedInput: {} },
      'taken',
    ],
    ['a yes: the next dialog is open', YES, 'permission', gone({ primary: 'waiting' }), 'taken'],
    [
      'a yes: the turn is over and ended normally, in a version that does not report a call that failed',
      YES,
      'permission',
      gone({ primary: 'idle', followed: 'turn_end', isEveryEndReported: false }),
      'taken',
    ],
    [
      'a yes: a turn is over, and no hook has reported the end of the call: the turn is that of a queued prompt',
      YES,
      'permission',
      gone({ primary: 'idle', followed: 'turn_end' }),
      'other',
    ],
    [
      'a yes: the turn is over, and nothing ran: a no at the terminal',
      YES,
      'permission',
      gone({ primary: 'idle' }),
      'other',
    ],
    [
      'a yes: the next prompt has begun, and the call has not ended: an Esc before the answer',
      YES,
      'permission',
      gone({ primary: 'active', followed: 'prompt' }),
      'other',
    ],
    [
      'a yes: the next prompt is in the queue, and the screen shows the yes',
      YES,
      'permission',
      gone({ primary: 'active', followed: 'prompt', decided: 1 }),
      'taken',
    ],
    [
      'a no behind a view: the screen shows the mark',
      NO,
      'permission',
      { ...gone({}), isOpen: true, interrupted: 1 },
      'taken',
    ],
    [
      'a yes behind a view: a mark means nothing',
      YES,
      'permission',
      { ...gone({}), isOpen: true, interrupted: 1 },
      'open',
    ],
    ['a yes: the screen shows it', YES, 'permission', gone({ primary: 'idle', decided: 1 }), 'taken'],
    ['a no: the turn is over', NO, 'permission', gone({ primary: 'idle' }), 'taken'],
    ['a no: something runs, perhaps the call', NO, 'permission', gone({ primary: 'active' }), 'open'],
    ['a no: the call ran: a yes at the terminal', NO, 'permission', { ...NOTHING, endedInput: {} }, 'other'],
    [
      'a no: the text that waited in the queue has begun',
      NO,
      'permission',
      gone({ primary: 'active', followed: 'prompt' }),
      'taken',
    ],
    ['a reason: something runs, perhaps the call', REASON, 'permission', gone({ primary: 'active' }), 'open'],
    ['a reason: the screen shows it', REASON, 'permission', gone({ primary: 'active', decided: 1 }), 'taken'],
    ['a reason: the turn continued', REASON, 'plan', gone({ primary: 'idle', followed: 'turn_end' }), 'taken'],
    ['a reason: the turn is over: a no at the terminal', REASON, 'plan', gone({ primary: 'idle' }), 'other'],
    ['a reason: the call ran', REASON, 'permission', gone({ endedInput: {} }), 'other'],
    ['an answer that was taken', ANSWER, 'question', gone({ endedInput: { answers: { 'Which one?': 'A' } } }), 'taken'],
    ['another answer was taken', ANSWER, 'question', gone({ endedInput: { answers: { 'Which one?': 'B' } } }), 'other'],
  ])('%s', (_, reply, kind, seen, outcome) => {
    expect(outcomeOf(reply, kind, seen)).toBe(outcome);
  });
});

test('a decision of a hook is counted if it is shown below a call, and nowhere else', () => {
  const lines = [
    '● Bash(touch x)',
    '  ⎿  Done',
    '  ⎿  Allowed by PermissionRequest hook',
    '  ⎿  Denied by PermissionRequest hook',
    'it said: Allowed by PermissionRequest hook',
  ];
  const frame = { lines, cursor: { row: 0, col: 0 }, cols: 80, rows: 5, dimRows: [] };
  expect(decidedOn(frame)).toBe(2);
  expect(decidedOn(undefined)).toBe(0);
});
