import { expect, test } from 'vitest';
import { type Asker, createAnswerHold, type InboxCard, inboxCards } from '../../../src/client/index.ts';
import type { Elsewhere, Question, Session } from '../../../src/protocol/index.ts';
import { someSession } from '../../harness/some-session.ts';
import { asking, FAILED, WORKING } from '../../harness/some-sessions.ts';

const FAR: Elsewhere = { machine: 'far', slug: 'FAR', may: ['answer'], asOf: null, cause: null, isLive: true };
const NONE = { leaving: new Set<string>(), skipped: [] };
const asks = (slug: string, some: Partial<Question> = {}): Session =>
  someSession(slug, { ...asking({ id: `q-${slug}`, ...some }), path: `/src/${slug}` });
const names = (cards: readonly InboxCard[]): string[][] => cards.map(({ askers }) => askers.map(({ slug }) => slug));

test('equal questions are one card, and no others are', () => {
  const other = { name: 'Bash', input: { command: 'rm -rf .', description: 'Run the tests' } };
  const swapped = { name: 'Bash', input: { description: 'Run the tests', command: 'npm test' } };
  const all = [
    asks('A'),
    asks('SAME', { tool: swapped }),
    asks('OTHER', { tool: other }),
    asks('CUT', { cut: true }),
    asks('TWO', { options: [{ key: '1', label: 'Yes', description: null, means: 'yes' }] }),
    asks('WORDS', { kind: 'question', tool: null }),
    asks('MORE', { kind: 'question', tool: null }),
    someSession('BUSY', WORKING),
    { ...asks('LATER'), snoozed: { since: '', until: null, until_asks: true, until_turn_ends: false, until_ends: [] } },
  ];
  expect(names(inboxCards(all, NONE))).toEqual([['A', 'SAME'], ['OTHER'], ['CUT'], ['TWO'], ['WORDS'], ['MORE']]);
  // A new asker makes it a different card.
  const [before] = inboxCards(all.slice(0, 1), NONE);
  const [after] = inboxCards(all.slice(0, 2), NONE);
  expect(after?.key).not.toBe(before?.key);
  expect(names(inboxCards(all.slice(0, 3), { ...NONE, skipped: ['A q-A', 'SAME q-SAME'] }))).toEqual([
    ['OTHER'],
    ['A', 'SAME'],
  ]);
  expect(names(inboxCards(all.slice(0, 3), { ...NONE, leaving: new Set(['A q-A']) }))).toEqual([['SAME'], ['OTHER']]);
});

test('sessions whose usage limit has ended are one card, unless another machine owns them', () => {
  const over = { ...someSession('A', FAILED), limit_over_at: '2026-01-01T00:00:00Z' };
  const all = [
    over,
    { ...over, slug: 'B', limit_over_at: '2026-01-01T05:00:00Z' },
    { ...over, slug: 'FAR', elsewhere: FAR },
    someSession('FAILED', FAILED),
    asks('C'),
  ];
  const cards = inboxCards(all, NONE);
  expect(cards.map(({ about, askers }) => [about, ...askers.map(({ slug }) => slug)])).toEqual([
    ['limit', 'A', 'B'],
    ['question', 'C'],
  ]);
  // Another limit that has ended is another question.
  expect(inboxCards([{ ...over, limit_over_at: '2026-01-02T00:00:00Z' }], NONE)[0]?.key).not.toBe(
    inboxCards([over], NONE)[0]?.key,
  );
});

function holding(refuses: (asker: Asker) => boolean = () => false) {
  const timers = new Set<{ work: () => void; delayMs: number }>();
  const sent: string[] = [];
  const done: string[] = [];
  const hold = createAnswerHold({
    startTimer: (work, delayMs) => {
      const timer = { work, delayMs };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    send: async (asker, { answer }) => {
      if (refuses(asker)) throw new Error('stale');
      sent.push(`${asker.slug} ${asker.id} ${answer?.choice ?? 'continues'}`);
    },
    onChange: () => undefined,
    onDone: (_, outcomes) => void done.push(outcomes.map(({ slug, error }) => `${slug} ${error}`).join()),
  });
  const pass = async (delayMs: number): Promise<void> => {
    for (const timer of [...timers].filter((one) => one.delayMs === delayMs)) {
      timers.delete(timer);
      timer.work();
    }
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { hold, sent, done, pass };
}

test('an answer is sent after 3 s to each asker for its own question, and can be taken back until then', async () => {
  const { hold, sent, done, pass } = holding(({ slug }) => slug === 'SAME');
  const [card] = inboxCards([asks('A'), asks('SAME')], NONE);
  if (card?.about !== 'question') throw new Error('no question');
  const held = { card, answer: { choice: 'yes' as const }, said: 'yes' };
  hold.give(held);
  expect(hold.leaving()).toEqual(new Set(['A q-A', 'SAME q-SAME']));
  expect(hold.undo()).toBe(held);
  expect(hold.undo()).toBeNull();
  await pass(3_000);
  expect([sent, hold.leaving()]).toEqual([[], new Set()]);

  hold.give(held);
  await pass(3_000);
  expect(sent).toEqual(['A q-A yes']);
  expect(done).toEqual(['A null,SAME Error: stale']);
  // A refused question is shown again at once, and an answered one only if it is still open after a while.
  expect(hold.leaving()).toEqual(new Set(['A q-A']));
  expect(hold.undo()).toBeNull();
  await pass(10_000);
  expect(hold.leaving()).toEqual(new Set());

  // After a face has ended, nothing can still be sent.
  hold.give(held);
  hold.dispose();
  await pass(3_000);
  expect(sent).toEqual(['A q-A yes']);
});

test('each open question of a session has a card of its own, except one whose dialog comes later', () => {
  const session = asks('AUTH', { id: 'q1' });
  const { question } = session.status;
  const more = (id: string, some: Partial<Question>): Question[] =>
    question === null ? [] : [{ ...question, id, kind: 'question', tool: null, ...some }];
  const questions = [...more('q1', {}), ...more('q2', {}), ...more('q3', { behind: true })];
  const cards = inboxCards([{ ...session, status: { ...session.status, questions } }], NONE);
  expect(cards.map(({ askers }) => askers.map(({ id }) => id))).toEqual([['q1'], ['q2']]);
});
