import { expect, test } from 'vitest';
import { advanceTyping, type Became, enterLeft, typeText } from '../../../src/core/delivery/type-text.ts';
import type { DeliveryPhase } from '../../../src/protocol/index.ts';
import { deliveryNote } from '../../../src/text/delivery-words.ts';
import { DeliveryScene, type Reaction, type Shown } from '../../harness/delivery-scene.ts';

const TEXT = 'text of a';
const DRAWN: Reaction = { on: 'type', afterMs: 60, see: { draft: TEXT } };
const TAKEN: Reaction = { on: 'enter', afterMs: 40, see: { draft: null }, hook: TEXT };

interface Row {
  name: string;
  reactions: Reaction[];
  shown?: Partial<Shown>;
  how?: { confirm: 'turn' | 'queue'; force: boolean };
  command?: true;
  becomes: [Became, DeliveryPhase];
  /** how often Enter was pressed; 1 if omitted */
  enters?: number;
}

const ROWS: Row[] = [
  { name: 'that appears, and that a hook reports', reactions: [DRAWN, TAKEN], becomes: ['settled', 'taken'] },
  {
    name: 'that appears, and after which a turn begins',
    reactions: [DRAWN, { on: 'enter', afterMs: 30, see: { draft: null, primary: 'active' } }],
    becomes: ['settled', 'taken'],
  },
  {
    name: 'whose Enter is swallowed: Enter is pressed once more',
    reactions: [DRAWN, { on: 'enter', afterMs: 5, see: {} }, { ...TAKEN, afterMs: 4 }],
    becomes: ['settled', 'taken'],
    enters: 2,
  },
  {
    name: 'that stays in the prompt, whatever is pressed',
    reactions: [DRAWN],
    becomes: ['unconfirmed', 'entering'],
    enters: 2,
  },
  {
    name: 'that never appears, with an empty prompt afterwards',
    reactions: [],
    becomes: ['settled', 'never_shown'],
  },
  {
    name: 'that never appears, and that a hook reports',
    reactions: [{ on: 'enter', afterMs: 300, hook: TEXT }],
    becomes: ['settled', 'taken'],
  },
  {
    name: 'that never appears while another turn begins: nothing shows that it was taken',
    reactions: [{ on: 'enter', afterMs: 30, see: { primary: 'active' } }],
    becomes: ['settled', 'never_shown'],
  },
  {
    name: 'that appears late on a loaded machine, and is taken then',
    reactions: [
      { on: 'type', afterMs: 4_000, see: { draft: TEXT } },
      { ...TAKEN, afterMs: 900 },
    ],
    becomes: ['settled', 'taken'],
  },
  {
    name: 'without hooks: a turn that begins confirms it, although the text never appeared',
    reactions: [{ on: 'enter', afterMs: 30, see: { primary: 'active' } }],
    shown: { isLaunched: false },
    becomes: ['settled', 'taken'],
  },
  {
    name: 'before whose Enter a dialog opens',
    reactions: [{ on: 'type', afterMs: 100, see: { dialog: true, primary: 'waiting' } }],
    becomes: ['settled', 'behind_dialog'],
    enters: 0,
  },
  {
    name: 'that appears below a dialog that opens while it is read',
    reactions: [DRAWN, { on: 'type', afterMs: 120, see: { dialog: true } }],
    becomes: ['settled', 'behind_dialog'],
    enters: 0,
  },
  {
    name: 'above which a dialog opens while Screen is about to press Enter',
    reactions: [DRAWN, { on: 'aiming', afterMs: 0, see: { dialog: true, primary: 'waiting' } }],
    becomes: ['settled', 'behind_dialog'],
    enters: 0,
  },
  {
    name: 'whose second Enter a dialog would take',
    reactions: [DRAWN, { on: 'aiming', afterMs: 1, see: {} }, { on: 'aiming', afterMs: 0, see: { dialog: true } }],
    becomes: ['unconfirmed', 'entering'],
    enters: 1,
  },
  {
    name: 'before whose Enter a view opens',
    reactions: [{ on: 'type', afterMs: 90, see: { cover: 'transcript' } }],
    becomes: ['settled', 'behind_view'],
    enters: 0,
  },
  {
    name: 'above which a view opens when Enter is pressed',
    reactions: [DRAWN, { on: 'enter', afterMs: 10, see: { cover: 'transcript' } }],
    becomes: ['settled', 'under_view'],
  },
  {
    name: 'below a transcript, where a turn seems to run: that confirms nothing',
    reactions: [DRAWN, { on: 'enter', afterMs: 10, see: { cover: 'transcript', primary: 'active' } }],
    becomes: ['settled', 'under_view'],
  },
  {
    name: 'next to which somebody types',
    reactions: [{ on: 'type', afterMs: 60, see: { draft: `mine ${TEXT}` } }],
    becomes: ['beside_draft', 'typing'],
    enters: 0,
  },
  {
    name: 'next to which an older text of CBOS is left',
    reactions: [{ on: 'type', afterMs: 60, see: { draft: `text of older${TEXT}` } }],
    becomes: ['beside_leftover', 'beside_leftover'],
    enters: 0,
  },
  {
    name: 'that the session does not read',
    reactions: [{ on: 'type', afterMs: 0, see: { isUnread: true } }],
    becomes: ['settled', 'unread'],
    enters: 0,
  },
  {
    name: 'that the session reads late',
    reactions: [
      { on: 'type', afterMs: 0, see: { isUnread: true } },
      { on: 'type', afterMs: 6_000, see: { isUnread: false, draft: TEXT } },
      TAKEN,
    ],
    becomes: ['settled', 'taken'],
  },
  {
    name: 'that a person sends before CBOS does is not entered again',
    reactions: [DRAWN, { on: 'type', afterMs: 140, see: { draft: null }, hook: TEXT }],
    becomes: ['settled', 'taken'],
    enters: 0,
  },
  {
    name: 'that a person sends before CBOS does, and after which a dialog opens, is not sent again',
    reactions: [
      DRAWN,
      { on: 'type', afterMs: 140, see: { draft: null, dialog: true, primary: 'waiting' }, hook: TEXT },
    ],
    becomes: ['settled', 'taken'],
    enters: 0,
  },
  {
    name: 'that the late hook of an older text with the same words reports is entered nevertheless',
    reactions: [
      { ...DRAWN, hook: TEXT },
      { on: 'enter', afterMs: 40, see: { draft: null } },
    ],
    becomes: ['settled', 'taken'],
  },
  {
    name: 'for the queue: it has left the box',
    reactions: [DRAWN, { on: 'enter', afterMs: 80, see: { draft: null } }],
    shown: { primary: 'active' },
    how: { confirm: 'queue', force: false },
    becomes: ['settled', 'taken'],
  },
  {
    name: 'for the queue that stays in the box: Enter is pressed once more, and nothing confirms it',
    reactions: [DRAWN],
    shown: { primary: 'active' },
    how: { confirm: 'queue', force: false },
    becomes: ['unconfirmed', 'entering'],
    enters: 2,
  },
  {
    name: 'that is a command: no hook reports it, an empty prompt confirms it',
    reactions: [
      { on: 'type', afterMs: 60, see: { draft: TEXT } },
      { on: 'enter', afterMs: 40, see: { draft: null } },
    ],
    command: true,
    becomes: ['settled', 'taken'],
  },
  {
    name: 'by force: nothing in the way is checked',
    reactions: [{ on: 'enter', afterMs: 30, see: { dialog: false, primary: 'active' } }],
    shown: { dialog: true, primary: 'waiting' },
    how: { confirm: 'turn', force: true },
    becomes: ['settled', 'taken'],
  },
  {
    name: 'when the session ends',
    reactions: [DRAWN, { on: 'enter', afterMs: 20, see: { isDead: true, primary: 'dead' } }],
    becomes: ['unconfirmed', 'entering'],
  },
];

test.each(ROWS)('a text $name', ({ reactions, shown = {}, how, command, becomes, enters = 1 }) => {
  const scene = new DeliveryScene();
  scene.add('older', { phase: 'never_shown' });
  const record = scene.add('a', command ? { command } : {});
  scene.shown = { ...scene.shown, ...shown };
  const how_ = how ?? { confirm: 'turn' as const, force: false };
  const end = scene.play(advanceTyping, typeText(record, how_, scene.see()), reactions);
  expect(end).toEqual({ at: 'over', became: becomes[0] });
  expect(scene.phase('a')).toBe(becomes[1]);
  expect(scene.log.filter((entry) => entry === 'enter')).toHaveLength(enters);
  expect(scene.log.filter((entry) => entry === 'type')).toHaveLength(1);
});

test.each([
  { agoMs: 1_000, became: 'beside_leftover', phases: ['put_back', 'beside_leftover'] },
  { agoMs: 60_000, became: 'beside_draft', phases: ['taken', 'typing'] },
])('a text next to one that the queue gave back $agoMs ms after it was taken', ({ agoMs, became, phases }) => {
  const scene = new DeliveryScene();
  const { now } = scene.see();
  scene.add('queued', { phase: 'taken', intoQueue: true, updatedAt: now.wall - agoMs });
  const record = scene.add('a');
  const end = scene.play(advanceTyping, typeText(record, { confirm: 'turn', force: false }, scene.see()), [
    { on: 'type', afterMs: 60, see: { draft: `text of queued${TEXT}` } },
  ]);
  expect(end).toEqual({ at: 'over', became });
  expect(['queued', 'a'].map((id) => scene.phase(id))).toEqual(phases);
  expect(scene.log).not.toContain('enter');
});

test('how far it may have got is recorded before each step', () => {
  const scene = new DeliveryScene();
  const record = scene.add('a');
  scene.play(advanceTyping, typeText(record, { confirm: 'turn', force: false }, scene.see()), [DRAWN, TAKEN]);
  expect(scene.log).toEqual(['a: typing', 'type', 'a: entering', 'enter', 'forget_digits', 'a: taken']);
});

test('a text for the queue is recorded as such', () => {
  const scene = new DeliveryScene();
  const record = scene.add('a');
  scene.shown.primary = 'active';
  const left = { on: 'enter', afterMs: 80, see: { draft: null } } as const;
  scene.play(advanceTyping, typeText(record, { confirm: 'queue', force: false }, scene.see()), [DRAWN, left]);
  expect(scene.records[0]).toMatchObject({ phase: 'taken', intoQueue: true });
});

test('Enter waits until a long text is read, and no longer than the text takes to appear', () => {
  const scene = new DeliveryScene();
  const record = scene.add('a', { text: 'x'.repeat(50_000) });
  scene.play(advanceTyping, typeText(record, { confirm: 'turn', force: false }, scene.see()), [
    { on: 'type', afterMs: 500, see: { draft: '[Pasted text #1]' } },
    { on: 'enter', afterMs: 50, see: { draft: null, primary: 'active' } },
  ]);
  expect(scene.times[scene.log.indexOf('enter')]).toBe(2_150);
});

test.each<[string, Reaction[], Became, number]>([
  ['that is alone is entered', [{ on: 'enter', afterMs: 40, see: { draft: null }, hook: TEXT }], 'settled', 1],
  ['that is sent automatically is not', [{ on: 'beginning', afterMs: 100, see: { draft: null } }], 'not_alone', 0],
  ['that somebody adds to is not', [{ on: 'beginning', afterMs: 100, see: { draft: `${TEXT}!` } }], 'not_alone', 0],
  ['above which a dialog opens is not', [{ on: 'beginning', afterMs: 100, see: { dialog: true } }], 'not_alone', 0],
])('a text that a killed server left in the prompt and %s', (_, reactions, became, enters) => {
  const scene = new DeliveryScene();
  const record = scene.add('a', { phase: 'looking', held: true });
  scene.shown.draft = TEXT;
  expect(scene.play(advanceTyping, enterLeft(record, scene.see()), reactions)).toEqual({ at: 'over', became });
  expect(scene.log.filter((entry) => entry === 'enter')).toHaveLength(enters);
  expect(scene.log).not.toContain('type');
});

test.each<['turn' | 'queue', Shown['conversed'], string]>([
  ['turn', 'unreported', 'had not reported which conversation'],
  ['queue', 'unreported', "in Claude Code's own queue. Claude Code had not reported which conversation"],
  ['turn', 'known', 'none'],
])('the note says that CBOS guessed the conversation: sent for the %s, %s', (confirm, conversed, note) => {
  const scene = new DeliveryScene();
  const record = scene.add('a', { phase: 'held', text: TEXT });
  scene.shown = { ...scene.shown, conversed };
  scene.play(advanceTyping, typeText(record, { confirm, force: false }, scene.see()), [DRAWN, TAKEN]);
  const { phase, intoQueue, reason } = scene.records[0] ?? record;
  expect(phase).toBe('taken');
  expect(deliveryNote(phase, intoQueue, reason) ?? 'none').toContain(note);
});

test.each([
  ['does not make the turn before it interrupted, if nothing shows that an Esc ended it', false, 'taken'],
  ['makes the turn before it interrupted, if the status shows that', true, 'interrupted'],
] as const)('a text that is typed after an unconfirmed interrupt %s', (_, isInterrupted, phase) => {
  const scene = new DeliveryScene();
  scene.add('b', { phase: 'interrupting' });
  scene.shown = { ...scene.shown, isInterrupted, prompt: 'text of b' };
  const state = typeText(scene.add('a'), { confirm: 'turn', force: false }, scene.see());
  scene.play(advanceTyping, state, [
    DRAWN,
    { ...TAKEN, see: { draft: null, primary: 'active', isInterrupted: false } },
  ]);
  expect([scene.phase('a'), scene.phase('b')]).toEqual(['taken', phase]);
});
