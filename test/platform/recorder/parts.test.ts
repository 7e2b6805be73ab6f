import {
  appendFileSync,
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  dropOldestPart,
  finishPacking,
  listParts,
  openRecorded,
  PART_BYTES,
  packedUpTo,
  packPart,
  readRange,
  readSteps,
  renameRecording,
  rotateRecording,
} from '../../../src/platform/recorder/index.ts';
import { createWorld } from '../../harness/world.ts';

let world: ReturnType<typeof createWorld>;
let file: string;
let all: Buffer;
const HEADER = Buffer.from(
  'Script started on 2026-11-20 15:04:05+00:00 [COMMAND="c" TERM="t" TTY="/dev/pts/4" COLUMNS="40" LINES="10"]\n',
);
const TAIL = 300_000;

beforeEach(() => {
  world = createWorld();
  file = join(world.streamDir, 'A.typescript');
  const line = (_: unknown, index: number) => `\u001b[3${index % 8}mline ${index} of what it wrote ❯\r\n`;
  const text = Buffer.from(Array.from({ length: 200_000 }, line).join(''));
  all = Buffer.concat([HEADER, text]).subarray(0, 3 * PART_BYTES + TAIL);
  writeFileSync(file, all, { mode: 0o600 });
});
afterEach(() => world.dispose());

const allocated = () => statSync(file).blocks * 512;

test('packed output leaves the disk but not the recording: every range reads as before', async () => {
  const before = allocated();
  for (const part of [0, 1, 2]) expect(await packPart(file, part * PART_BYTES)).toBe(true);
  expect(statSync(file).size).toBe(all.length);
  expect(allocated()).toBeLessThan(before / 8);
  expect(packedUpTo(await listParts(file))).toBe(3 * PART_BYTES);
  const offsets = fc.integer({ min: 0, max: all.length });
  await fc.assert(
    fc.asyncProperty(offsets, offsets, async (one, other) => {
      const [from, to] = one < other ? [one, other] : [other, one];
      expect((await readRange(file, from, to)).equals(all.subarray(from, to))).toBe(true);
    }),
    { numRuns: 40 },
  );
  // The header line stays in the file, where programs look for it.
  expect(readFileSync(file).subarray(0, HEADER.length).equals(HEADER)).toBe(true);
});

test('packed parts are readable only by their user', async () => {
  await packPart(file, 0);
  const dir = join(world.streamDir, 'A.parts');
  expect(statSync(dir).mode & 0o777).toBe(0o700);
  for (const name of readdirSync(dir)) expect(statSync(join(dir, name)).mode & 0o777).toBe(0o600);
});

test('its writer continues undisturbed, at its place and by appending', async () => {
  const atPlace = openSync(file, 'r+');
  world.onDispose(() => closeSync(atPlace));
  writeSync(atPlace, 'one', all.length);
  await packPart(file, 0);
  writeSync(atPlace, 'two', all.length + 3);
  appendFileSync(file, 'three');
  await packPart(file, PART_BYTES);
  const now = await readRange(file, 0, all.length + 100);
  expect(now.equals(Buffer.concat([all, Buffer.from('onetwothree')]))).toBe(true);
});

test('killed at any moment of packing, nothing is lost: a partial part does not count, and a complete one replaces its bytes', async () => {
  const dir = join(world.streamDir, 'A.parts');
  await packPart(file, 0);
  // Killed before the part has its name.
  writeFileSync(join(dir, 'unfinished'), 'half of a par');
  expect((await readRange(file, 0, all.length)).equals(all)).toBe(true);
  // Killed after that, but before the part's space in the file is freed. The result must look as if the packing had not
  // happened.
  const whole = allocated();
  const restored = openSync(file, 'r+');
  writeSync(restored, all.subarray(0, PART_BYTES), 0, PART_BYTES, 0);
  closeSync(restored);
  expect(allocated()).toBeGreaterThan(whole);
  expect((await readRange(file, 0, all.length)).equals(all)).toBe(true);
  await finishPacking(file);
  expect(allocated()).toBe(whole);
  // A complete part is not touched again. The index uses its time to decide whether it has read the part.
  const { mtimeMs } = statSync(file);
  await finishPacking(file);
  expect(statSync(file).mtimeMs).toBe(mtimeMs);
  expect(await packPart(file, PART_BYTES)).toBe(true);
  expect((await readRange(file, 0, all.length)).equals(all)).toBe(true);
});

test('a reader in the middle never sees a hole', async () => {
  const recorded = await openRecorded(file);
  world.onDispose(() => recorded.close());
  let isPacking = true;
  const packing = (async () => {
    for (const part of [0, 1, 2]) await packPart(file, part * PART_BYTES);
    isPacking = false;
  })();
  let reads = 0;
  for (let at = 0; isPacking || reads < 20; at = (at + 777_777) % (3 * PART_BYTES), reads++) {
    const bytes = await recorded.read(at, at + 100_000);
    expect(bytes.equals(all.subarray(at, at + 100_000)), `at ${at}`).toBe(true);
  }
  await packing;
});

test('the oldest part is dropped, which is reported, and offsets stay', async () => {
  for (const part of [0, 1, 2]) await packPart(file, part * PART_BYTES);
  await dropOldestPart(file);
  await dropOldestPart(file);
  const recorded = await openRecorded(file);
  world.onDispose(() => recorded.close());
  expect(await recorded.availableFrom()).toBe(2 * PART_BYTES);
  expect(await recorded.size()).toBe(all.length);
  expect((await recorded.read(2 * PART_BYTES, all.length)).equals(all.subarray(2 * PART_BYTES))).toBe(true);
  expect(readdirSync(join(world.streamDir, 'A.parts')).sort()).toEqual([
    `${2 * PART_BYTES}-${3 * PART_BYTES}.br`,
    `dropped-${2 * PART_BYTES}`,
  ]);
  const source = { typescript: file, timing: null, cols: null, rows: null };
  const facts = { start: HEADER.length, end: all.length } as Parameters<typeof readSteps>[1];
  const pieces: Uint8Array[] = [];
  for await (const step of readSteps(source, facts)) if (step.kind === 'output') pieces.push(step.bytes);
  expect(Buffer.concat(pieces).equals(all.subarray(2 * PART_BYTES))).toBe(true);
});

test('parts move with the recording', async () => {
  await packPart(file, 0);
  await renameRecording(world.streamDir, 'A', 'B');
  const renamed = join(world.streamDir, 'B.typescript');
  expect((await readRange(renamed, 0, all.length)).equals(all)).toBe(true);
  expect(await rotateRecording(world.streamDir, 'B')).toBe(1);
  expect((await readRange(join(world.streamDir, 'B.1.typescript'), 0, all.length)).equals(all)).toBe(true);
  expect(existsSync(join(world.streamDir, 'B.parts'))).toBe(false);
});
