import { describe, expect, test } from 'vitest';
import { beginEnding, finishInterrupt, undoEnding } from '../../../src/core/delivery/ending.ts';
import type { Deliveries, DeliveryRecord } from '../../../src/core/delivery/record.ts';
import { AT_REST, advanceWatch } from '../../../src/core/delivery/watch.ts';
import { NO_HOOKS } from '../../../src/core/status/index.ts';
import { DeliveryScene, type Shown } from '../../harness/delivery-scene.ts';

const record = (id: string, phase: DeliveryRecord['phase']): DeliveryRecord => ({
  ...{ id, phase, sessionId: 's', text: id, command: false, intoQueue: false, createdAt: 0, updatedAt: 1 },
  ...{ removed: 0, idempotencyKey: null, held: false, reason: null, sender: null },
});

test.each(['taken', 'interrupted', 'interrupting'] as const)(
  'an interrupt without an effect leaves the last message %s, and the others as they are',
  (phase) => {
    const recent = [record('last', phase), record('earlier', 'interrupted')];
    const before: Deliveries = { queued: [], sent: [], unknown: [], recent };
    const begun = beginEnding(before, 'interrupt');
    const during = phase === 'interrupted' ? 'interrupting_again' : 'interrupting';
    expect(begun).toEqual([{ id: 'last', phase: during, keepsTime: true }]);
    const now = { ...before, recent: [record('last', during), record('earlier', 'interrupted')] };
    expect(undoEnding(before, begun, now)).toEqual([{ id: 'last', phase, keepsTime: true }]);
  },
);

test('a message that a hook has refused since the interrupt began stays refused', () => {
  const before: Deliveries = { queued: [], sent: [], unknown: [], recent: [record('last', 'taken')] };
  const begun = beginEnding(before, 'interrupt');
  expect(undoEnding(before, begun, { ...before, recent: [record('last', 'refused')] })).toEqual([]);
});

const MARK = '  ⎿  Interrupted · What should Claude do instead?';

describe('a turn that an interrupt has ended', () => {
  interface Row {
    name: string;
    last: Partial<DeliveryRecord>;
    first?: Partial<DeliveryRecord>;
    /** the newest prompt that a hook has reported */
    reported: { text: string; at: number; isQueued?: true };
    hasNextBegun?: true;
    /** the last prompt on the screen */
    shown?: string;
    /** the screen with the mark of the interrupt, from top to bottom */
    marked?: readonly string[];
    phases: Record<string, DeliveryRecord['phase']>;
  }

  test.each<Row>([
    {
      name: 'is that of the prompt that a hook has reported',
      last: {},
      reported: { text: 'last', at: 5 },
      phases: { last: 'interrupted', first: 'taken' },
    },
    {
      name: 'is that of a slash command, which no hook reports',
      last: { text: '/compact', updatedAt: 6 },
      reported: { text: 'first', at: 5 },
      phases: { last: 'interrupted', first: 'taken' },
    },
    {
      name: 'is not that of a prompt that CBOS sent before the one that somebody has typed',
      last: {},
      reported: { text: 'typed by hand', at: 5 },
      phases: { last: 'taken', first: 'taken' },
    },
    {
      name: 'took the prompt from the queue, if no turn follows',
      last: { intoQueue: true },
      reported: { text: 'another\nlast', at: 5 },
      phases: { last: 'interrupted', first: 'taken' },
    },
    {
      name: 'is that of the first of two prompts above the mark, if the next turn runs',
      last: { intoQueue: true },
      reported: { text: 'last', at: 5 },
      marked: ['❯ earlier', '', '● An answer.', '', '❯ first', '', '❯ last', MARK, '', '● Another answer.'],
      hasNextBegun: true,
      phases: { last: 'taken', first: 'interrupted' },
    },
    {
      name: 'is that of the first of two prompts with one text above the mark, if the next turn runs',
      last: { text: 'again', intoQueue: true },
      first: { text: 'again' },
      reported: { text: 'again', at: 5 },
      marked: ['❯ again', '', '❯ again', MARK, '', '✢ Thundering…'],
      hasNextBegun: true,
      phases: { last: 'taken', first: 'interrupted' },
    },
    {
      name: 'is that of the prompt above it, if the last prompt was interrupted before',
      last: { intoQueue: true, phase: 'interrupted' },
      first: { intoQueue: true },
      reported: { text: 'last', at: 5 },
      marked: ['❯ last', MARK, '', '❯ first', MARK],
      hasNextBegun: true,
      phases: { last: 'interrupted', first: 'interrupted' },
    },
    {
      name: 'is that of the prompt above it, if the next turn has the prompt from the queue',
      last: { intoQueue: true },
      reported: { text: 'last', at: 5, isQueued: true },
      hasNextBegun: true,
      shown: 'first',
      phases: { last: 'taken', first: 'interrupted' },
    },
    {
      name: 'is that of no known prompt, if the next turn has the prompt from the queue and the screen shows another',
      last: { intoQueue: true },
      reported: { text: 'last', at: 5, isQueued: true },
      hasNextBegun: true,
      shown: 'typed by hand',
      phases: { last: 'taken', first: 'taken' },
    },
    {
      name: 'is that of the prompt that once was in the queue and is shown above its answer, even if the status lags',
      last: { intoQueue: true },
      reported: { text: 'last', at: 5, isQueued: true },
      hasNextBegun: true,
      shown: 'last',
      phases: { last: 'interrupted', first: 'taken' },
    },
    {
      name: 'is that of the prompt above it, even if that once was in the queue itself',
      last: { intoQueue: true },
      first: { intoQueue: true },
      reported: { text: 'last', at: 5, isQueued: true },
      hasNextBegun: true,
      shown: 'first',
      phases: { last: 'taken', first: 'interrupted' },
    },
    {
      name: 'is that of the first of two prompts with the same text, if the next turn has the second one',
      last: { intoQueue: true, text: 'first' },
      reported: { text: 'first', at: 5, isQueued: true },
      hasNextBegun: true,
      shown: 'first',
      phases: { last: 'taken', first: 'interrupted' },
    },
    {
      name: 'is that of the prompt above the mark, even if the queued one looked like one of a turn before',
      last: { intoQueue: true },
      reported: { text: 'first', at: 5 },
      hasNextBegun: true,
      shown: 'last',
      marked: ['❯ first', MARK, '', '❯ last', '', '● An answer.'],
      phases: { last: 'taken', first: 'interrupted' },
    },
    {
      name: 'is that of the prompt that a hook has reported, if the mark is not seen and the queued one looks the same',
      last: { intoQueue: true },
      reported: { text: 'first', at: 5 },
      hasNextBegun: true,
      shown: 'last',
      phases: { last: 'taken', first: 'interrupted' },
    },
    {
      name: 'is that of the prompt above the mark, even if the next turn has not begun yet',
      last: { intoQueue: true },
      reported: { text: 'last', at: 5, isQueued: true },
      shown: 'first',
      marked: ['❯ first', '', '● An answer.', MARK, '', '❯ last', '  ⎿  Queued'],
      phases: { last: 'taken', first: 'interrupted' },
    },
    {
      name: 'is that of the prompt that has left the queue, if the mark is below that',
      last: { intoQueue: true },
      reported: { text: 'last', at: 5, isQueued: true },
      hasNextBegun: true,
      shown: 'first',
      marked: ['❯ first', '', '● An answer.', '', '❯ last', '', '● Another answer.', MARK],
      phases: { last: 'interrupted', first: 'taken' },
    },
    {
      name: 'is that of the first of two prompts with the same text, if the second one follows the mark',
      last: { intoQueue: true, text: 'first' },
      reported: { text: 'first', at: 5, isQueued: true },
      marked: ['❯ first', MARK, '', '❯ first', '  ⎿  Queued'],
      phases: { last: 'taken', first: 'interrupted' },
    },
    {
      name: 'is that of the second of two prompts with the same text, if nothing follows the mark',
      last: { intoQueue: true, text: 'first' },
      reported: { text: 'first', at: 5, isQueued: true },
      hasNextBegun: true,
      shown: 'first',
      marked: ['❯ first', '', '● An answer.', '', '❯ first', MARK],
      phases: { last: 'interrupted', first: 'taken' },
    },
  ])('$name', ({ last, first, reported, hasNextBegun, shown, marked, phases }) => {
    const recent = [
      { ...record('last', 'taken'), ...last },
      { ...record('first', 'taken'), ...first },
    ];
    const before: Deliveries = { queued: [], sent: [], unknown: [], recent };
    const begun = beginEnding(before, 'interrupt');
    const apply = (records: readonly DeliveryRecord[], changes: typeof begun): DeliveryRecord[] =>
      records.map((one) => ({ ...one, ...changes.find(({ id }) => id === one.id) }));
    const now = { ...before, recent: apply(recent, begun) };
    const frameOf = (conversation: readonly string[]) => {
      const rule = '─'.repeat(80);
      const lines = [...conversation, '', rule, '❯ ', rule, '  ? for shortcuts'];
      return { lines, cursor: { row: conversation.length + 2, col: 2 }, cols: 80, rows: 24, dimRows: [] };
    };
    const frame = frameOf([`❯ ${shown}`, '', '● An answer.']);
    const screen = shown === undefined ? null : { ...new DeliveryScene().see().screen, frame };
    const changes = finishInterrupt(
      {
        ...{ before, begun, hasNextBegun: hasNextBegun ?? false },
        marked: marked === undefined ? null : frameOf(marked),
        seen: { hooks: { ...NO_HOOKS, prompt: reported }, screen: screen as never },
      },
      now,
    );
    expect(Object.fromEntries(apply(now.recent, changes).map(({ id, phase }) => [id, phase]))).toEqual(phases);
    expect(changes.at(-1)?.id ?? 'last', 'the next interrupt is about this one').toBe('last');
  });
});

describe('a prompt whose interrupt nothing has confirmed', () => {
  test.each<[string, Partial<Shown>, DeliveryRecord['phase']]>([
    ['is what it was, once the session is ready', { prompt: 'text of a' }, 'taken'],
    ['is interrupted if the status shows that', { prompt: 'text of a', isInterrupted: true }, 'interrupted'],
    ['is what it was if the interrupted turn is another’s', { prompt: 'by hand', isInterrupted: true }, 'taken'],
    ['stays open while the turn runs', { prompt: 'text of a', primary: 'active' }, 'interrupting'],
    ['stays open while a view hides whether it comes back', { prompt: 'text of a', cover: 'view' }, 'interrupting'],
  ])('%s', (_, shown, phase) => {
    const scene = new DeliveryScene();
    scene.add('a', { phase: 'interrupting' });
    scene.shown = { ...scene.shown, ...shown };
    scene.play(advanceWatch, AT_REST);
    expect(scene.phase('a')).toBe(phase);
  });

  test('stays interrupted if an earlier interrupt has ended its turn, and the next one ended another', () => {
    const scene = new DeliveryScene();
    scene.add('a', { phase: 'interrupting_again', intoQueue: true });
    scene.shown = { ...scene.shown, prompt: 'by hand', isInterrupted: true };
    scene.play(advanceWatch, AT_REST);
    expect(scene.phase('a')).toBe('interrupted');
  });
});
