import { describe, expect, test } from 'vitest';
import { advance, type Goal, type VisitEnd, visit } from '../../../src/core/delivery/advance.ts';
import { keepReturned } from '../../../src/core/delivery/ending.ts';
import type { DeliveryRecord } from '../../../src/core/delivery/record.ts';
import { NOTHING_TOLD } from '../../../src/core/delivery/seen.ts';
import { hasToTakeOut, leftoversOf } from '../../../src/core/delivery/standing.ts';
import { advanceTakingOut, takeOutPrompt } from '../../../src/core/delivery/take-out.ts';
import type { DeliveryPhase } from '../../../src/protocol/index.ts';
import { DeliveryScene, type Reaction, type Shown } from '../../harness/delivery-scene.ts';

const CLEARED: Reaction = { on: 'clear', afterMs: 40, see: { draft: null } };
const shows = (draft: string): Reaction => ({ on: 'type', afterMs: 60, see: { draft } });
const takes = (text: string): Reaction => ({ on: 'enter', afterMs: 40, see: { draft: null }, hook: text });
const told = (putBack: string[], taken: string[] = []): Shown['told'] => ({
  putBack: new Map(putBack.map((text) => [text, 1])),
  repeated: new Map(),
  taken: new Map(taken.map((text) => [text, 1])),
  queued: new Map(),
  waiting: new Map(),
  refused: new Map(),
});

const send = (more: Partial<Extract<Goal, { kind: 'send' }>['request']> = {}): Goal => ({
  kind: 'send',
  request: { text: 'hello', command: false, force: false, queue: false, ...more },
});

interface Row {
  name: string;
  texts?: Record<string, DeliveryPhase | Partial<DeliveryRecord>>;
  shown?: Partial<Shown>;
  reactions?: Reaction[];
  end: Partial<VisitEnd>;
  phases?: Record<string, DeliveryPhase>;
  log?: string[];
}

function play(goal: Goal, { texts = {}, shown = {}, reactions = [] }: Row): { scene: DeliveryScene; end: VisitEnd } {
  const scene = new DeliveryScene();
  for (const [id, more] of Object.entries(texts)) scene.add(id, typeof more === 'string' ? { phase: more } : more);
  scene.shown = { ...scene.shown, ...shown };
  const state = scene.play(advance, visit(goal, scene.see()), reactions);
  if (state.at !== 'over') throw new Error(`a visit rests at ${state.at}`);
  return { scene, end: state.end };
}

function check(goal: Goal, row: Row): void {
  const { scene, end } = play(goal, row);
  expect(end).toMatchObject(row.end);
  if (row.phases !== undefined) {
    expect(Object.fromEntries(Object.keys(row.phases).map((id) => [id, scene.phase(id)]))).toEqual(row.phases);
  }
  if (row.log !== undefined) expect(scene.log).toEqual(row.log);
}

describe('a text that is sent', () => {
  test.each<Row>([
    { name: 'to a session that is ready is typed', end: { kind: 'type', confirm: 'turn', hasCleared: false } },
    {
      name: 'during a turn goes to Claude Code’s own queue',
      shown: { primary: 'active' },
      end: { kind: 'type', confirm: 'queue' },
    },
    {
      name: 'below a dialog is refused',
      shown: { primary: 'waiting', dialog: true },
      end: { kind: 'refuse', why: 'asking' },
    },
    {
      name: 'waits while the previous draft is still drawn',
      shown: { draft: 'what a turn took' },
      reactions: [{ on: 'beginning', afterMs: 400, see: { draft: null } }],
      end: { kind: 'type' },
    },
    {
      name: 'waits while a view is closing',
      shown: { cover: 'unknown' },
      reactions: [{ on: 'beginning', afterMs: 900, see: { cover: null } }],
      end: { kind: 'type' },
    },
    {
      name: 'is refused next to somebody’s draft, after a check',
      shown: { draft: 'somebody types' },
      end: { kind: 'refuse', why: 'draft' },
      log: ['look'],
    },
    {
      name: 'is typed only after CBOS has taken out the text that it left',
      texts: { a: 'never_shown' },
      shown: { draft: 'text of a' },
      reactions: [CLEARED],
      end: { kind: 'type', hasCleared: true },
      phases: { a: 'cleared' },
    },
    {
      name: 'is refused where the text that CBOS left cannot be taken out',
      texts: { a: 'never_shown' },
      shown: { draft: 'text of a' },
      end: { kind: 'beside_draft' },
      phases: { a: 'never_shown' },
    },
    {
      name: 'comes after a text that came back and is held',
      texts: { a: 'put_back' },
      end: { kind: 'hold' },
    },
    {
      name: 'below a dialog or view that has just been drawn is refused once the status shows it',
      shown: { primary: 'active', dialog: true },
      reactions: [{ on: 'beginning', afterMs: 300, see: { primary: 'waiting' } }],
      end: { kind: 'refuse', why: 'asking' },
      log: ['look'],
    },
    {
      name: 'below what looks like a dialog for a moment is typed',
      shown: { primary: 'active', dialog: true },
      reactions: [{ on: 'beginning', afterMs: 300, see: { dialog: false } }],
      end: { kind: 'type', confirm: 'queue' },
    },
    {
      name: 'right after a tool call waits for the dialog of that call',
      shown: { primary: 'active', tools: [tool(-200)] },
      reactions: [{ on: 'beginning', afterMs: 700, see: { primary: 'waiting', dialog: true } }],
      end: { kind: 'refuse' },
    },
    {
      name: 'between a turn and the next one from the queue is typed after that one',
      texts: { a: { phase: 'taken', intoQueue: true } },
      shown: { turnEndAt: -100 },
      reactions: [{ on: 'beginning', afterMs: 300, see: { primary: 'active' } }],
      end: { kind: 'type', confirm: 'queue' },
    },
  ])('$name', (row) => check(send(), row));

  test('for the queue of CBOS is held next to somebody’s draft', () => {
    check(send({ queue: true }), { name: '', shown: { draft: 'somebody types' }, end: { kind: 'hold' } });
  });
  test('by force checks nothing', () => {
    check(send({ force: true }), { name: '', shown: { primary: 'waiting', dialog: true }, end: { kind: 'type' } });
  });
});

describe('a held text', () => {
  test.each<Row>([
    {
      name: 'is typed, the oldest first',
      texts: { a: 'held', b: 'held' },
      reactions: [shows('text of a'), takes('text of a')],
      end: { kind: 'typed', id: 'a', became: 'settled' },
      phases: { a: 'taken', b: 'held' },
    },
    {
      name: 'stays held while an interrupt holds it back',
      texts: { a: 'held' },
      shown: { isQueueStopped: true },
      end: { kind: 'nothing' },
    },
    {
      name: 'stays held below a dialog that the status does not know yet',
      texts: { a: 'held' },
      shown: { primary: 'idle', dialog: true },
      end: { kind: 'nothing' },
      phases: { a: 'held' },
      log: [],
    },
    {
      name: 'stays held below a dialog',
      texts: { a: 'held' },
      shown: { primary: 'waiting', dialog: true },
      end: { kind: 'nothing' },
    },
    {
      name: 'stays held where the session has ended',
      texts: { a: 'held' },
      shown: { isDead: true },
      end: { kind: 'nothing' },
    },
    {
      name: 'that came back is taken out and sent again',
      texts: { a: 'put_back' },
      shown: { draft: 'text of a' },
      reactions: [CLEARED, shows('text of a'), takes('text of a')],
      end: { kind: 'typed', id: 'a' },
      phases: { a: 'taken' },
    },
    {
      name: 'that came back with others is taken out with them',
      texts: { a: 'put_back', b: 'put_back' },
      shown: { draft: 'text of a\ntext of b' },
      reactions: [CLEARED, shows('text of a'), takes('text of a')],
      end: { kind: 'typed', id: 'a' },
      phases: { a: 'taken', b: 'put_back' },
    },
    {
      name: 'that was typed before, and is not in the box, is not typed at once: a person may have sent it',
      texts: { a: 'behind_view' },
      reactions: [{ on: 'beginning', afterMs: 600, see: { primary: 'active' }, hook: 'text of a' }],
      end: { kind: 'nothing' },
      phases: { a: 'taken' },
    },
    {
      name: 'that was typed before, and is not in the box, is typed after a while',
      texts: { a: 'behind_view' },
      reactions: [shows('text of a'), takes('text of a')],
      end: { kind: 'typed', id: 'a' },
      phases: { a: 'taken' },
    },
    {
      name: 'that was typed before and appears late is taken out first',
      texts: { a: 'behind_dialog' },
      reactions: [
        { on: 'beginning', afterMs: 700, see: { draft: 'text of a' } },
        CLEARED,
        shows('text of a'),
        takes('text of a'),
      ],
      end: { kind: 'typed', id: 'a' },
      phases: { a: 'taken' },
    },
    {
      name: 'that a killed server left in the prompt is entered, not typed',
      texts: { a: { phase: 'resumed', held: true } },
      shown: { draft: 'text of a' },
      reactions: [takes('text of a')],
      end: { kind: 'typed', became: 'settled' },
      phases: { a: 'taken' },
      log: ['a: entering', 'enter', 'forget_digits', 'a: taken'],
    },
    {
      name: 'that somebody changes after a crash is left to that person',
      texts: { a: { phase: 'resumed', held: true } },
      shown: { draft: 'text of a' },
      reactions: [{ on: 'beginning', afterMs: 100, see: { draft: 'text of a, changed' } }],
      end: { kind: 'nothing' },
      phases: { a: 'resumed' },
    },
    {
      name: 'stays held while the queue is stopped; a text that an interrupt put back is taken out, and its mark ends',
      texts: { a: { phase: 'interrupting', intoQueue: false }, b: 'held' },
      shown: { draft: 'text of a', isQueueStopped: true },
      reactions: [CLEARED],
      end: { kind: 'nothing' },
      phases: { a: 'interrupted', b: 'held' },
      log: ['clear', 'read_transcript', 'a: interrupted', 'forget_digits'],
    },
    {
      name: 'that is cancelled while it waits is not typed',
      texts: { a: 'behind_view' },
      reactions: [{ on: 'beginning', afterMs: 300, cancel: 'a' }],
      end: { kind: 'nothing' },
      phases: { a: 'cancelled' },
    },
  ])('$name', (row) => check({ kind: 'flush' }, row));
});

describe('a text that is removed from the prompt', () => {
  const takeOut = (row: Omit<Row, 'end' | 'name'>, seconds?: number): { scene: DeliveryScene; isEmpty: boolean } => {
    const scene = new DeliveryScene();
    for (const [id, more] of Object.entries(row.texts ?? {})) {
      scene.add(id, typeof more === 'string' ? { phase: more } : more);
    }
    scene.shown = { ...scene.shown, ...row.shown };
    if (seconds !== undefined) scene.clearedAt = scene.see().now.wall - seconds * 1_000;
    const state = scene.play(advanceTakingOut, { at: 'begin' }, row.reactions ?? []);
    if (state.at !== 'over') throw new Error(state.at);
    return { scene, isEmpty: state.isEmpty };
  };

  test.each<[DeliveryPhase, Partial<DeliveryRecord>, DeliveryPhase]>([
    ['under_view', {}, 'taken_out'],
    ['unread', {}, 'taken_out'],
    ['looking', { held: true }, 'resumed'],
    ['looking', { idempotencyKey: 'k' }, 'resumed'],
    ['looking', {}, 'cleared'],
    ['entering', {}, 'cleared'],
    ['typing', {}, 'cleared'],
    ['never_shown', {}, 'cleared'],
    ['no_sign', {}, 'cleared'],
    ['failed', { reason: 'Screen has no session 1.S' }, 'failed'],
    ['unsent', {}, 'unsent'],
    ['cancelled_typed', {}, 'cancelled_typed'],
    ['put_back', {}, 'put_back'],
    ['behind_dialog', {}, 'behind_dialog'],
    ['answering', { intoQueue: true }, 'put_back'],
  ])('a text that was %s %j is %s afterwards', (phase, more, after) => {
    const texts = { a: { phase, ...more } };
    const { scene, isEmpty } = takeOut({ texts, shown: { draft: 'text of a' }, reactions: [CLEARED] });
    expect([isEmpty, scene.phase('a')]).toEqual([true, after]);
    expect(scene.records[0]?.intoQueue ?? false).toBe(false);
  });

  test.each<[DeliveryPhase]>([['held'], ['cancelled'], ['taken_back'], ['taken'], ['session_ended']])(
    'a text that is %s is none of it: what reads the same is somebody’s',
    (phase) => {
      const { scene, isEmpty } = takeOut({ texts: { a: phase }, shown: { draft: 'text of a' } });
      expect([isEmpty, scene.log]).toEqual([false, []]);
    },
  );

  test('the prompt of an interrupted turn stays interrupted, and texts that waited behind it are held again', () => {
    const { scene } = takeOut({
      texts: { a: { phase: 'interrupting' }, b: { phase: 'taken', intoQueue: true } },
      shown: { draft: 'text of a\ntext of b', told: told(['text of b']) },
      reactions: [CLEARED],
    });
    expect([scene.phase('a'), scene.phase('b')]).toEqual(['interrupted', 'put_back']);
  });

  test.each<[string, string, Record<string, number>, DeliveryPhase[]]>([
    ['of which one waited', 'again\nagain', {}, ['interrupted', 'put_back']],
    ['of which two waited', 'again\nagain\nagain', { again: 2 }, ['interrupted', 'put_back', 'put_back']],
    ['which all waited, while the interrupted prompt stays', 'again\nagain', { again: 2 }, ['put_back', 'put_back']],
  ])('texts with the same words, %s: each becomes what happened to it', (_, draft, repeated, phases) => {
    const ids = ['a', 'b', 'c'].slice(0, phases.length);
    const texts = ids.map((id, index) => {
      const isPrompt = index === 0 && phases[0] === 'interrupted';
      return [id, { text: 'again', phase: isPrompt ? 'interrupting' : 'taken', intoQueue: !isPrompt }] as const;
    });
    const before = phases[0] === 'interrupted' ? [] : [['of', { text: 'other', phase: 'interrupting' }] as const];
    const { scene } = takeOut({
      texts: Object.fromEntries([...before, ...texts]),
      shown: {
        draft,
        told: { ...NOTHING_TOLD, putBack: new Map([['again', 1]]), repeated: new Map(Object.entries(repeated)) },
      },
      reactions: [CLEARED],
    });
    expect(ids.map((id) => scene.phase(id))).toEqual(phases);
  });

  test('a turn that took several prompts is interrupted with all of them', () => {
    const { scene } = takeOut({
      texts: { a: { phase: 'taken', intoQueue: true }, b: { phase: 'interrupting', intoQueue: true } },
      shown: { draft: 'text of a\ntext of b', told: told([], ['text of a', 'text of b']) },
      reactions: [CLEARED],
    });
    expect([scene.phase('a'), scene.phase('b')]).toEqual(['interrupted', 'interrupted']);
  });

  test('a second ^C comes 4 s after the first, even if a former server typed that one', () => {
    const { scene } = takeOut({ texts: { a: 'never_shown' }, shown: { draft: 'text of a' }, reactions: [CLEARED] }, 1);
    expect(scene.times[scene.log.indexOf('clear')]).toBe(3_000);
  });

  test('if the key closes a view that opened at the same moment, it is typed once more, 4 s later', () => {
    const { scene, isEmpty } = takeOut({
      texts: { a: 'never_shown' },
      shown: { draft: 'text of a' },
      reactions: [
        { on: 'clear', afterMs: 40, see: {} },
        { ...CLEARED, afterMs: 39 },
      ],
    });
    const at = scene.log.flatMap((entry, index) => (entry === 'clear' ? (scene.times[index] ?? 0) : []));
    expect([isEmpty, at]).toEqual([true, [300, 4_300]]);
  });

  test.each<[string, Partial<Shown>, Reaction[]]>([
    ['a turn runs', { drawnRunning: true }, []],
    ['the next key would end Claude Code', { footer: 'Press Ctrl-C again to exit' }, []],
    [
      'the text is sent automatically',
      {},
      [{ on: 'beginning', afterMs: 100, see: { draft: null }, hook: 'text of a' }],
    ],
    ['somebody adds to the text', {}, [{ on: 'beginning', afterMs: 100, see: { draft: 'text of a and more' } }]],
  ])('nothing is typed where %s', (_, shown, reactions) => {
    const { scene } = takeOut({ texts: { a: 'never_shown' }, shown: { draft: 'text of a', ...shown }, reactions });
    expect(scene.log).not.toContain('clear');
  });

  test('a turn that begins at any moment before the key prevents it', () => {
    for (let afterMs = 0; afterMs < 300; afterMs += 10) {
      const turn: Reaction = { on: 'beginning', afterMs, see: { drawnRunning: true } };
      const { scene } = takeOut({ texts: { a: 'never_shown' }, shown: { draft: 'text of a' }, reactions: [turn] });
      expect([afterMs, scene.log.includes('clear')]).toEqual([afterMs, false]);
    }
  });

  test('a prompt that a person typed, and an interrupt put back, is not a delivery', () => {
    const scene = new DeliveryScene();
    scene.shown.draft = 'a long\n  prompt';
    expect(scene.play(advanceTakingOut, takeOutPrompt('a long prompt', scene.see()), [CLEARED])).toEqual({
      at: 'over',
      isEmpty: true,
    });
    expect(scene.log).toEqual(['clear', 'forget_digits']);
  });

  test('a prompt that comes back late from an interrupt is recognized, and must be removed', () => {
    const scene = new DeliveryScene();
    const now = scene.see().now.wall;
    scene.add('a', { phase: 'interrupted', updatedAt: now - 4_000 });
    scene.shown.draft = 'text of a';
    expect(leftoversOf(scene.see())).toHaveLength(1);
    expect(hasToTakeOut(scene.see())).toBe(true);
    expect(keepReturned(scene.see())).toEqual([{ id: 'a', phase: 'interrupting_again', keepsTime: true }]);
    const later = new DeliveryScene();
    later.add('a', { phase: 'interrupted', updatedAt: now - 6_000 });
    later.shown.draft = 'text of a';
    expect(leftoversOf(later.see())).toBeNull();
  });
});

function tool(at: number) {
  const now = new DeliveryScene().see().now.wall;
  return { id: 't', name: 'Bash', input: {}, at: now + at, requestedAt: null, agent: null };
}
