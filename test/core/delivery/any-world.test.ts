import fc from 'fast-check';
import { expect, test } from 'vitest';
import { advance, type Goal, visit } from '../../../src/core/delivery/advance.ts';
import type { DeliveryRecord } from '../../../src/core/delivery/record.ts';
import { advanceTyping, typeText } from '../../../src/core/delivery/type-text.ts';
import { AT_REST, advanceWatch } from '../../../src/core/delivery/watch.ts';
import { DELIVERY_PHASES, type DeliveryPhase } from '../../../src/protocol/index.ts';
import { DeliveryScene, type Reaction, type Shown } from '../../harness/delivery-scene.ts';

const ALL = Object.keys(DELIVERY_PHASES) as DeliveryPhase[];

/** The phases into which a machine may move a text from each phase. No other transition may happen. */
const LEGAL: Readonly<Partial<Record<DeliveryPhase, readonly DeliveryPhase[]>>> = {
  held: ['typing'],
  behind_dialog: ['typing', 'taken'],
  behind_view: ['typing', 'taken'],
  beside_leftover: ['typing', 'taken'],
  put_back: ['typing', 'taken'],
  taken_out: ['typing', 'taken'],
  resumed: ['typing', 'entering', 'taken', 'session_ended'],
  typing: ['entering', 'taken', 'behind_dialog', 'behind_view', 'beside_leftover', 'unread', 'cleared'],
  entering: ['taken', 'under_view', 'never_shown', 'cleared'],
  looking: ['entering', 'taken', 'no_sign', 'resumed', 'cleared'],
  under_view: ['taken', 'taken_out'],
  unread: ['taken', 'taken_out'],
  taken_back: ['taken'],
  taken: ['interrupted', 'put_back', 'taken_back', 'refused_back', 'refused', 'session_ended', 'no_sign'],
  answering: ['taken', 'put_back', 'taken_back', 'interrupted'],
  interrupting: ['interrupted', 'taken', 'put_back', 'taken_back'],
  interrupted: ['put_back', 'taken_back'],
  interrupting_again: ['interrupted', 'put_back', 'taken_back'],
  never_shown: ['taken', 'cleared'],
  no_sign: ['taken', 'cleared'],
  cleared: ['taken'],
  unsent: ['taken'],
  refused_back: ['refused', 'taken'],
};

/** What a text may also become whose Enter was withheld, because it is still only typed. */
const WITHHELD: Readonly<Partial<Record<DeliveryPhase, readonly DeliveryPhase[]>>> = {
  ...LEGAL,
  entering: [...(LEGAL.entering ?? []), ...(LEGAL.typing ?? [])],
};

const TEXTS = ['text of a', 'text of b', 'text of c'];
const draft = fc.constantFrom(null, null, ...TEXTS, 'text of a\ntext of b', 'text of atext of b', 'somebody types');
const shown = fc.record<Partial<Shown>>(
  {
    draft,
    cover: fc.constantFrom(null, null, null, 'transcript', 'view', 'unknown'),
    dialog: fc.constantFrom(false, false, true),
    primary: fc.constantFrom('idle', 'idle', 'active', 'waiting'),
    isUnread: fc.constantFrom(false, false, true),
    isDead: fc.constantFrom(false, false, false, true),
    drawnRunning: fc.constantFrom(false, false, true),
  },
  { requiredKeys: [] },
);
const reaction: fc.Arbitrary<Reaction> = fc.record(
  {
    on: fc.constantFrom('beginning', 'type', 'enter', 'clear', 'read_transcript'),
    afterMs: fc.constantFrom(0, 20, 60, 160, 400, 1_600, 2_600, 6_000, 11_000),
    see: shown,
    hook: fc.constantFrom(...TEXTS, 'text of a\ntext of b'),
  },
  { requiredKeys: ['on', 'afterMs'] },
);
const record = fc.record({
  phase: fc.constantFrom<DeliveryPhase[]>('held', 'held', ...ALL.filter((phase) => phase !== 'typing')),
  intoQueue: fc.boolean(),
  held: fc.boolean(),
});
const told = fc.constantFrom(
  null,
  {
    putBack: new Map([['text of a', 1]]),
    taken: new Map<string, number>(),
    queued: new Map([['text of a', 1]]),
    repeated: new Map(),
    refused: new Map(),
    waiting: new Map(),
  },
  {
    putBack: new Map<string, number>(),
    taken: new Map([['text of b', Number.MAX_SAFE_INTEGER]]),
    queued: new Map(),
    repeated: new Map(),
    refused: new Map(),
    waiting: new Map(),
  },
);

const world = fc.record({
  records: fc.array(record, { maxLength: 3 }),
  reactions: fc.array(reaction, { maxLength: 8 }),
  shown,
  told,
});

/** A scene that refuses keypresses where none may be typed. */
class WatchedScene extends DeliveryScene {
  readonly faults: string[] = [];
  isForced = false;

  override doing(kind: string): void {
    const { shown: now, records } = this;
    if (kind === 'enter' && now.dialog && !this.isForced) this.faults.push('Enter below a dialog');
    if (kind === 'enter' && !records.some(({ phase }) => phase === 'entering' || phase === 'taken')) {
      this.faults.push('Enter that nothing recorded');
    }
    if (kind === 'type' && !records.some(({ phase }) => phase === 'typing')) this.faults.push('letters without a word');
    if (kind === 'clear' && (now.drawnRunning || now.draft === null || now.draft.includes('somebody'))) {
      this.faults.push(`^C over ${now.drawnRunning ? 'a turn' : now.draft}`);
    }
  }
}

function sceneOf(from: {
  records: readonly Pick<DeliveryRecord, 'phase' | 'intoQueue' | 'held'>[];
  shown: Partial<Shown>;
  told: Shown['told'];
}): WatchedScene {
  const scene = new WatchedScene();
  from.records.forEach((more, index) => void scene.add('abc'[index] ?? '', more));
  scene.shown = { ...scene.shown, ...from.shown, told: from.told };
  return scene;
}

function judge(scene: WatchedScene): void {
  expect(scene.faults).toEqual([]);
  for (const change of scene.transitions) {
    const [from, to] = change.split(' → ') as [DeliveryPhase, DeliveryPhase];
    // A text that is removed from the prompt and keeps its phase is recorded again, with its time.
    if (from !== to) expect((scene.withheld > 0 ? WITHHELD : LEGAL)[from] ?? [], change).toContain(to);
  }
  const clears = scene.log.flatMap((entry, index) => (entry === 'clear' ? (scene.times[index] ?? 0) : []));
  clears.forEach((at, index) => {
    if (index > 0) expect(at - (clears[index - 1] ?? 0)).toBeGreaterThanOrEqual(4_000);
  });
}

const RUNS = 2_000;

test('whatever is shown, at any time: held texts', () => {
  fc.assert(
    fc.property(world, (from) => {
      const scene = sceneOf(from);
      const goal: Goal = { kind: 'flush' };
      scene.play(advance, visit(goal, scene.see()), from.reactions);
      judge(scene);
      expect(scene.log.filter((entry) => entry === 'type').length).toBeLessThanOrEqual(1);
    }),
    { numRuns: RUNS },
  );
});

test('whatever is shown, at any time: a text that is sent', () => {
  fc.assert(
    fc.property(world, fc.boolean(), (from, queue) => {
      const scene = sceneOf(from);
      const goal: Goal = { kind: 'send', request: { text: 'hello', command: false, force: false, queue } };
      scene.play(advance, visit(goal, scene.see()), from.reactions);
      judge(scene);
      expect(scene.log).not.toContain('type');
    }),
    { numRuns: RUNS },
  );
});

test('whatever is shown, at any time: a text that is typed', () => {
  fc.assert(
    fc.property(world, fc.constantFrom('turn', 'queue'), fc.boolean(), (from, confirm, force) => {
      const scene = sceneOf({
        ...from,
        records: [{ phase: 'held', intoQueue: false, held: false }, ...from.records.slice(1)],
      });
      scene.isForced = force;
      const [text] = scene.records;
      if (text === undefined) return;
      scene.play(advanceTyping, typeText(text, { confirm, force }, scene.see()), from.reactions);
      judge(scene);
      expect(scene.log.filter((entry) => entry === 'type')).toHaveLength(1);
      expect(scene.log.filter((entry) => entry === 'enter').length).toBeLessThanOrEqual(2);
    }),
    { numRuns: RUNS },
  );
});

test('whatever is shown, at any time: nothing is typed by watching', () => {
  fc.assert(
    fc.property(world, (from) => {
      const scene = sceneOf(from);
      scene.play(advanceWatch, AT_REST, from.reactions);
      judge(scene);
      expect(scene.log.filter((entry) => ['type', 'enter', 'clear'].includes(entry))).toEqual([]);
      const gone = scene.log.filter((entry) => entry.endsWith(': session_ended'));
      expect(gone.length === 0 || scene.shown.isDead).toBe(true);
    }),
    { numRuns: RUNS },
  );
});
