import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { CheckpointChanges, CheckpointFile, CheckpointFiles } from '../../../src/protocol/index.ts';
import { type FacesUnderTest, startFaces } from '../../harness/faces.ts';
import { createRepository, type TestRepository } from '../../harness/git-repository.ts';
import { runTurn } from '../../harness/some-turns.ts';

let server: FacesUnderTest;
let repository: TestRepository;
let made = 0;
beforeAll(async () => {
  server = await startFaces({ settings: { turns_kept: 2 } });
});
afterAll(() => server[Symbol.asyncDispose]());
beforeEach(async () => {
  for (const { slug } of server.sessions.list()) await server.sessions.remove(slug);
  repository = createRepository(server.world, `repository-${++made}`);
  repository.write('a.txt', 'one\n');
  repository.write('.gitignore', 'ignored\n');
  repository.commit();
  server.sessions.add('AUTH', { path: repository.dir });
});

const at = (name: string): string => join(repository.dir, name);
const turn = (work: () => void): Promise<void> => runTurn(server, 'AUTH', { prompt: 'do it', work });
const query = (fields: object): string =>
  Object.entries(fields)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
    .join('&');
const ask = (path: string, fields: object = {}) => server.call(`/sessions/AUTH/turns/${path}?${query(fields)}`);
const files = async (of: string | number, fields: object = {}) =>
  (await ask(`${of}/files`, fields)).json() as CheckpointFiles;
const file = async (of: string | number, path: string, fields: object = {}) =>
  (await ask(`${of}/file`, { path, ...fields })).json() as CheckpointFile;
const changes = async (of: string | number, fields: object = {}) =>
  (await ask(`${of}/changes`, fields)).json() as CheckpointChanges;
const named = (entries: CheckpointFiles['entries'], name: string) => entries.find((entry) => entry.name === name);

describe('the files of a checkpoint', () => {
  test('are those of that moment, with untracked files, whatever happened since', async () => {
    await turn(() => {
      repository.write('a.txt', 'two\n');
      repository.write('src/new.txt', 'untracked\n');
      repository.write('ignored', 'secret\n');
      repository.write('run.sh', '#!/bin/sh\n');
      chmodSync(at('run.sh'), 0o755);
    });
    await turn(() => rmSync(at('src'), { recursive: true }));
    const left = await files(1);
    expect(left).toMatchObject({ turn: 1, state: 'end', root: repository.dir, folder: '', total: 4, next: null });
    expect(left.entries).toEqual([
      { name: 'src', kind: 'folder', mode: '040000', size: null, saved: true },
      { name: '.gitignore', kind: 'file', mode: '100644', size: 8, saved: true },
      { name: 'a.txt', kind: 'file', mode: '100644', size: 4, saved: true },
      { name: 'run.sh', kind: 'file', mode: '100755', size: 10, saved: true },
    ]);
    expect((await files(1, { folder: 'src' })).entries.map(({ name }) => name)).toEqual(['new.txt']);
    expect((await files(1, { state: 'begin' })).entries.map(({ name }) => name)).toEqual(['.gitignore', 'a.txt']);
    expect(named((await files('last')).entries, 'src')).toBeUndefined();
    expect(await file(1, 'a.txt')).toMatchObject({ content: 'two\n', encoding: 'utf-8', size: 4, cut: false });
    expect(await file(1, 'a.txt', { state: 'begin' })).toMatchObject({ content: 'one\n' });
    expect(await file(1, 'src/new.txt')).toMatchObject({ content: 'untracked\n', commit: left.commit });
    expect(await file(1, 'src')).toMatchObject({ kind: 'folder', content: null });
  });

  test('have the names that they had: line feeds, controls, Unicode, bytes that are not UTF-8', async () => {
    const names = ['new\nline', '\u001b[2J', 'größe', '‮txt.exe', ':(top)a.txt', '-rf', 'a b', 'HEAD', '"q"'];
    await turn(() => {
      for (const name of names) repository.write(`odd/${name}`, `${name}\n`);
      writeFileSync(Buffer.concat([Buffer.from(`${at('odd')}/`), Buffer.from([0xff, 0x2e, 0x63])]), 'bytes\n');
    });
    const listed = (await files(1, { folder: 'odd' })).entries.map(({ name }) => name);
    expect(new Set(listed)).toEqual(new Set([...names, '\ufffd.c']));
    for (const name of names) expect((await file(1, `odd/${name}`)).content).toBe(`${name}\n`);
    expect((await file(1, 'odd/\ufffd.c')).content).toBe('bytes\n');
  });

  test('are links, binary files, images, pointers and repositories, told as what they are', async () => {
    const pointer = 'version https://git-lfs.github.com/spec/v1\noid sha256:abc\nsize 5\n';
    const png = Buffer.from('89504e470d0a1a0a00000000', 'hex');
    await turn(() => {
      repository.write('folder/inside.txt', 'inside\n');
      symlinkSync('folder', at('to-folder'));
      symlinkSync('/etc/passwd', at('to-passwd'));
      repository.write('data.bin', new Uint8Array([1, 0, 2]));
      repository.write('latin.txt', new Uint8Array([0xe9, 0x0a]));
      repository.write('picture.png', png);
      repository.write('page.html', '<script>1</script>\n');
      repository.write('drawing.svg', '<svg onload="1"/>\n');
      repository.write('.gitattributes', '*.big filter=lfs\n');
      repository.write('video.big', pointer);
      mkdirSync(at('other/nested'), { recursive: true });
      execFileSync('git', ['init', '--quiet', at('other/nested')], { env: server.world.env });
      repository.write('other/nested/x', 'x\n');
      repository.write('huge/huge.bin', '');
      truncateSync(at('huge/huge.bin'), 51 * 1024 * 1024);
    });
    expect(named((await files(1)).entries, 'to-folder')).toMatchObject({ kind: 'link', mode: '120000', size: 6 });
    expect(await file(1, 'to-folder')).toMatchObject({ kind: 'link', content: 'folder', image: null });
    expect(await file(1, 'to-passwd')).toMatchObject({ kind: 'link', content: '/etc/passwd' });
    expect((await ask('1/file', { path: 'to-folder/inside.txt' })).code()).toBe('no_such_file');
    expect((await ask('1/files', { folder: 'to-folder' })).code()).toBe('no_such_file');
    expect(await file(1, 'data.bin')).toMatchObject({ encoding: 'base64', content: 'AQAC', image: null });
    expect(await file(1, 'latin.txt')).toMatchObject({ encoding: 'base64', content: '6Qo=' });
    expect(await file(1, 'picture.png')).toMatchObject({ image: 'image/png', content: png.toString('base64') });
    expect(await file(1, 'drawing.svg')).toMatchObject({ image: null, content: '<svg onload="1"/>\n' });
    expect(await file(1, 'video.big')).toMatchObject({ content: pointer });
    expect((await files(1, { folder: 'other' })).entries).toEqual([
      { name: 'nested', kind: 'repository', mode: null, size: null, saved: false },
    ]);
    expect(await file(1, 'other/nested')).toMatchObject({ kind: 'repository', saved: false, content: null });
    expect(named((await files(1)).entries, 'huge')).toMatchObject({ kind: 'folder', saved: false });
    expect(await file(1, 'huge/huge.bin')).toMatchObject({ kind: 'file', saved: false, content: null });
    const page = await ask('1/file', { path: 'page.html' });
    expect(page.headers['content-type']).toBe('application/json');
    expect(page.headers['x-content-type-options']).toBe('nosniff');
  });

  test('are sent in parts: a folder of 12,000 files, and a file of 5 MB', async () => {
    await turn(() => {
      for (let at = 0; at < 12_000; at++) repository.write(`many/${String(at).padStart(5, '0')}`, '');
      repository.write('long.txt', 'a line of text\n'.repeat(350_000));
      repository.write('wide.txt', 'é'.repeat(2_000_000));
    });
    const names: string[] = [];
    const lengths: number[] = [];
    for (let from: number | null = 0; from !== null; ) {
      const part: CheckpointFiles = await files(1, { folder: 'many', from });
      expect(part.total).toBe(12_000);
      names.push(...part.entries.map(({ name }) => name));
      lengths.push(part.entries.length);
      from = part.next;
    }
    expect(lengths).toEqual([10_000, 2_000]);
    expect([names.length, names[0], names.at(-1)]).toEqual([12_000, '00000', '11999']);
    const long = await file(1, 'long.txt');
    expect([long.cut, long.size, long.encoding]).toEqual([true, 5_250_000, 'utf-8']);
    expect(long.content?.length).toBeLessThanOrEqual(2 * 1024 * 1024);
    expect(long.content?.endsWith('a line of text\n')).toBe(true);
    expect(await file(1, 'wide.txt')).toMatchObject({ cut: true, encoding: 'utf-8' });
  });
});

describe('what changed since the checkpoint before', () => {
  test('is what the turn changed, or what somebody changed between two turns', async () => {
    repository.write('old.txt', 'a line that stays\n'.repeat(20));
    await turn(() => repository.write('b.txt', 'b\n'));
    repository.write('a.txt', 'by hand\n');
    await turn(() => renameSync(at('old.txt'), at('new.txt')));
    expect(await changes(1, { state: 'begin' })).toMatchObject({ since: null, files: [] });
    const paths = (of: CheckpointChanges) => of.files.map(({ path, status }) => [path, status]);
    const first = await changes(1);
    expect([first.since, paths(first)]).toEqual([{ turn: 1, state: 'begin' }, [['b.txt', 'added']]]);
    const between = await changes(2, { state: 'begin' });
    expect([between.since, paths(between)]).toEqual([{ turn: 1, state: 'end' }, [['a.txt', 'modified']]]);
    const last = await changes('last');
    expect(paths(last)).toEqual([['new.txt', 'renamed']]);
    expect(last.files[0]?.old_path).toBe('old.txt');
  });
});

describe('a checkpoint that cannot be shown', () => {
  test('was deleted, never existed, or is of a turn that still runs', async () => {
    for (const text of ['1', '2', '3']) await turn(() => repository.write('a.txt', text));
    for (const number of [1, 9]) {
      for (const route of ['files', 'changes', 'file']) {
        const gone = await ask(`${number}/${route}`, route === 'file' ? { path: 'a.txt' } : {});
        expect([gone.status, gone.code()]).toEqual([404, 'no_such_turn']);
        expect(gone.text).toContain(`No turn ${number} of AUTH is saved`);
      }
    }
    server.sessions.prompts.set('AUTH', { at: Date.now(), text: 'long' });
    server.sessions.change('AUTH', { status: { ...server.sessions.get('AUTH').status, primary: 'active' } });
    expect(await files('last')).toMatchObject({ turn: 4, state: 'begin' });
    expect((await ask('4/files', { state: 'end' })).code()).toBe('no_such_turn');
  });

  test('is in a repository that is no longer there', async () => {
    await turn(() => repository.write('a.txt', 'two\n'));
    renameSync(at('.git'), at('git'));
    expect((await ask('1/files')).code()).toBe('not_a_repository');
    rmSync(repository.dir, { recursive: true });
    expect((await ask('1/files')).code()).toBe('no_such_path');
  });

  test('is no way to anything else: neither by a path, nor by a name that git would understand', async () => {
    repository.git('checkout', '--quiet', '-b', 'secret');
    repository.write('secret.txt', 'secret\n');
    const commit = repository.commit();
    const blob = repository.git('rev-parse', 'HEAD:secret.txt').trim();
    repository.git('checkout', '--quiet', 'main');
    await turn(() => repository.write('src/b.txt', 'b\n'));
    const outside = ['../a.txt', 'src/../a.txt', '/etc/passwd', '.git/config', '.', '..', './a.txt', blob];
    for (const path of [
      ...outside,
      ':/',
      ':a.txt',
      'HEAD:a.txt',
      '*',
      'src/*',
      'a.txt\u0000',
      '--help',
      'secret.txt',
    ]) {
      expect([path, (await ask('1/file', { path })).code()]).toEqual([path, 'no_such_file']);
      expect([path, (await ask('1/files', { folder: path })).code()]).toEqual([path, 'no_such_file']);
    }
    for (const of of ['secret', 'HEAD', commit, 'refs%2Fheads%2Fsecret', '1%5E', '0', '-1', '1e3', '..%2F..', '']) {
      const answer = await ask(`${of}/file`, { path: 'secret.txt' });
      expect([of, [404, 422].includes(answer.status), answer.code()]).toEqual([
        of,
        true,
        expect.stringMatching(/^(invalid_request|no_such_route|no_such_turn)$/),
      ]);
    }
    expect((await ask('1/file', {})).code()).toBe('invalid_request');
    expect((await ask('1/files', { from: '-1' })).code()).toBe('invalid_request');
    expect((await ask('1/files', { state: 'middle' })).code()).toBe('invalid_request');
    expect((await server.call('/sessions/AUTH/turns/1/files', { token: 'wrong' })).status).toBe(401);
  });
});
