import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import {
  derive,
  NO_HOOKS,
  observeScreen,
  readScreen,
  type ScreenEvidence,
  type ScreenFrame,
} from '../../../src/core/status/index.ts';
import { playBytes } from '../../harness/cut-recording.ts';

const RECORDINGS = fileURLToPath(new URL('../../fixtures/recordings', import.meta.url));
/** A dialog that stays unchanged this long in the recording is complete. */
const STOOD_MS = 300;
/** How long the rest of a write is delayed, as by a stopped recorder, a full pipe, or a busy machine. */
const HELD_BACK_MS = 60_000;

/**
 * How many bytes pass between two checks. Checking after every byte of every recording takes two minutes
 * (`CUT_EVERY=1`). `npm test` checks after each fifth byte, starting at a different byte in each write, and omits the
 * version that draws like the next one.
 */
const EVERY = Number(process.env.CUT_EVERY ?? 5);
const DRAWN_AS_THE_NEXT = '2.1.329/';

const recordings = readdirSync(RECORDINGS, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.typescript') && (EVERY === 1 || !name.startsWith(DRAWN_AS_THE_NEXT)))
  .map((name) => name.slice(0, -'.typescript'.length))
  .sort();

const listed = (options: readonly { key: string; label: string }[]): string =>
  options.map(({ key, label }) => `${key}. ${label}`).join(' | ');
const drawnIn = (frame: ScreenFrame): string => listed(readScreen(frame).dialog?.parts[0]?.options ?? []);
/** Returns the options that a client receives at a moment. */
const toldBy = (screen: ScreenEvidence | null, now: number): string =>
  listed(derive({ process: null, screen, hooks: NO_HOOKS, registry: null }, now).question?.options ?? []);

/** Determines what a recording draws, write by write. */
async function lookThrough(base: string): Promise<{ complete: Set<string>; wanted: Set<number> }> {
  const drawn: { at: number; options: string }[] = [];
  await playBytes(base, {
    isWanted: () => false,
    every: EVERY,
    onCut: () => undefined,
    onStep: (frame, at) => drawn.push({ at, options: drawnIn(frame) }),
  });
  const stood = drawn.filter(({ at }, step) => (drawn[step + 1]?.at ?? Number.POSITIVE_INFINITY) - at >= STOOD_MS);
  const wanted = drawn.flatMap(({ options }, step) => (options === '' && !drawn[step - 1]?.options ? [] : [step]));
  return { complete: new Set(stood.map(({ options }) => options)), wanted: new Set(wanted) };
}

test.each(recordings)('%s reports all options of a dialog or none, whichever of its bytes came last', async (name) => {
  const base = join(RECORDINGS, name);
  const { complete, wanted } = await lookThrough(base);
  // A recording that never draws a dialog cannot report half a dialog.
  if (wanted.size === 0) return expect(complete).toEqual(new Set(['']));
  const wrong: string[] = [];
  const missed: string[] = [];
  let screen: ScreenEvidence | null = null;
  let before = { at: 0, options: '' };
  await playBytes(base, {
    isWanted: (step) => wanted.has(step),
    every: EVERY,
    onCut: (frame, at, step) => {
      const told = toldBy(observeScreen(screen, frame, at), at + HELD_BACK_MS);
      if (told !== '' && !complete.has(told)) wrong.push(`write ${step}: ${told}`);
    },
    onStep: (frame, at) => {
      // A dialog that stayed unchanged is reported in full before anything else is drawn.
      if (at - before.at >= STOOD_MS && toldBy(screen, at) !== before.options) missed.push(before.options);
      screen = observeScreen(screen, frame, at);
      before = { at, options: drawnIn(frame) };
    },
  });
  expect(wrong).toEqual([]);
  expect(missed).toEqual([]);
});
