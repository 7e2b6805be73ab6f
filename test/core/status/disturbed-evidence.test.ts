import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { derive, type Evidence, observeScreen } from '../../../src/core/status/index.ts';
import { type EvidenceStep, readEvidence } from '../../harness/evidence.ts';
import { type AnnouncedStatus, announce } from './live-evidence.ts';

const FOLDER = fileURLToPath(new URL('../../fixtures/evidence/2.1.329', import.meta.url));
const recorded = readdirSync(FOLDER).filter((name) => name.endsWith('.jsonl'));
const stepsOf = (name: string): EvidenceStep[] => readEvidence(join(FOLDER, name));

/**
 * No person can read a status that is shown for a shorter time. No status may be that short, unless the session passed
 * through it.
 */
const SHORTEST_MS = 300;
/** How late a status may be because of a disturbed source. */
const LATE_MS = 1_500;

interface Stretch {
  primary: string;
  from: number;
  to: number;
}

/** Returns the primaries in order, each with how long it held. */
function stretchesOf(announced: readonly AnnouncedStatus[], end: number): Stretch[] {
  const stretches: Stretch[] = [];
  for (const { word, at } of announced) {
    const primary = word.split('/')[0] ?? word;
    const last = stretches.at(-1);
    if (last !== undefined) last.to = at;
    if (last?.primary !== primary) stretches.push({ primary, from: at, to: end });
  }
  for (const [index, one] of stretches.entries()) one.to = stretches[index + 1]?.from ?? end;
  return stretches;
}

const endOf = (steps: readonly EvidenceStep[]): number => (steps.at(-1)?.t ?? 0) + LATE_MS;

const wordsOf = (stretches: readonly Stretch[]): string[] =>
  stretches
    .map(({ primary }) => primary)
    .filter((word) => word !== 'unknown')
    .filter((word, index, all) => word !== all[index - 1]);

function isWithin(few: readonly string[], many: readonly string[]): boolean {
  let found = 0;
  for (const word of many) if (word === few[found]) found++;
  return found === few.length;
}

/** Checks that nothing false is reported, and that nothing lasting is left out. */
function expectSameWay(steps: readonly EvidenceStep[], disturbed: readonly EvidenceStep[]): void {
  const end = endOf(steps);
  const before = stretchesOf(announce(steps, { tailMs: LATE_MS }), end);
  const after = stretchesOf(announce(disturbed, { tailMs: LATE_MS }), end);
  const lasting = before.filter(({ from, to }) => to - from > LATE_MS);
  expect(isWithin(wordsOf(after), wordsOf(before)), `${wordsOf(after)} in ${wordsOf(before)}`).toBe(true);
  expect(isWithin(wordsOf(lasting), wordsOf(after)), `${wordsOf(lasting)} in ${wordsOf(after)}`).toBe(true);
  expect(after.at(-1)?.primary).toBe(before.at(-1)?.primary);
  // Between two dialogs a turn runs only for a moment, so a status that was already short may become a little shorter.
  const passed = new Set(before.filter(({ from, to }) => to - from < 2 * SHORTEST_MS).map(({ primary }) => primary));
  const short = after.filter(({ from, to, primary }) => to - from < SHORTEST_MS && primary !== 'unknown');
  expect(short.filter(({ primary }) => !passed.has(primary))).toEqual([]);
}

const inOrder = (steps: readonly EvidenceStep[]): EvidenceStep[] => [...steps].sort((a, b) => a.t - b.t);

describe('a session’s course is reported correctly, and nothing flaps, although', () => {
  test.each(recorded)('every hook comes twice: %s', (name) => {
    const steps = stepsOf(name);
    const doubled = steps.flatMap((step): EvidenceStep[] =>
      step.source === 'hook' ? [step, { ...step, t: step.t + 40 }] : [step],
    );
    expectSameWay(steps, inOrder(doubled));
  });

  test.each(recorded)('hooks come 400 ms late, with the time of their event: %s', (name) => {
    const steps = stepsOf(name);
    const arrival = (step: EvidenceStep): number => step.t + (step.source === 'hook' ? 400 : 0);
    expectSameWay(
      steps,
      [...steps].sort((a, b) => arrival(a) - arrival(b)),
    );
  });

  test.each(recorded)('no hook ever comes: %s', (name) => {
    const steps = stepsOf(name);
    expectSameWay(
      steps,
      steps.filter((step) => step.source !== 'hook'),
    );
  });

  const isPrompt = (step: EvidenceStep): boolean => step.source === 'hook' && step.event === 'UserPromptSubmit';

  test.each(recorded.filter((name) => stepsOf(name).some(isPrompt)))('hooks stop coming in mid-turn: %s', (name) => {
    const steps = stepsOf(name);
    const prompted = steps.find(isPrompt)?.t ?? 0;
    expectSameWay(
      steps,
      steps.filter((step) => step.source !== 'hook' || step.t <= prompted),
    );
  });

  test.each(recorded)('there is no registry: %s', (name) => {
    const steps = stepsOf(name);
    expectSameWay(
      steps,
      steps.filter((step) => step.source !== 'registry'),
    );
  });

  test.each(recorded)('the registry keeps reporting what it reported first: %s', (name) => {
    const steps = stepsOf(name);
    const first = steps.find((step) => step.source === 'registry' && step.record !== null);
    expectSameWay(
      steps,
      steps.filter((step) => step.source !== 'registry' || step === first),
    );
  });
});

describe('a server that restarts in the middle reports the same', () => {
  test.each(recorded)('at every moment of %s', (name) => {
    let frameAt: { evidence: Evidence; at: number }[] = [];
    const steps = stepsOf(name);
    announce(steps, { onEvidence: (evidence, at) => void frameAt.push({ evidence, at }) });
    frameAt = frameAt.filter(({ evidence }) => evidence.process?.alive === true && evidence.screen !== null);
    for (const [index, { evidence, at }] of frameAt.entries()) {
      const next = frameAt[index + 1]?.at ?? at + LATE_MS;
      // Only moments followed by a pause are compared, because both have settled then.
      if (next - at < LATE_MS || evidence.screen === null) continue;
      const now = at + LATE_MS - 1;
      // Hooks are stored, and registry and process are read again. Of the screen, only the newest frame exists.
      const anew = { ...evidence, screen: observeScreen(null, evidence.screen.frame, at) };
      const { primary, detail } = derive(evidence, now);
      expect(derive(anew, now), `at ${at} ms`).toMatchObject({ primary, detail });
    }
  });
});
