import { describe, expect, test } from 'vitest';
import type { DeliveryRecord } from '../../../src/core/delivery/record.ts';
import type { ToldTexts } from '../../../src/core/delivery/seen.ts';
import { takenBy, takeOver } from '../../../src/core/delivery/signs.ts';
import { AT_REST, advanceWatch } from '../../../src/core/delivery/watch.ts';
import type { DeliveryPhase } from '../../../src/protocol/index.ts';
import { DeliveryScene, type Reaction, type Shown } from '../../harness/delivery-scene.ts';

const NOW = new DeliveryScene().see().now.wall;
const told = (what: Partial<Record<keyof ToldTexts, Record<string, number>>>): ToldTexts => ({
  putBack: new Map(Object.entries(what.putBack ?? {})),
  repeated: new Map(Object.entries(what.repeated ?? {})),
  taken: new Map(Object.entries(what.taken ?? {})),
  queued: new Map(Object.entries(what.queued ?? {})),
  waiting: new Map(Object.entries(what.waiting ?? {})),
  refused: new Map(),
});

interface Row {
  name: string;
  texts: Record<string, Partial<DeliveryRecord>>;
  shown?: Partial<Shown>;
  reactions?: Reaction[];
  phases: Record<string, DeliveryPhase>;
}

function check({ texts, shown = {}, reactions = [], phases }: Row): void {
  const scene = new DeliveryScene();
  for (const [id, more] of Object.entries(texts)) scene.add(id, more);
  scene.shown = { ...scene.shown, ...shown };
  scene.play(advanceWatch, AT_REST, reactions);
  expect(Object.fromEntries(Object.keys(phases).map((id) => [id, scene.phase(id)]))).toEqual(phases);
  expect(scene.log.filter((entry) => entry === 'type' || entry === 'enter' || entry === 'clear')).toEqual([]);
}

describe('a text for which a killed server may have pressed Enter', () => {
  const looking = { phase: 'looking', updatedAt: NOW - 500 } as const;
  test.each<Row>([
    {
      name: 'a prompt in the transcript shows that it was taken',
      texts: { a: looking },
      shown: { told: told({ taken: { 'text of a': NOW } }) },
      phases: { a: 'taken' },
    },
    {
      name: 'its place in the queue shows it too',
      texts: { a: { ...looking, intoQueue: true } },
      shown: { told: told({ queued: { 'text of a': NOW } }) },
      phases: { a: 'taken' },
    },
    {
      name: 'an earlier one with the same words shows nothing',
      texts: { a: looking },
      shown: { told: told({ taken: { 'text of a': NOW - 60_000 } }) },
      phases: { a: 'no_sign' },
    },
    { name: 'perhaps nothing shows it', texts: { a: looking }, phases: { a: 'no_sign' } },
    {
      name: 'an empty prompt shows it, if it was a command',
      texts: { a: { ...looking, command: true } },
      phases: { a: 'taken' },
    },
    {
      name: 'an empty prompt also shows that a command was taken after CBOS stopped waiting for its Enter',
      texts: { a: { phase: 'entering', intoQueue: true, command: true }, b: { phase: 'entering' } },
      phases: { a: 'taken', b: 'entering' },
    },
    {
      name: 'no command was taken whose session ended',
      texts: { a: { phase: 'entering', command: true } },
      shown: { isDead: true, primary: 'dead' },
      phases: { a: 'entering' },
    },
    {
      name: 'nothing is concluded while it is in the prompt',
      texts: { a: looking },
      shown: { draft: 'text of a' },
      phases: { a: 'looking' },
    },
    {
      name: 'nothing is concluded while a turn runs',
      texts: { a: looking },
      shown: { primary: 'active' },
      phases: { a: 'looking' },
    },
    {
      name: 'a late hook shows it before the transcript is read',
      texts: { a: looking },
      reactions: [{ on: 'beginning', afterMs: 9_000, hook: 'text of a' }],
      phases: { a: 'taken' },
    },
    {
      name: 'a turn that begins shows it where there are no hooks',
      texts: { a: looking },
      shown: { isLaunched: false },
      reactions: [{ on: 'beginning', afterMs: 100, see: { primary: 'active' } }],
      phases: { a: 'taken' },
    },
    {
      name: 'one that was in the queue of the ended session has not arrived',
      texts: {
        a: { phase: 'taken', intoQueue: true },
        b: { phase: 'taken', intoQueue: true },
        c: { phase: 'taken', intoQueue: true },
      },
      shown: {
        ...{ isDead: true, primary: 'dead' },
        told: told({ waiting: { 'text of a': NOW, 'text of c': NOW }, taken: { 'text of b\ntext of c': NOW + 1 } }),
      },
      phases: { a: 'session_ended', b: 'taken', c: 'taken' },
    },
    {
      name: 'nothing shows what became of one whose session ended before it was in the transcript',
      texts: { a: { phase: 'taken', intoQueue: true }, b: { phase: 'taken', intoQueue: true } },
      shown: { isDead: true, primary: 'dead', told: told({ queued: { 'text of b': NOW } }) },
      phases: { a: 'no_sign', b: 'taken' },
    },
    {
      name: 'the transcript shows it at once if the session has ended',
      texts: { a: looking, b: { phase: 'resumed' }, c: { phase: 'resumed', held: true } },
      shown: { isDead: true, primary: 'dead', told: told({ taken: { 'text of a': NOW } }) },
      phases: { a: 'taken', b: 'session_ended', c: 'resumed' },
    },
  ])('$name', check);
});

describe('texts that Claude Code puts back from its queue', () => {
  const queued = { phase: 'taken', intoQueue: true } as const;
  const back = told({ putBack: { 'text of a': NOW }, queued: { 'text of a': NOW } });
  test.each<Row>([
    {
      name: 'are held again when the turn ends, and nobody touches them',
      texts: { a: queued },
      shown: { draft: 'text of a', told: back },
      phases: { a: 'put_back' },
    },
    {
      name: 'are held again together with one that was on its way there',
      texts: { a: queued, b: queued },
      shown: { draft: 'text of a\ntext of b', told: back },
      phases: { a: 'put_back', b: 'put_back' },
    },
    {
      name: 'are held again, each of two with the same words',
      texts: { a: { ...queued, text: 'again' }, b: { ...queued, text: 'again' } },
      shown: { draft: 'again\nagain', told: told({ putBack: { again: NOW }, repeated: { again: 2 } }) },
      phases: { a: 'put_back', b: 'put_back' },
    },
    {
      name: 'are waited for, if the transcript has reported only one of two with the same words',
      texts: { a: { ...queued, text: 'again' }, b: { ...queued, text: 'again' } },
      shown: { draft: 'again\nagain', told: told({ putBack: { again: NOW } }) },
      reactions: [
        {
          on: 'beginning',
          afterMs: 1_000,
          see: { told: told({ putBack: { again: NOW }, repeated: { again: 2 } }) },
        },
      ],
      phases: { a: 'put_back', b: 'put_back' },
    },
    {
      name: 'belong to the person who changes them',
      texts: { a: queued },
      shown: { draft: 'text of a', told: back },
      reactions: [{ on: 'beginning', afterMs: 2_000, see: { draft: 'text of a, but' } }],
      phases: { a: 'taken_back' },
    },
    {
      name: 'belong to the person who has changed them before the transcript reports them',
      texts: { a: queued },
      shown: { draft: 'text of a, but', told: back },
      phases: { a: 'taken_back' },
    },
    {
      name: 'stay delivered if somebody sends them unchanged',
      texts: { a: queued },
      shown: { draft: 'text of a', told: back },
      reactions: [{ on: 'beginning', afterMs: 2_000, see: { draft: null, primary: 'active' } }],
      phases: { a: 'taken' },
    },
    {
      name: 'belong to the person if they came back long before the turn ended',
      texts: { a: queued },
      shown: { draft: 'text of a', told: told({ putBack: { 'text of a': NOW - 120_000 } }) },
      phases: { a: 'taken_back' },
    },
    {
      name: 'are waited for: the transcript reports them late',
      texts: { a: queued },
      shown: { draft: 'text of a' },
      reactions: [{ on: 'beginning', afterMs: 1_000, see: { told: back } }],
      phases: { a: 'put_back' },
    },
    {
      name: 'are not the text behind a placeholder',
      texts: { a: queued },
      shown: { draft: '[Pasted text #1 +12 lines]', told: back },
      phases: { a: 'taken' },
    },
    {
      name: 'are not the text that a person brings up from the history',
      texts: { a: queued },
      shown: { draft: 'text of a', told: told({}) },
      phases: { a: 'taken' },
    },
  ])('$name', check);
});

test('a text is looked for again when something else is in the prompt, and not before', () => {
  const scene = new DeliveryScene();
  scene.add('a', { phase: 'taken', intoQueue: true });
  scene.shown = { ...scene.shown, draft: 'somebody types' };
  const seen = scene.play(advanceWatch, AT_REST);
  const reads = (): number => scene.log.filter((entry) => entry === 'read_transcript').length;
  expect([seen.at, reads()]).toEqual(['seen', 4]);
  scene.play(advanceWatch, seen);
  expect(reads()).toBe(4);
  scene.shown = { ...scene.shown, draft: 'text of a', told: told({ putBack: { 'text of a': NOW } }) };
  scene.play(advanceWatch, seen);
  expect(scene.phase('a')).not.toBe('taken');
});

describe('a prompt that a hook reports', () => {
  const taken = (texts: Record<string, Partial<DeliveryRecord>>, prompt: string): string[] => {
    const scene = new DeliveryScene();
    for (const [id, more] of Object.entries(texts)) scene.add(id, more);
    return takenBy(prompt, scene.see().deliveries, NOW).map(({ id }) => id);
  };
  test.each<[DeliveryPhase, boolean]>([
    ['typing', true],
    ['entering', true],
    ['looking', true],
    ['under_view', true],
    ['unread', true],
    ['taken_back', true],
    ['never_shown', true],
    ['no_sign', true],
    ['put_back', true],
    ['taken_out', true],
    ['behind_dialog', true],
    ['behind_view', true],
    ['beside_leftover', true],
    ['resumed', true],
    ['cleared', true],
    ['unsent', true],
    ['held', false],
    ['cancelled', false],
    ['failed', false],
    ['taken', false],
    ['interrupted', false],
  ])('is a text that is %s: %s', (phase, isIt) => {
    expect(taken({ a: { phase } }, 'text of a')).toEqual(isIt ? ['a'] : []);
  });

  test('is not one that was cleared long ago', () => {
    expect(taken({ a: { phase: 'cleared', updatedAt: NOW - 11_000 } }, 'text of a')).toEqual([]);
    expect(taken({ a: { phase: 'cleared', updatedAt: NOW + 5_000 } }, 'text of a')).toEqual([]);
  });
  test('is the oldest of those that are equal in the form that Claude Code reports', () => {
    const texts = { a: { phase: 'entering', text: 'a\tb \n' }, b: { phase: 'entering', text: 'a\tb' } } as const;
    expect(taken(texts, 'a    b')).toEqual(['a']);
  });
  test('is not one that is being typed right after another one with the same text was taken', () => {
    const texts = { a: { phase: 'taken', text: 'same' }, b: { phase: 'typing', text: 'same' } } as const;
    expect(taken(texts, 'same')).toEqual([]);
    expect(taken({ ...texts, a: { ...texts.a, updatedAt: NOW - 11_000 } }, 'same')).toEqual(['b']);
    expect(taken({ ...texts, b: { ...texts.b, phase: 'entering' } }, 'same')).toEqual(['b']);
  });
  test('may be several that were in the box together', () => {
    const texts = { a: { phase: 'put_back' }, b: { phase: 'put_back' }, c: { phase: 'put_back' } } as const;
    expect(taken(texts, 'text of b\ntext of a')).toEqual(['b', 'a']);
  });
});

test.each<[DeliveryPhase, Partial<DeliveryRecord>, DeliveryPhase | null]>([
  ['typing', { held: true }, 'resumed'],
  ['typing', { idempotencyKey: 'k' }, 'resumed'],
  ['typing', {}, 'unsent'],
  ['entering', {}, 'looking'],
  ['looking', {}, 'looking'],
  ['under_view', {}, null],
  ['unread', {}, null],
  ['taken_back', {}, null],
  ['held', { held: true }, null],
  ['taken', {}, null],
])('after a crash a text that was %s %j is %s', (phase, more, after) => {
  const scene = new DeliveryScene();
  scene.add('a', { phase, ...more });
  expect(takeOver(scene.see().deliveries)[0]?.phase ?? null).toBe(after);
});
