import { appendFileSync, closeSync, mkdirSync, openSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type DirectoryWatchOptions, watchDirectory } from '../../../src/platform/files/watch-directory.ts';
import { watchFile } from '../../../src/platform/files/watch-file.ts';
import { waitFor } from '../../harness/wait-for.ts';
import { createWorld, type World } from '../../harness/world.ts';

let world: World;
let dir: string;
const told: string[] = [];
beforeEach(() => {
  world = createWorld();
  dir = join(world.dir, 'above', 'watched');
  told.length = 0;
});
afterEach(() => world.dispose());

/** Starts a watch without sweeps, unless the test asks for them. */
function start(options: Partial<DirectoryWatchOptions> = {}): () => void {
  const stop = watchDirectory({
    dir,
    onChange: (name, event) => told.push(name === null ? event : `${event} ${name}`),
    onMissing: () => told.push('missing'),
    onReplaced: () => told.push('replaced'),
    sweepMs: 600_000,
    ...options,
  });
  world.onDispose(stop);
  return stop;
}

const until = (word: string) => waitFor(() => told.includes(word), { describe: `${word} is told`, actual: () => told });

test('an existing directory is reported at once, then each file that appears, is written to, or disappears', async () => {
  mkdirSync(dir, { recursive: true });
  start();
  expect(told).toEqual(['begin']);
  writeFileSync(join(dir, 'file'), 'x');
  await until('rename file');
  await until('change file');
  told.length = 0;
  rmSync(join(dir, 'file'));
  await until('rename file');
});

test('a directory that is created later is watched, together with the one above it', async () => {
  start();
  expect(told).toEqual(['missing']);
  mkdirSync(dir, { recursive: true });
  await until('begin');
  writeFileSync(join(dir, 'file'), '');
  await until('rename file');
  expect(told).not.toContain('replaced');
});

test('a directory that is removed while a file in it is open is missed, although the kernel reports nothing', async () => {
  mkdirSync(dir, { recursive: true });
  const open = openSync(join(dir, 'open'), 'w');
  start();
  rmSync(join(dir, 'open'));
  await until('rename open');
  rmdirSync(dir);
  await until('missing');
  mkdirSync(dir);
  await until('replaced');
  closeSync(open);
});

test('events next to a missing directory are not changes of it', async () => {
  mkdirSync(dirname(dir), { recursive: true });
  start();
  for (let number = 0; number < 20; number++) writeFileSync(join(dirname(dir), `other ${number}`), '');
  mkdirSync(dir);
  await until('begin');
  expect(told.filter((word) => word === 'missing')).toHaveLength(1);
});

test.each([
  ['removed', () => rmSync(dir, { recursive: true })],
  ['moved away', () => renameSync(dir, `${dir}.old`)],
])(
  'a directory that was %s is missed, and watched again when it is created again: its files are reported as gone',
  async (_, lose) => {
    mkdirSync(dir, { recursive: true });
    writeFileSync(join(dir, 'file'), '');
    start();
    lose();
    await until('missing');
    told.length = 0;
    mkdirSync(dir);
    await until('replaced');
    await until('begin');
    writeFileSync(join(dir, 'next'), '');
    await until('rename next');
  },
);

test('a directory whose parent was moved is missed at the next sweep', async () => {
  mkdirSync(dir, { recursive: true });
  start({ sweepMs: 50 });
  renameSync(dirname(dir), `${dirname(dir)}.old`);
  await until('missing');
});

test('nothing is reported after the watch has ended, even if it ends during a report', async () => {
  mkdirSync(dir, { recursive: true });
  const stop = start({
    onReplaced: () => {
      told.push('replaced');
      stop();
    },
  });
  renameSync(dir, `${dir}.old`);
  mkdirSync(dir);
  await until('replaced');
  told.length = 0;
  start({ onChange: (name) => told.push(`other ${name}`) });
  writeFileSync(join(dir, 'last'), '');
  await until('other last');
  expect(told.filter((word) => !word.startsWith('other'))).toEqual([]);
});

test('a followed file is reported by its own name, and again after its directory was removed and created again', async () => {
  mkdirSync(dir, { recursive: true });
  const stops = ['one', 'two'].map((name) => watchFile(join(dir, name), (event) => told.push(`${name} ${event}`)));
  for (const stop of stops) world.onDispose(stop);
  writeFileSync(join(dir, 'one'), 'x');
  await until('one rename');
  appendFileSync(join(dir, 'one'), 'y');
  await until('one change');
  expect(told.filter((word) => word.startsWith('two'))).toEqual([]);
  rmSync(dir, { recursive: true });
  await until('two sweep');
  mkdirSync(dir);
  told.length = 0;
  await waitFor(
    () => {
      writeFileSync(join(dir, 'two'), 'x');
      return told.includes('two change');
    },
    { describe: 'the new directory is watched', actual: () => told },
  );
});
