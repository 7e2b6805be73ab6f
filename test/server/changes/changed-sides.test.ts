import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readWorkingFile } from '../../../src/platform/git/working-file.ts';
import type { ChangedFile, ChangedSide, Changes } from '../../../src/protocol/index.ts';
import { type FacesUnderTest, startFaces } from '../../harness/faces.ts';
import { createRepository, type TestRepository } from '../../harness/git-repository.ts';
import { createPng } from '../../harness/some-images.ts';
import { runTurn } from '../../harness/some-turns.ts';
import { waitFor } from '../../harness/wait-for.ts';

const SMALL = createPng(1, 1);
const LARGE = createPng(40, 30);
const GONE = createPng(2, 2);
const DATA = Uint8Array.of(1, 0, 2);

let server: FacesUnderTest;
let repository: TestRepository;
let made = 0;
beforeAll(async () => {
  server = await startFaces();
});
afterAll(() => server[Symbol.asyncDispose]());
beforeEach(async () => {
  for (const { slug } of server.sessions.list()) await server.sessions.remove(slug);
  repository = createRepository(server.world, `repository-${++made}`);
  for (const name of ['staged.png', 'changed.png', 'old.png']) repository.write(name, SMALL);
  repository.write('gone.png', GONE);
  repository.write('gone.bin', DATA);
  repository.write('secret.png', SMALL);
  repository.write('.gitignore', 'ignored.png\n');
  repository.commit();
  repository.git('checkout', '--quiet', '-b', 'task');
  server.sessions.add('AUTH', { path: repository.dir });
});

const at = (name: string): string => join(repository.dir, name);
const ask = (query: Record<string, string>, path = '/file') =>
  server.call(`/sessions/AUTH/changes${path}?${new URLSearchParams(query)}`);
const side = async (file: string, name: ChangedSide['side'], query: Record<string, string> = {}) =>
  (await ask({ file, side: name, ...query })).json() as ChangedSide;
const code = async (file: string, name: string, query: Record<string, string> = {}) =>
  (await ask({ file, side: name, ...query })).code();
const listed = async (path: string, query: Record<string, string> = {}): Promise<ChangedFile | undefined> =>
  ((await ask(query, '')).json() as Changes).files.find((file) => file.path === path);
const image = (bytes: Buffer) => ({ image: 'image/png', content: bytes.toString('base64'), size: bytes.length });

describe('the sides of a changed image', () => {
  test('are read from the base and from the working tree, wherever the change is', async () => {
    repository.write('staged.png', LARGE);
    repository.git('add', 'staged.png');
    repository.write('changed.png', LARGE);
    repository.write('new.png', LARGE);
    rmSync(at('gone.png'));
    repository.git('mv', 'old.png', 'folder.png');
    repository.commit();
    repository.write('changed.png', SMALL);
    repository.write('changed.png', Buffer.concat([LARGE, Buffer.from('more')]));
    for (const file of ['staged.png', 'changed.png'])
      expect(await side(file, 'old')).toMatchObject({ path: file, side: 'old', kind: 'file', ...image(SMALL) });
    expect(await side('staged.png', 'new')).toMatchObject(image(LARGE));
    expect(await side('changed.png', 'new')).toMatchObject({ size: LARGE.length + 4, image: 'image/png' });
    expect(await side('new.png', 'new')).toMatchObject(image(LARGE));
    expect(await code('new.png', 'old')).toBe('no_such_file');
    expect(await side('gone.png', 'old')).toMatchObject(image(GONE));
    expect(await code('gone.png', 'new')).toBe('no_such_file');
    expect(await side('folder.png', 'old')).toMatchObject({ path: 'old.png', ...image(SMALL) });
    expect(await side('folder.png', 'new')).toMatchObject({ path: 'folder.png', ...image(SMALL) });
    const sizes = { old: SMALL.length, new: LARGE.length };
    expect(await listed('staged.png')).toMatchObject({ binary: true, sizes, image: 'image/png' });
    expect(await listed('new.png')).toMatchObject({ sizes: { old: null, new: LARGE.length }, image: 'image/png' });
    expect(await listed('gone.png')).toMatchObject({ sizes: { old: GONE.length, new: null }, image: 'image/png' });
    expect(await listed('folder.png')).toMatchObject({ binary: true, status: 'renamed', image: 'image/png' });
  });

  test('are read before the first commit, and in untracked files with odd names', async () => {
    const empty = createRepository(server.world, `empty-${made}`);
    server.sessions.change('AUTH', { path: empty.dir });
    const names = ['new\nline.png', ':(top)a.png', '-rf.png', 'HEAD', 'a b/größe.png'];
    for (const name of names) empty.write(name, SMALL);
    writeFileSync(Buffer.concat([Buffer.from(`${empty.dir}/`), Buffer.from([0xff]), Buffer.from('.png')]), LARGE);
    for (const name of names) expect(await side(name, 'new')).toMatchObject({ path: name, ...image(SMALL) });
    expect(await side('\ufffd.png', 'new')).toMatchObject(image(LARGE));
  });

  test('of a turn are those of its checkpoints, whatever happened since', async () => {
    await runTurn(server, 'AUTH', {
      prompt: 'draw it',
      work: () => {
        repository.write('changed.png', LARGE);
        rmSync(at('gone.png'));
        repository.write('data.bin', DATA);
      },
    });
    repository.write('changed.png', 'no longer an image\n');
    const turn = { turn: '1' };
    expect(await side('changed.png', 'old', turn)).toMatchObject({ base: { kind: 'turn', ref: '1' }, ...image(SMALL) });
    expect(await side('changed.png', 'new', turn)).toMatchObject(image(LARGE));
    expect(await side('gone.png', 'old', turn)).toMatchObject(image(GONE));
    expect(await code('gone.png', 'new', turn)).toBe('no_such_file');
    expect(await code('changed.png', 'new', { turn: '9' })).toBe('no_such_turn');
    expect(await code('changed.png', 'new', { ...turn, base: 'main' })).toBe('invalid_request');
    const sizes = { old: SMALL.length, new: LARGE.length };
    expect(await listed('changed.png', turn)).toMatchObject({ sizes, image: 'image/png' });
    expect(await listed('gone.png', turn)).toMatchObject({ image: 'image/png' });
    expect(await listed('data.bin', turn)).toMatchObject({ sizes: { old: null, new: 3 }, image: null });
  });

  test('are bounded, and are images only by their first bytes', async () => {
    repository.write('page.png', '<script>alert(1)</script>\n');
    repository.write('page.html', Buffer.concat([Buffer.from('<script>'), DATA]));
    repository.write('drawing.svg', '<svg onload="1"/>\n');
    repository.write('huge.png', Buffer.concat([LARGE, Buffer.alloc(5_000_000)]));
    rmSync(at('gone.bin'));
    expect(await listed('page.png')).not.toHaveProperty('sizes');
    expect(await listed('drawing.svg')).toMatchObject({ binary: false });
    for (const file of ['page.png', 'page.html', 'drawing.svg']) expect((await side(file, 'new')).image).toBeNull();
    expect(await listed('page.html')).toMatchObject({ sizes: { old: null, new: 11 }, image: null });
    expect(await side('gone.bin', 'old')).toMatchObject({ size: 3, image: null, encoding: 'base64', content: 'AQAC' });
    const huge = await side('huge.png', 'new');
    expect([huge.cut, huge.size, huge.image]).toEqual([true, LARGE.length + 5_000_000, null]);
    expect(Buffer.from(huge.content ?? '', 'base64').length).toBe(2 * 1024 * 1024);
    const { headers } = await ask({ file: 'page.html', side: 'new' });
    expect(headers['content-type']).toBe('application/json');
    expect(headers['x-content-type-options']).toBe('nosniff');
  });
});

test('nothing but a changed file of the working tree is read, and no link is followed', async () => {
  const outside = join(server.world.dir, `outside-${made}`);
  mkdirSync(outside);
  writeFileSync(join(outside, 'secret.png'), LARGE);
  symlinkSync(join(outside, 'secret.png'), at('link.png'));
  rmSync(at('changed.png'));
  symlinkSync(join(outside, 'secret.png'), at('changed.png'));
  symlinkSync(outside, at('folder'));
  repository.write('ignored.png', LARGE);
  const target = join(outside, 'secret.png');
  for (const file of ['link.png', 'changed.png'])
    expect(await side(file, 'new')).toMatchObject({ kind: 'link', content: target, size: target.length, image: null });
  expect(await side('changed.png', 'old')).toMatchObject({ kind: 'file', ...image(SMALL) });
  expect(await listed('changed.png')).toMatchObject({ kind: 'link', sizes: { new: target.length }, image: null });
  const names = [
    'secret.png',
    'ignored.png',
    'folder/secret.png',
    '../a',
    outside,
    '.git/HEAD',
    '.',
    '*',
    ':/',
    ':(glob)**',
  ];
  for (const file of [...names, 'HEAD:old.png', '--output=/tmp/x']) {
    expect([file, await code(file, 'new')]).toEqual([file, 'no_such_file']);
    expect([file, await code(file, 'old')]).toEqual([file, 'no_such_file']);
  }
  expect((await server.call('/sessions/AUTH/changes/file?side=new')).code()).toBe('invalid_request');
});

test('a file whose folder becomes a link to another is not read there', async () => {
  repository.write('assets/a.png', SMALL);
  repository.commit();
  repository.write('assets/a.png', LARGE);
  const outside = join(server.world.dir, `moved-${made}`);
  renameSync(at('assets'), outside);
  symlinkSync(outside, at('assets'));
  expect(await code('assets/a.png', 'new')).toBe('no_such_file');
  // The same holds if the folder or the file was replaced only after git had compared the files.
  symlinkSync(join(outside, 'a.png'), at('late.png'));
  const read = (path: string, isLink = false) => readWorkingFile(repository.dir, path, { isLink });
  for (const path of ['assets/a.png', 'late.png']) expect(await read(path)).toBeNull();
  expect(await read('assets/a.png', true)).toBeNull();
  execFileSync('mkfifo', [at('pipe.png')]);
  expect(await read('pipe.png')).toBeNull();
  expect(await read('changed.png')).toMatchObject(image(SMALL));
});

test('a file that keeps changing while it is read is reported as such, and is read later', async () => {
  repository.write('busy.png', Buffer.concat([LARGE, Buffer.alloc(1_500_000)]));
  const script =
    'const { openSync, writeSync } = require("fs"); const f = openSync("busy.png", "r+"); for (;;) writeSync(f, "x", 100)';
  const writer = spawn(process.execPath, ['-e', script], {
    cwd: repository.dir,
    env: server.world.env,
    stdio: 'ignore',
  });
  const ended = once(writer, 'exit');
  try {
    await waitFor(async () => JSON.stringify(await side('busy.png', 'new')).includes('kept changing'), {
      describe: 'a read meets a write',
    });
  } finally {
    writer.kill('SIGKILL');
    await ended;
  }
  expect(await side('busy.png', 'new')).toMatchObject({ image: 'image/png', size: LARGE.length + 1_500_000 });
});
