import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  advanceStatus,
  DEFAULT_THRESHOLDS,
  derive,
  type Evidence,
  moveEvidence,
  NO_HOOKS,
  observeHook,
  observeScreen,
  readScreen,
  type ScreenEvidence,
  type StatusMemory,
  statusView,
} from '../../../src/core/status/index.ts';
import { type Question, Status } from '../../../src/protocol/index.ts';
import { FRAMES, frame, RULE } from './evidence-maker.ts';

const pieces = [
  '❯ ',
  '> ',
  '1. Yes',
  '2. No',
  '● ',
  '  ⎿  ',
  '✻ Brewing…',
  '(3s',
  ' · esc to interrupt)',
  RULE,
  '│',
  '╭──╮',
  '╰──╯',
  '☐ ',
  '☒ ',
  '[ ] ',
  '←',
  '→',
  'Esc to cancel',
  'Do you want to proceed?',
  'API Error',
  'x',
  ' ',
  '   ',
  '\u00a0',
  '漢字',
  '👩‍👩‍👧',
  '\ud800',
  '\u0000',
];
const line = fc.oneof(
  fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((parts) => parts.join('')),
  fc.string({ unit: 'binary', maxLength: 90 }),
);
const anyFrame = fc.oneof(
  fc.constantFrom(...Object.values(FRAMES)),
  fc
    .record({
      lines: fc.array(line, { maxLength: 30 }),
      row: fc.integer({ min: 0, max: 40 }),
      col: fc.integer({ min: 0, max: 90 }),
    })
    .map(({ lines, row, col }) => frame(lines, { cursor: { row, col } })),
  fc
    .record({ base: fc.constantFrom(...Object.values(FRAMES)), at: fc.nat(23), line })
    .map(({ base, at, line: other }) => frame(base.lines.with(at, other))),
);
const anyHook = fc.record({
  event: fc.oneof(
    fc.constantFrom(
      'SessionStart',
      'UserPromptSubmit',
      'PreToolUse',
      'PostToolUse',
      'PermissionRequest',
      'Stop',
      'StopFailure',
      'PreCompact',
      'PostCompact',
      'Notification',
      'SessionEnd',
      '__proto__',
      'constructor',
    ),
    fc.string(),
  ),
  payload: fc.dictionary(
    fc.constantFrom(
      'tool_name',
      'tool_use_id',
      'tool_input',
      'prompt',
      'source',
      'error',
      'last_assistant_message',
      'notification_type',
      'message',
      'agent_id',
    ),
    fc.oneof(
      fc.string(),
      fc.constantFrom('a', 'b', 'Bash', 'AskUserQuestion', 'idle_prompt', 'compact'),
      fc.jsonValue(),
    ),
  ),
});
const anyStep = fc.oneof(
  anyFrame.map((shown) => ({ kind: 'screen' as const, shown })),
  anyHook.map((event) => ({ kind: 'hook' as const, event })),
  fc
    .record({
      status: fc.constantFrom('idle', 'busy', 'waiting', 'shell', null),
      waitingFor: fc.option(fc.string()),
      isTimed: fc.boolean(),
    })
    .map((record) => ({ kind: 'registry' as const, record })),
);

describe('whatever the evidence is', () => {
  test('a frame is read, and always in the same way', () => {
    fc.assert(
      fc.property(anyFrame, (shown) => {
        expect(readScreen(shown)).toEqual(readScreen(shown));
      }),
      { numRuns: 500 },
    );
  });

  test('the status is in the vocabulary, requests only future looks, and comes to rest', () => {
    const steps = fc.array(fc.tuple(anyStep, fc.integer({ min: -2_000, max: 20_000 })), { maxLength: 25 });
    fc.assert(
      fc.property(steps, (all) => {
        let evidence: Evidence = { process: null, screen: null, hooks: NO_HOOKS, registry: null };
        let screen: ScreenEvidence | null = null;
        let memory: StatusMemory | null = null;
        let now = 1_000_000;
        for (const [one, delay] of all) {
          now += Math.max(0, delay);
          // Hooks and registry may report the past.
          const at = now + Math.min(0, delay);
          if (one.kind === 'screen') screen = observeScreen(screen, one.shown, now);
          if (one.kind === 'hook') evidence = { ...evidence, hooks: observeHook(evidence.hooks, { at, ...one.event }) };
          if (one.kind === 'registry') {
            const { status, waitingFor, isTimed } = one.record;
            evidence = {
              ...evidence,
              registry: { status, waitingFor, statusUpdatedAt: isTimed ? at : null, sessionId: null, readAt: now },
            };
          }
          evidence = { ...evidence, screen };
          expect(derive(evidence, now)).toEqual(derive(evidence, now));
          for (let looks = 0; ; looks++) {
            const step = advanceStatus(memory, { evidence, now, thresholds: DEFAULT_THRESHOLDS });
            memory = step.memory;
            Status.parse(statusView(memory, evidence, now));
            if (step.recheckAt === null || looks > 20) {
              expect(looks).toBeLessThan(20);
              break;
            }
            expect(step.recheckAt).toBeGreaterThan(now);
            if (delay < 10_000) break;
            now = step.recheckAt;
          }
        }
      }),
      { numRuns: 300 },
    );
  });

  test('a clock that is set changes no verdict, and no identity', () => {
    const steps = fc.array(fc.tuple(anyStep, fc.integer({ min: -2_000, max: 20_000 })), { maxLength: 12 });
    const byMs = fc.integer({ min: -10_000_000, max: 10_000_000 });
    fc.assert(
      fc.property(steps, byMs, (all, by) => {
        let evidence: Evidence = { process: null, screen: null, hooks: NO_HOOKS, registry: null };
        // No step back of the clock leads to a time before 1970, which no clock shows.
        let now = 100_000_000;
        for (const [one, delay] of all) {
          now += Math.max(0, delay);
          const at = now + Math.min(0, delay);
          if (one.kind === 'screen') evidence = { ...evidence, screen: observeScreen(evidence.screen, one.shown, now) };
          if (one.kind === 'hook') evidence = { ...evidence, hooks: observeHook(evidence.hooks, { at, ...one.event }) };
          if (one.kind === 'registry') {
            const { status, waitingFor, isTimed } = one.record;
            const record = { status, waitingFor, statusUpdatedAt: isTimed ? at : null, sessionId: null, readAt: now };
            evidence = { ...evidence, registry: record };
          }
          const before = derive(evidence, now);
          const after = derive(moveEvidence(evidence, by), now + by);
          const moveBack = (question: Question): Question => ({
            ...question,
            asked_at: new Date(Date.parse(question.asked_at) - by).toISOString(),
          });
          const movedBack = after.question && moveBack(after.question);
          const questions = after.questions.map(moveBack);
          const recheckAt = after.recheckAt === null ? null : after.recheckAt - by;
          expect({ ...after, question: movedBack, questions, recheckAt }).toEqual(before);
          expect(moveEvidence(moveEvidence(evidence, by), -by)).toEqual({ ...evidence, movedMs: 0 });
        }
      }),
      { numRuns: 300 },
    );
  });

  test('no frame takes long to read', () => {
    const hostile = [
      RULE,
      '│'.repeat(200),
      `❯ ${' '.repeat(198)}`,
      `✻ ${'a'.repeat(198)}`,
      `✻ ${'…'.repeat(198)}`,
      `  1. ${' '.repeat(195)}`,
      `${' '.repeat(198)}│`,
      `●${' '.repeat(199)}`,
      `← ${'☐ '.repeat(99)}`,
      `  ⎿${' '.repeat(196)}`,
      `✻ ${'1h '.repeat(66)}`,
      `● A${'('.repeat(190)}`,
    ];
    const worst = Math.max(
      ...hostile.map((text) => {
        const shown = frame(
          Array.from({ length: 50 }, () => text),
          { cols: 200, rows: 50 },
        );
        // The fastest of many runs counts. Other load on the machine cannot make the fastest run slow, but a bad
        // pattern can.
        const times = Array.from({ length: 100 }, () => {
          const begin = performance.now();
          readScreen(shown);
          return performance.now() - begin;
        });
        return Math.min(...times);
      }),
    );
    // The measured mean is below 0.2 ms (bench). Ten times that leaves room for a loaded machine, but not for a bad
    // pattern.
    expect(worst).toBeLessThan(2);
  });
});
