import { describe, expect, test } from 'vitest';
import { normalisePrompt } from '../../../src/core/delivery/box.ts';
import {
  askedFor,
  type DeliveryContext,
  type DeliveryRequest,
  decideDelivery,
  isCommand,
  mayTypeHeld,
  type RefusalReason,
} from '../../../src/core/delivery/decide.ts';
import type { Cover } from '../../../src/core/status/index.ts';
import {
  type Detail,
  detailOfQuestion,
  type Primary,
  type Question,
  type QuestionKind,
} from '../../../src/protocol/index.ts';
import { refusalWords } from '../../../src/text/delivery-words.ts';

const ask = (kind: QuestionKind): Question => ({
  id: 'q1',
  kind,
  text: 'Do you want to proceed?\nReally?',
  tool: null,
  options: [],
  multi: false,
  questions: [],
  asked_at: '2026-11-21T10:00:00.000Z',
});

function at(
  primary: Primary | null,
  detail: Detail | null = null,
  more: Partial<DeliveryContext> = {},
): DeliveryContext {
  return {
    status: { primary, detail, question: null },
    adopted: true,
    isParked: false,
    draft: null,
    hasReturned: false,
    isQueueStopped: false,
    isOverBudget: false,
    isUnread: false,
    conversed: 'known',
    isEnterBound: false,
    cover: null,
    isDialogNew: false,
    ...more,
  };
}
const asking = (kind: QuestionKind, more: Partial<DeliveryContext> = {}): DeliveryContext => ({
  ...at('waiting', null, more),
  status: { primary: 'waiting', detail: detailOfQuestion(kind), question: ask(kind) },
});
const request = (more: Partial<DeliveryRequest> = {}): DeliveryRequest => ({
  text: 'go on',
  command: false,
  force: false,
  queue: false,
  ...more,
});

const TYPE = { kind: 'type', confirm: 'turn' };
const QUEUE = { kind: 'type', confirm: 'queue' };
const HOLD = { kind: 'hold' };
const refused = (why: RefusalReason) => expect.objectContaining({ kind: 'refuse', why });

describe('a text is', () => {
  test.each<[string, DeliveryContext, DeliveryRequest, unknown]>([
    ['typed when the session is ready', at('idle', 'ready'), request(), TYPE],
    ['typed after an error', at('idle', 'error'), request(), TYPE],
    ['typed as the answer to a question in words', asking('closing'), request(), TYPE],
    ["put into Claude Code's queue while a turn runs", at('active', 'thinking'), request(), QUEUE],
    ["put into Claude Code's queue while a turn is stuck", at('stuck'), request(), QUEUE],
    ['held while a turn runs, if requested', at('active', 'thinking'), request({ queue: true }), HOLD],
    ['held while the status is unknown', at(null), request(), HOLD],
    ["typed after CBOS's own leftover", at('idle', 'ready', { draft: 'own' }), request(), TYPE],
    ["held behind CBOS's own leftover while a turn runs", at('active', null, { draft: 'own' }), request(), HOLD],
    [
      'refused next to a draft while a turn runs',
      at('active', null, { draft: 'foreign' }),
      request(),
      refused('draft'),
    ],
    ['refused before a permission', asking('permission'), request(), refused('asking')],
    [
      'refused before a question, even if it may be held',
      asking('question'),
      request({ queue: true }),
      refused('asking'),
    ],
    ['refused before a setup dialog', asking('setup'), request(), refused('asking')],
    ['typed before a dialog by force', asking('permission'), request({ force: true }), TYPE],
    [
      'refused before a dialog that the status does not know yet',
      at('active', null, { isDialogNew: true }),
      request(),
      refused('asking'),
    ],
    [
      'held before such a dialog, if requested',
      at('idle', 'ready', { isDialogNew: true }),
      request({ queue: true }),
      HOLD,
    ],
    ['typed before such a dialog by force', at('active', null, { isDialogNew: true }), request({ force: true }), TYPE],
    ['refused when the session is dead', at('dead'), request(), refused('ended')],
    ['refused when the session is dead, even by force', at('dead'), request({ force: true }), refused('ended')],
    ['refused where CBOS only observes', at('idle', 'ready', { adopted: false }), request(), refused('not_adopted')],
    ['refused after a draft', at('idle', 'waiting_input', { draft: 'foreign' }), request(), refused('draft')],
    [
      'held after a draft, if requested',
      at('idle', 'waiting_input', { draft: 'foreign' }),
      request({ queue: true }),
      HOLD,
    ],
    [
      'refused while the previous text is unread',
      at('idle', 'ready', { isUnread: true }),
      request(),
      refused('unread'),
    ],
    [
      'held while the previous text is unread, if requested',
      at('idle', 'ready', { isUnread: true }),
      request({ queue: true }),
      HOLD,
    ],
    [
      'refused if Claude Code has begun another conversation, even by force',
      at('idle', 'ready', { conversed: 'another' }),
      request({ force: true }),
      refused('another_conversation'),
    ],
    ['held until the conversation is known', at('idle', 'ready', { conversed: 'awaited' }), request(), HOLD],
    ['refused when it would run a command', at('idle', 'ready'), request({ text: '/clear' }), refused('slash_command')],
    ['refused when it would run in a shell', at('idle', 'ready'), request({ text: '!ls' }), refused('shell_command')],
    ['typed when it is intended as a command', at('idle', 'ready'), request({ text: '/clear', command: true }), TYPE],
  ])('%s', (_, context, asked, decision) => {
    expect(decideDelivery(context, asked)).toEqual(decision);
  });

  test('refused with the question that is open', () => {
    expect(decideDelivery(asking('permission'), request())).toMatchObject({ why: 'asking', question: { id: 'q1' } });
  });
});

test('the open question is described in one line', () => {
  const tool = { name: 'Bash', input: { command: './deploy.sh staging' } };
  expect(askedFor(ask('permission'))).toBe('Do you want to proceed?');
  expect(askedFor({ ...ask('permission'), tool })).toBe('Bash: ./deploy.sh staging');
  expect(refusalWords('asking', { slug: 'API', asked: 'Bash: ls' })).toEqual({
    message: 'The session asks: Bash: ls',
    hint: 'Answer it first (`cbos answer API`); `cbos show API` lists the options',
  });
});

describe('a held text may be typed', () => {
  test.each<[string, DeliveryContext, boolean]>([
    ['into an idle session', at('idle', 'waiting_input'), true],
    ['as an answer to a question in words', asking('closing'), true],
    ['not into a dialog', asking('permission'), false],
    ['not into a turn', at('active', 'thinking'), false],
    ['not after a draft', at('idle', 'waiting_input', { draft: 'foreign' }), false],
    ['not into a session that is only observed', at('idle', 'ready', { adopted: false }), false],
    ['not while the previous text is unread', at('idle', 'ready', { isUnread: true }), false],
    ['not while Enter does something else', at('idle', 'ready', { isEnterBound: true }), false],
    ['not into another conversation', at('idle', 'ready', { conversed: 'another' }), false],
    ['not before the conversation is known', at('idle', 'ready', { conversed: 'awaited' }), false],
    ['without a report about the conversation', at('idle', 'ready', { conversed: 'unreported' }), true],
    ['not while the status is unknown', at(null), false],
  ])('%s', (_, context, may) => {
    expect(mayTypeHeld(context)).toBe(may);
  });
});

test.each<Primary>(['idle', 'active'])('what is sent after a text that came back waits behind it: %s', (primary) => {
  expect(decideDelivery(at(primary, null, { hasReturned: true }), request())).toEqual(HOLD);
});

test('commands begin with / or !, at the very beginning', () => {
  expect(['/help', '!ls', ' /help', 'a/b', ''].map(isCommand)).toEqual([true, true, false, false, false]);
});

test('a prompt equals the form in which Claude Code reports it', () => {
  expect(normalisePrompt('a\tb\r\nc  \n')).toBe('a    b\nc');
});

test.each<[Cover, string]>([
  ['transcript', 'The detailed transcript covers the prompt'],
  ['view', "One of Claude Code's views covers the prompt"],
  ['shell', 'the text would run as a command'],
  ['search', 'Enter would send one of them again'],
  ['agents', 'would start a new session'],
  ['unknown', 'Something that CBOS does not recognize'],
])('a text is refused for what has the keys in place of the prompt: %s', (cover, reason) => {
  const why = `covered_by_${cover}` as const;
  expect(decideDelivery(at('idle', 'ready', { cover }), request())).toMatchObject({ kind: 'refuse', why });
  const { message, hint } = refusalWords(why, { slug: 'API', asked: null });
  expect(message).toContain(reason);
  expect(hint).toMatch(/`cbos attach API`.*--queue/);
  expect(decideDelivery(at(null, null, { cover }), request())).toEqual(HOLD);
  expect(decideDelivery(at('idle', 'ready', { cover }), request({ force: true }))).toEqual(TYPE);
});

describe('a transcript over the prompt takes every key', () => {
  test.each<[Primary, Detail | null]>([
    ['active', 'thinking'],
    ['stuck', null],
    ['idle', 'ready'],
    ['waiting', 'setup'],
  ])('so over a session that is %s a text is refused, or held where asked, and a held one stays', (primary, detail) => {
    const covered = at(primary, detail, { cover: 'transcript' });
    expect(decideDelivery(covered, request())).toEqual(refused('covered_by_transcript'));
    expect(decideDelivery(covered, request({ queue: true }))).toEqual(HOLD);
    expect(mayTypeHeld(covered)).toBe(false);
  });
});

describe('while a budget is reached', () => {
  const over = { isOverBudget: true };

  test.each([
    ['a session that is ready', at('idle', 'waiting_input', over)],
    ['a session that is working', at('active', 'thinking', over)],
    ['a parked one', at('dead', null, { ...over, isParked: true })],
  ])('every text for %s is held, even a command', (_, context) => {
    expect(decideDelivery(context, request())).toEqual(HOLD);
    expect(decideDelivery(context, request({ queue: true }))).toEqual(HOLD);
    expect(decideDelivery(context, request({ text: '/clear', command: true }))).toEqual(HOLD);
    expect(mayTypeHeld(context)).toBe(false);
  });

  test('a dialog refuses texts as usual, and force types', () => {
    expect(decideDelivery(asking('permission', over), request())).toEqual(refused('asking'));
    expect(decideDelivery(at('idle', 'ready', over), request({ force: true }))).toEqual(TYPE);
  });
});
