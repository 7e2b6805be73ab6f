import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  closeSync,
  existsSync,
  ftruncateSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  ensureRecordingDir,
  markOwn,
  type RecordingTail,
  readRange,
  readStart,
  renameRecording,
  rotateRecording,
  type TailOptions,
  tailRecording,
} from '../../../src/platform/recorder/index.ts';
import { waitFor } from '../../harness/wait-for.ts';
import { createWorld } from '../../harness/world.ts';

const HEADER = 'Script started on X [COMMAND="c" TERM="t" TTY="/dev/pts/4" COLUMNS="100" LINES="30"]\n';

let world: ReturnType<typeof createWorld>;
let file: string;
beforeEach(() => {
  world = createWorld();
  file = join(world.streamDir, 'A.typescript');
});
afterEach(() => world.dispose());

/** Follows `file` and stores everything that is reported, in order. */
async function follow(from = 0, more: Partial<TailOptions> = {}) {
  const told: (string | { offset: number; text: string })[] = [];
  let text = '';
  let end = from;
  const tail: RecordingTail = await tailRecording({
    file,
    from,
    onStart: ({ start, size }) => {
      told.push(`start ${start} ${size?.cols}x${size?.rows}`);
      end = start;
    },
    onBytes: (bytes, offset) => {
      told.push({ offset, text: bytes.toString() });
      end = offset + bytes.length;
      text += bytes.toString();
    },
    onReset: (epoch) => {
      told.push(`reset ${epoch}`);
      text = '';
    },
    ...more,
  });
  world.onDispose(() => tail.dispose());
  const until = (wanted: string) =>
    waitFor(() => text === wanted, { describe: `it reads ${wanted}`, actual: () => told });
  return { tail, told, until, text: () => text, end: () => end };
}

test('existing output comes first, then what is appended, without script’s header', async () => {
  writeFileSync(file, `${HEADER}one`);
  const { tail, told, until } = await follow();
  expect(told).toEqual([`start ${HEADER.length} 100x30`, { offset: HEADER.length, text: 'one' }]);
  appendFileSync(file, 'two');
  await until('onetwo');
  expect(tail.position()).toBe(HEADER.length + 6);
});

test('a header that comes late and in pieces, as script writes it, is never passed on', async () => {
  writeFileSync(file, '');
  const { told, until } = await follow();
  expect(told).toEqual([]);
  for (const piece of [HEADER.slice(0, 10), HEADER.slice(10, 60), `${HEADER.slice(60)}out`])
    appendFileSync(file, piece);
  await until('out');
  expect(told[0]).toBe(`start ${HEADER.length} 100x30`);
});

test('a log of Screen, which has no header, is read from its first byte', async () => {
  writeFileSync(file, 'plain');
  const { told, until } = await follow();
  await until('plain');
  expect(told).toEqual(['start 0 undefinedxundefined', { offset: 0, text: 'plain' }]);
});

test('reading continues at the given position', async () => {
  writeFileSync(file, `${HEADER}0123456789`);
  const { told } = await follow(HEADER.length + 4);
  expect(told).toEqual([{ offset: HEADER.length + 4, text: '456789' }]);
});

test('a file that does not exist yet is awaited, and a deleted one is read until another takes its name', async () => {
  const { told, until } = await follow();
  const descriptor = openSync(file, 'a');
  world.onDispose(() => closeSync(descriptor));
  writeSync(descriptor, `${HEADER}one`);
  await until('one');
  rmSync(file);
  writeSync(descriptor, ' more');
  writeFileSync(file, `${HEADER}new`);
  await until('new');
  expect(told).toContain('reset 1');
  expect(told).toContainEqual({ offset: HEADER.length + 3, text: ' more' });
});

test('a file that another replaces is read to its end, then the other begins a new epoch', async () => {
  writeFileSync(file, `${HEADER}old`);
  const { told, until } = await follow();
  writeFileSync(`${file}.next`, `${HEADER}next`);
  appendFileSync(file, ' end');
  renameSync(`${file}.next`, file);
  await until('next');
  expect(told.slice(-4)).toEqual([
    { offset: HEADER.length + 3, text: ' end' },
    'reset 1',
    `start ${HEADER.length} 100x30`,
    { offset: HEADER.length, text: 'next' },
  ]);
});

test('a truncated file is a new epoch', async () => {
  writeFileSync(file, `${HEADER}something long`);
  const { told, until } = await follow();
  truncateSync(file, 0);
  await waitFor(() => told.includes('reset 1'), { describe: 'the truncation is reported' });
  appendFileSync(file, `${HEADER}short`);
  await until('short');
});

test('the hole that a truncation leaves before a writer’s next bytes is never passed on', async () => {
  const descriptor = openSync(file, 'w');
  world.onDispose(() => closeSync(descriptor));
  writeSync(descriptor, HEADER + 'x'.repeat(1_000_000));
  const { told, until } = await follow();
  const end = HEADER.length + 1_000_000;
  ftruncateSync(descriptor, 0);
  await waitFor(() => told.includes('reset 1'), { describe: 'the truncation is reported' });
  writeSync(descriptor, 'after');
  await until('after');
  expect(told.at(-1)).toEqual({ offset: end, text: 'after' });
});

test('the tail reads the file that its writer keeps open, whatever its name refers to later, and its offsets stay', async () => {
  const descriptor = openSync(file, 'w');
  world.onDispose(() => closeSync(descriptor));
  writeSync(descriptor, `${HEADER}one`);
  const seen: string[] = [];
  const { told, until } = await follow(0, {
    keepsFile: true,
    onNameLost: () => seen.push('name lost'),
    onCut: (at) => seen.push(`cut at ${at - HEADER.length}`),
  });
  await until('one');
  rmSync(file);
  writeFileSync(file, 'of somebody else');
  await waitFor(() => seen.includes('name lost'), { describe: 'the loss of its name is reported' });
  writeSync(descriptor, ' two');
  await until('one two');
  ftruncateSync(descriptor, 0);
  await waitFor(() => seen.includes('cut at 7'), { describe: 'the cut is reported', actual: () => seen });
  writeSync(descriptor, ' three');
  await until('one two three');
  expect(told).not.toContain('reset 1');
  expect(seen.filter((one) => one.startsWith('cut'))).toHaveLength(1);
});

test('a deleted file can be read for the last time when another takes its name', async () => {
  writeFileSync(file, `${HEADER}old`);
  let saved = '';
  const { until } = await follow(0, {
    onDeleted: async (openPath) => {
      saved = readFileSync(openPath, 'utf8');
    },
  });
  rmSync(file);
  writeFileSync(file, `${HEADER}new`);
  await until('new');
  expect(saved).toBe(`${HEADER}old`);
});

test('NULs that a program itself wrote are passed on', async () => {
  writeFileSync(file, `${HEADER}\0\0a`);
  const { until } = await follow();
  appendFileSync(file, '\0b');
  await until('\0\0a\0b');
});

test('a listener that returns a promise is not called again before it is settled', async () => {
  writeFileSync(file, HEADER);
  const calls: string[] = [];
  const gate = makeGate();
  await follow(HEADER.length, {
    onBytes: (bytes) => {
      calls.push(bytes.toString());
      return calls.length === 1 ? gate.promise : undefined;
    },
  });
  appendFileSync(file, 'one');
  await waitFor(() => calls.length === 1, { describe: 'the first bytes came' });
  appendFileSync(file, 'two');
  appendFileSync(file, 'three');
  gate.resolve();
  await waitFor(() => calls.length === 2, { describe: 'the rest came' });
  expect(calls).toEqual(['one', 'twothree']);
});

function makeGate(): { promise: Promise<void>; resolve: () => void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

test('after dispose nothing is reported and no file is open', async () => {
  writeFileSync(file, `${HEADER}one`);
  const { tail, told } = await follow();
  const other = await follow();
  tail.dispose();
  appendFileSync(file, 'two');
  await other.until('onetwo');
  expect(told).toHaveLength(2);
  other.tail.dispose();
  await waitFor(() => !openFiles().includes(file), { describe: 'the file is closed' });
});

function openFiles(): string[] {
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/self/fd/${fd}`)];
    } catch {
      return []; // The descriptor of this listing itself.
    }
  });
}

test('output between two reads is delivered on request, and once', async () => {
  writeFileSync(file, HEADER);
  let intervalMs = 0;
  const { tail, told, text, end } = await follow(HEADER.length, { intervalMs: () => intervalMs });
  intervalMs = 60_000;
  appendFileSync(file, 'one');
  tail.readNow();
  expect(text()).toBe('one');
  appendFileSync(file, 'x'.repeat(20_000));
  tail.readNow();
  tail.readNow();
  expect(end()).toBe(HEADER.length + 20_003);
  expect(text()).toBe(`one${'x'.repeat(20_000)}`);
  tail.dispose();
  appendFileSync(file, 'late');
  tail.readNow();
  expect(told.at(-1)).not.toMatchObject({ text: 'late' });
});

test('the first output after a pause is read at once, and the next at the end of the interval', async () => {
  writeFileSync(file, HEADER);
  const intervalMs = 1_000;
  const { until, text } = await follow(HEADER.length, { intervalMs: () => intervalMs });
  await delay(intervalMs);
  const beganAt = performance.now();
  appendFileSync(file, 'a');
  await until('a');
  expect(performance.now() - beganAt).toBeLessThan(intervalMs);
  appendFileSync(file, 'b');
  await until('ab');
  expect(performance.now() - beganAt).toBeGreaterThanOrEqual(intervalMs);
  expect(text()).toBe('ab');
});

test('twenty recordings that grow at once all arrive completely, byte for byte', async () => {
  const names = Array.from({ length: 20 }, (_, index) => join(world.streamDir, `S${index}.typescript`));
  const sizes = new Map<string, number>();
  for (const name of names) {
    writeFileSync(name, '');
    const tail = await tailRecording({
      file: name,
      from: 0,
      onBytes: (bytes, offset) => {
        expect(offset).toBe(sizes.get(name) ?? 0);
        sizes.set(name, offset + bytes.length);
      },
    });
    world.onDispose(() => tail.dispose());
  }
  const line = `for i in $(seq 200); do for n in $(seq 0 19); do printf '%01000d' $i >> S$n.typescript; done; done`;
  await once(spawn('sh', ['-c', line], { cwd: world.streamDir, env: world.env, stdio: 'ignore' }), 'exit');
  await waitFor(() => names.every((name) => sizes.get(name) === 200_000), {
    describe: 'all is read',
    actual: () => [...sizes.values()],
  });
});

test('bytes arrive by inotify, long before the safety sweep would find them', async () => {
  writeFileSync(file, HEADER);
  const { end } = await follow(HEADER.length);
  const delays: number[] = [];
  for (let round = 0; round < 100; round++) {
    const before = performance.now();
    appendFileSync(file, 'x');
    const wanted = HEADER.length + round + 1;
    while (end() < wanted) await new Promise((resolve) => setImmediate(resolve));
    delays.push(performance.now() - before);
  }
  delays.sort((a, b) => a - b);
  // The sweep runs every 5 s. With the sweep alone, half of the writes would wait longer than 2 s.
  expect(delays[50]).toBeLessThan(1_000);
});

test('a write that inotify does not report is found by the sweep', async () => {
  writeFileSync(file, HEADER);
  const { until } = await follow(HEADER.length);
  // Inotify reports a write only to the directory through which the file was opened, and nobody watches this one.
  const elsewhere = join(world.dir, 'elsewhere');
  mkdirSync(elsewhere);
  linkSync(file, join(elsewhere, 'A'));
  appendFileSync(join(elsewhere, 'A'), 'unseen');
  await until('unseen');
});

test('the beginning of a recording is read from the file', async () => {
  writeFileSync(file, `${HEADER}abc`);
  const start = await readStart(file);
  expect(start).toEqual({
    start: HEADER.length,
    size: { cols: 100, rows: 30 },
    length: HEADER.length + 3,
    end: HEADER.length + 3,
    changedAt: statSync(file).mtimeMs,
  });
  appendFileSync(file, '\nScript done on 2026-11-20 15:04:09+00:00 [COMMAND_EXIT_CODE="0"]\n');
  expect((await readStart(file)).end).toBe(HEADER.length + 3);
  await expect(readStart(join(world.streamDir, 'none'))).rejects.toMatchObject({ code: 'no_recording' });
});

test('a range ends where the file ends', async () => {
  writeFileSync(file, '0123456789');
  expect((await readRange(file, 2, 5)).toString()).toBe('234');
  expect((await readRange(file, 8, 50)).toString()).toBe('89');
  expect((await readRange(file, 50, 60)).length).toBe(0);
});

test('a recording is moved aside under a number that was never used', async () => {
  const write = (name: string, text: string) => writeFileSync(join(world.streamDir, name), text);
  const read = (name: string) => readFileSync(join(world.streamDir, name), 'utf8');
  expect(await rotateRecording(world.streamDir, 'A')).toBeNull();
  write('A.typescript', 'first');
  write('A.timing', 'first timing');
  expect(await rotateRecording(world.streamDir, 'A')).toBe(1);
  write('A.7.typescript.gz', 'packed');
  write('AB.99.typescript', 'another slug');
  write('A.typescript', 'second');
  expect(await rotateRecording(world.streamDir, 'A')).toBe(8);
  expect([read('A.1.typescript'), read('A.1.timing'), read('A.8.typescript')]).toEqual([
    'first',
    'first timing',
    'second',
  ]);
});

test('the mark of a recording made by CBOS moves with it, and never goes to one that was there before', async () => {
  const path = (name: string) => join(world.streamDir, name);
  writeFileSync(path('A.typescript'), 'of the user');
  await rotateRecording(world.streamDir, 'A');
  await markOwn(path('A.typescript'));
  expect(existsSync(path('A.cbos'))).toBe(false);
  writeFileSync(path('A.typescript'), 'ours');
  await markOwn(path('A.typescript'));
  expect(statSync(path('A.cbos')).mode & 0o777).toBe(0o600);
  await renameRecording(world.streamDir, 'A', 'B');
  await rotateRecording(world.streamDir, 'B');
  const marks = readdirSync(world.streamDir).filter((name) => name.endsWith('.cbos'));
  expect(marks).toEqual(['B.1.cbos']);
});

test('a rename moves the current recording along while it is written, and never overwrites another', async () => {
  const dir = join(world.dir, 'fresh');
  await ensureRecordingDir(dir);
  expect(statSync(dir).mode & 0o777).toBe(0o700);
  const path = (name: string) => join(dir, name);
  for (const name of ['A.typescript', 'A.timing', 'A.1.typescript', 'B.typescript']) writeFileSync(path(name), name);
  const descriptor = openSync(path('A.typescript'), 'a');
  await renameRecording(dir, 'A', 'B');
  writeSync(descriptor, ' goes on');
  closeSync(descriptor);
  expect(readFileSync(path('B.typescript'), 'utf8')).toBe('A.typescript goes on');
  expect(readFileSync(path('B.timing'), 'utf8')).toBe('A.timing');
  expect(readFileSync(path('B.1.typescript'), 'utf8')).toBe('B.typescript');
  expect(readFileSync(path('A.1.typescript'), 'utf8')).toBe('A.1.typescript');
});
