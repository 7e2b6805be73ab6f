import { describe, expect, test } from 'vitest';
import {
  advanceStatus,
  asksFirst,
  DEFAULT_THRESHOLDS,
  type Evidence,
  type HookEvidence,
  moveEvidence,
  moveMemory,
  NO_HOOKS,
  observeHook,
  questionOf,
  restoreDialogs,
  type ScreenEvidence,
  type StatusMemory,
  settleCall,
} from '../../../src/core/status/index.ts';
import type { Question } from '../../../src/protocol/index.ts';
import { bash, evidenceOf, FRAMES, frame, hook, hooksOf, screenOf } from './evidence-maker.ts';

const PROMPTED = hook(0, 'UserPromptSubmit');
const asking = (id: string, at: number, command?: string) => [
  hook(at, 'PreToolUse', bash(id, command)),
  hook(at + 1, 'PermissionRequest', { ...bash(id, command), tool_use_id: undefined }),
];
const DRAWN = screenOf([0, FRAMES.thinking], [100, FRAMES.permission]);

function step(previous: StatusMemory | null, evidence: Partial<Evidence>, now: number): StatusMemory {
  return advanceStatus(previous, { evidence: evidenceOf(evidence), now, thresholds: DEFAULT_THRESHOLDS }).memory;
}

function asked({ question }: StatusMemory): Question {
  if (question === null) throw new Error('a question is expected');
  return question;
}

/** The same dialog as a restarted server sees it, which does not know when it was drawn first. */
const REDRAWN = screenOf([1_700, FRAMES.permission]);

/** Returns what a restarted server knows of a status. */
const afterRestart = (memory: StatusMemory): StatusMemory => ({
  ...{ ...memory, question: null, questions: [], wait: null },
  shown: restoreDialogs(memory.shown),
});

const seenBeforeItsHook = (screen: ScreenEvidence | null = DRAWN): StatusMemory =>
  step(null, { hooks: hooksOf(PROMPTED), screen }, 900);

describe('a dialog that was on the screen before its hook was read', () => {
  const hooks = hooksOf(PROMPTED, ...asking('a', 90));

  test('keeps its id however often the status is derived after that', () => {
    const drawn = seenBeforeItsHook();
    let memory = drawn;
    for (const now of [1_000, 1_100, 5_000]) {
      memory = step(memory, { hooks, screen: DRAWN }, now);
      expect(memory.question).toMatchObject({ id: asked(drawn).id, tool: { name: 'Bash' } });
      expect(memory.questions.map(({ id }) => id)).toEqual([asked(drawn).id]);
    }
  });

  test('is also known by the id of its call, which another server gives it', () => {
    const named = step(seenBeforeItsHook(), { hooks, screen: DRAWN }, 1_000);
    const elsewhere = step(null, { hooks, screen: DRAWN }, 1_000);
    expect(asked(elsewhere).id).not.toBe(asked(named).id);
    expect(questionOf(named, asked(elsewhere).id)?.id).toBe(asked(named).id);
  });

  test('keeps its id over a restart of the server, whichever source is read first', () => {
    const drawn = seenBeforeItsHook();
    const named = step(drawn, { hooks, screen: DRAWN }, 1_000);
    for (const first of [{ hooks }, { hooks, screen: REDRAWN }]) {
      const early = step(afterRestart(named), first, 2_000);
      expect(asked(step(early, { hooks, screen: REDRAWN }, 2_500)).id).toBe(asked(drawn).id);
    }
  });

  test('keeps its id if its hook reports while no server runs', () => {
    const drawn = seenBeforeItsHook();
    for (const first of [{ hooks }, { hooks: hooksOf(PROMPTED), screen: REDRAWN }]) {
      const early = step(afterRestart(drawn), first, 2_600);
      const named = step(early, { hooks, screen: REDRAWN }, 2_700);
      expect(asked(named).id).toBe(asked(drawn).id);
      expect(questionOf(named, asked(early).id)?.id).toBe(asked(drawn).id);
    }
  });

  test('keeps its id if the clock is set, and if the reports of the hooks are lost', () => {
    const drawn = seenBeforeItsHook();
    const named = step(drawn, { hooks, screen: DRAWN }, 1_000);
    const moved = moveEvidence(evidenceOf({ hooks, screen: DRAWN }), 7_200_000);
    const later = step(moveMemory(named, 7_200_000), moved, 7_202_000);
    expect(asked(later).id).toBe(asked(drawn).id);
    expect(step(named, { hooks: NO_HOOKS, screen: DRAWN }, 3_000).question).toMatchObject({
      id: asked(drawn).id,
      tool: null,
    });
  });

  test.each([9, 12])('keeps its id if only its first %i rows were drawn at first', (rows) => {
    const half = frame(FRAMES.permission.lines.slice(0, rows));
    const screen = screenOf([0, FRAMES.thinking], [100, half]);
    const drawing = step(null, { hooks: hooksOf(PROMPTED), screen }, 30_900);
    expect(asked(drawing).options).toEqual([]);
    const whole = screenOf([0, FRAMES.thinking], [100, half], [31_000, FRAMES.permission]);
    const drawn = step(drawing, { hooks: hooksOf(PROMPTED), screen: whole }, 31_900);
    expect(drawn.question).toMatchObject({ id: asked(drawing).id, options: [{}, {}, {}] });
    expect(asked(step(drawn, { hooks, screen: whole }, 32_000)).id).toBe(asked(drawing).id);
  });
});

describe('two dialogs in a row that look the same', () => {
  const SCREENS = [
    ['with another screen between them', screenOf([0, FRAMES.tool], [1_900, FRAMES.permission])],
    ['without any screen between them', DRAWN],
  ] as const;
  const ended = hook(2_000, 'PostToolUse', bash('a'));

  /** Fails if the first dialog's ids, or the id of its call, still name a question. */
  function expectStale(memory: StatusMemory, first: StatusMemory): void {
    for (const { id, also, call } of first.shown) {
      for (const one of [id, ...also, call ?? id]) expect(questionOf(memory, one)).toBeUndefined();
    }
  }

  test.each(SCREENS)('have different ids, %s', (_, later) => {
    const first = hooksOf(PROMPTED, ...asking('a', 90));
    const a = step(seenBeforeItsHook(), { hooks: first, screen: DRAWN }, 1_000);
    const between = observeHook(first, ended);
    const b = step(a, { hooks: between, screen: later }, 3_000);
    expect(b.question).toMatchObject({ kind: 'permission', tool: null, text: asked(a).text });
    expectStale(b, a);
    const told: HookEvidence = asking('b', 2_100).reduce(observeHook, between);
    for (const now of [3_100, 3_200]) {
      const named = step(b, { hooks: told, screen: later }, now);
      expect(named.question).toMatchObject({ id: asked(b).id, tool: { name: 'Bash' } });
      expectStale(named, a);
    }
    const restarted = step(afterRestart(b), { hooks: told, screen: later }, 4_000);
    expect(asked(restarted).id).toBe(asked(b).id);
    expectStale(restarted, a);
  });

  describe('of which the first one was closed before its hook was read', () => {
    const next = screenOf(
      [0, FRAMES.thinking],
      [100, FRAMES.permission],
      [1_000, FRAMES.tool],
      [1_900, FRAMES.permission],
    );
    const late = hooksOf(PROMPTED, ...asking('a', 90));

    test.each([
      ['and another screen was seen between them', true],
      ['and no other screen was seen between them', false],
    ])('have different ids, %s', (_, isSeenBetween) => {
      const a = seenBeforeItsHook();
      const between = screenOf([0, FRAMES.thinking], [100, FRAMES.permission], [1_000, FRAMES.tool]);
      const closed = isSeenBetween ? step(a, { hooks: hooksOf(PROMPTED), screen: between }, 1_800) : a;
      const b = step(closed, { hooks: hooksOf(PROMPTED), screen: next }, 2_800);
      const early = step(b, { hooks: late, screen: next }, 2_900);
      for (const memory of [b, early]) expect(questionOf(memory, asked(a).id)).toBeUndefined();
      expect(asked(early).id).toBe(asked(b).id);
    });

    test('have different ids, even if the server restarts while the second one is open', () => {
      const a = seenBeforeItsHook();
      const b = step(a, { hooks: hooksOf(PROMPTED), screen: next }, 2_800);
      const again = screenOf([3_700, FRAMES.permission]);
      const early = step(afterRestart(b), { hooks: late, screen: again }, 4_700);
      expect(questionOf(early, asked(a).id)).toBeUndefined();
    });

    test.each([
      ['and saw the first one again', REDRAWN],
      ['and saw the first one closed', screenOf([1_700, FRAMES.tool])],
    ])('have different ids, even if the server restarted before, %s', (_, screen) => {
      const a = seenBeforeItsHook();
      const restarted = step(afterRestart(a), { hooks: hooksOf(PROMPTED), screen }, 2_600);
      const later = screenOf([1_700, FRAMES.tool], [3_700, FRAMES.permission]);
      const b = step(restarted, { hooks: hooksOf(PROMPTED), screen: later }, 4_600);
      const early = step(b, { hooks: late, screen: later }, 4_700);
      expect(asked(early).id).toBe(asked(b).id);
      expect(questionOf(early, asked(a).id)).toBeUndefined();
    });
  });

  test.each(SCREENS)(
    'have different ids if CBOS answered the first one and the second hook is late, %s',
    (_, later) => {
      const first = hooksOf(PROMPTED, ...asking('a', 90).map((event) => ({ ...event, wait: 'w' })));
      const a = step(null, { hooks: first, screen: DRAWN }, 1_000);
      const running = settleCall(first, 'w', false);
      const b = step(a, { hooks: running, screen: later }, 3_000);
      expectStale(b, a);
      const told = asking('b', 1_400).reduce(observeHook, observeHook(running, ended));
      const named = step(b, { hooks: told, screen: later }, 3_500);
      expect(asked(named).id).toBe(asked(b).id);
      expectStale(named, a);
    },
  );
});

test('the questions of agents keep their ids when they come to the front', () => {
  const ofAgent = (agent: string, at: number, command: string) =>
    asking(agent, at, command).map((event) => ({ ...event, payload: { ...event.payload, agent_id: agent } }));
  const front = frame(FRAMES.permission.lines.with(6, ' npm audit'));
  const first = screenOf([0, FRAMES.thinking], [100, FRAMES.permission]);
  const both = hooksOf(PROMPTED, ...ofAgent('one', 90, 'npm test'), ...ofAgent('two', 200, 'npm audit'));
  const drawn = seenBeforeItsHook(first);
  const named = step(drawn, { hooks: both, screen: first }, 1_000);
  expect(named.questions).toMatchObject([{ id: asked(drawn).id }, { behind: true }]);
  const screen = screenOf([0, FRAMES.thinking], [100, FRAMES.permission], [1_200, front]);
  const hooks = observeHook(both, hook(1_100, 'PostToolUse', { ...bash('one'), agent_id: 'one' }));
  const next = step(named, { hooks, screen }, 2_000);
  expect(next.questions.map(({ id }) => id)).toEqual([named.questions[1]?.id]);
});

test('a dialog that a restarted server knows by its call comes first under either id, until another one does', () => {
  const hooks = hooksOf(PROMPTED, ...asking('a', 90));
  const known = step(afterRestart(seenBeforeItsHook()), { hooks }, 1_600);
  const { id } = asked(known);
  const drawn = step(known, { hooks, screen: REDRAWN }, 2_500);
  expect(asked(drawn).id).not.toBe(id);
  for (const either of [id, asked(drawn).id]) expect(asksFirst(drawn, either)).toBe(true);
  const next = step(drawn, { hooks: hooksOf(PROMPTED, ...asking('b', 3_000)), screen: null }, 3_100);
  for (const either of [id, asked(drawn).id]) expect(asksFirst(next, either)).toBe(false);
});
