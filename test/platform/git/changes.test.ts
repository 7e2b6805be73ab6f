import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Comparer, createComparer } from '../../../src/platform/git/compare.ts';
import { runProgram } from '../../../src/platform/process/index.ts';
import type { ChangedFile, Changes } from '../../../src/protocol/index.ts';
import { createRepository, type TestRepository } from '../../harness/git-repository.ts';
import { createWorld, type World } from '../../harness/world.ts';

let world: World;
let repository: TestRepository;
let comparer: Comparer;
let scratchDir: string;

beforeEach(() => {
  world = createWorld();
  repository = createRepository(world);
  scratchDir = join(world.dir, 'scratch');
  comparer = createComparer({ environment: world.env, scratchDir });
});
afterEach(() => world.dispose());

const list = (base: string | null = null, folder = repository.dir): Promise<Changes> =>
  comparer.changes({ folder, base });
const patchOf = async (file: string | null, oldFile: string | null = null): Promise<string> =>
  (await comparer.patch({ folder: repository.dir, base: null, file, oldFile })).patch;
const fileIn = ({ files }: Changes, path: string): ChangedFile | undefined => files.find((file) => file.path === path);

/** Creates a first commit on main, and a separate branch. */
function begin(): void {
  repository.write('a.txt', 'one\ntwo\nthree\n');
  repository.write('long.txt', numbers(1, 100));
  repository.commit();
  repository.git('checkout', '--quiet', '-b', 'task');
}

function numbers(from: number, to: number): string {
  return Array.from({ length: to - from + 1 }, (_, at) => `${from + at}\n`).join('');
}

describe('a session on a branch', () => {
  beforeEach(begin);

  test('is counted the same as it is listed: renamed, binary, conflicted and untracked files, and nested repositories', async () => {
    repository.write('committed.txt', 'c\n');
    repository.git('mv', 'long.txt', 'renamed.txt');
    repository.commit();
    repository.write('a.txt', 'one\n');
    repository.write('binary', Uint8Array.of(0, 1, 2));
    repository.write('new.txt', 'n\nn\n');
    createRepository(world, 'repository/nested').write('x.txt', 'x\n');
    const { base, total } = await list();
    expect(total).toEqual({ files: 6, added: 3, removed: 2 });
    expect(await comparer.count({ folder: repository.dir, base: null })).toEqual({ base, total });
  });

  test('shows what it committed, staged, changed and added since the branch began, by lines', async () => {
    repository.write('committed.txt', 'c\n');
    repository.commit();
    repository.write('staged.txt', 's\ns\n');
    repository.git('add', 'staged.txt');
    repository.write('a.txt', 'one\n2\nthree\nfour\n');
    repository.write('new.txt', 'n\n');
    const changes = await list();
    expect(changes.branch).toBe('task');
    expect(changes.base).toMatchObject({ kind: 'started_from', ref: 'main' });
    expect(changes.base.commit).toBe(repository.git('rev-parse', 'main').trim());
    expect(
      changes.files.map(({ path, status, parts, added, removed }) => [path, status, parts, added, removed]),
    ).toEqual([
      ['a.txt', 'modified', ['unstaged'], 2, 1],
      ['committed.txt', 'added', ['committed'], 1, 0],
      ['new.txt', 'added', ['untracked'], 1, 0],
      ['staged.txt', 'added', ['staged'], 2, 0],
    ]);
    expect(changes.total).toEqual({ files: 4, added: 6, removed: 1 });
    expect(changes.left_out).toEqual({ files: 0, untracked: 0 });
  });

  test('reports all the places of a file that was changed repeatedly', async () => {
    repository.write('a.txt', 'one\n');
    repository.commit();
    repository.write('a.txt', 'one\nmore\n');
    repository.git('add', 'a.txt');
    repository.write('a.txt', 'one\nmore\nand more\n');
    expect(fileIn(await list(), 'a.txt')?.parts).toEqual(['committed', 'staged', 'unstaged']);
  });

  test('that changed nothing has no changes, even if times differ', async () => {
    utimesSync(join(repository.dir, 'a.txt'), 1, 1);
    expect((await list()).files).toEqual([]);
    expect(await patchOf(null)).toBe('');
  });

  test('renames are found, committed or not, with the lines that changed', async () => {
    renameSync(join(repository.dir, 'long.txt'), join(repository.dir, 'renamed.txt'));
    repository.write('renamed.txt', `${numbers(1, 100)}101\n`);
    const file = fileIn(await list(), 'renamed.txt');
    expect(file).toMatchObject({ status: 'renamed', old_path: 'long.txt', added: 1, removed: 0 });
    expect(await patchOf('renamed.txt', 'long.txt')).toContain('rename from long.txt');
  });

  test('binary files, links and modes are reported, and a link is never followed', async () => {
    const secret = join(world.dir, 'secret');
    writeFileSync(secret, 'a secret of the person\n');
    repository.write('picture.bin', new Uint8Array([1, 0, 2, 0]));
    symlinkSync(secret, join(repository.dir, 'link'));
    chmodSync(join(repository.dir, 'long.txt'), 0o755);
    const changes = await list();
    expect(fileIn(changes, 'picture.bin')).toMatchObject({ binary: true, added: null, removed: null });
    expect(fileIn(changes, 'link')).toMatchObject({ kind: 'link', status: 'added' });
    expect(fileIn(changes, 'long.txt')).toMatchObject({ added: 0, removed: 0 });
    expect(await patchOf('picture.bin')).toContain('Binary files');
    expect(await patchOf('link')).toContain(`+${secret}`);
    expect(await patchOf(null)).not.toContain('a secret of the person');
  });

  test('a folder that became a link to another is not read', async () => {
    repository.write('folder/passwd', 'mine\n');
    repository.commit();
    const other = join(world.dir, 'other');
    mkdirSync(other);
    writeFileSync(join(other, 'passwd'), 'of somebody else\n');
    rmSync(join(repository.dir, 'folder'), { recursive: true });
    symlinkSync(other, join(repository.dir, 'folder'));
    expect(await patchOf(null)).not.toContain('of somebody else');
    expect(await patchOf('folder/passwd')).not.toContain('of somebody else');
  });

  test('ignored files are not changes: by the repository, its own list and the person’s', async () => {
    repository.write('.gitignore', 'built/\n');
    repository.commit();
    repository.write('built/x', 'x');
    repository.write('by-exclude', 'x');
    repository.write('by-person', 'x');
    repository.write('seen', 'x');
    writeFileSync(join(repository.dir, '.git/info/exclude'), 'by-exclude\n');
    mkdirSync(join(world.home, '.config/git'), { recursive: true });
    writeFileSync(join(world.home, '.config/git/ignore'), 'by-person\n');
    const changes = await list();
    expect(changes.files.filter(({ parts }) => parts.includes('untracked')).map(({ path }) => path)).toEqual(['seen']);
    expect(await patchOf('built/x')).toBe('');
  });

  test('unusual names are kept: line feeds, escape codes, quotes, reordering marks, wildcards, bytes that are not UTF-8', async () => {
    const odd = [
      'line\nfeed',
      'esc\u001b[2J',
      '"quoted"',
      'tab\there',
      'trojan\u202etxt',
      '*',
      '[a]?',
      ':(top)x',
      '-p',
      ' ',
    ];
    for (const name of odd) repository.write(name, 'x\n');
    const bytes = Buffer.concat([Buffer.from(`${repository.dir}/latin-`), Buffer.from([0xe9, 0xe8])]);
    writeFileSync(bytes, 'in latin\n');
    const changes = await list();
    expect(changes.files.map(({ path }) => path).sort()).toEqual([...odd, 'latin-\ufffd\ufffd'].sort());
    for (const name of odd) {
      const patch = await patchOf(name);
      expect(patch.match(/^diff --git/gm), JSON.stringify(name)).toHaveLength(1);
      expect(patch).toContain('+x');
    }
    expect(await patchOf('latin-\ufffd\ufffd')).toContain('+in latin');
  });

  test('a submodule is one entry, and so is a repository in the folder; neither is inspected', async () => {
    const inner = createRepository(world, 'inner');
    inner.write('x', 'x');
    inner.commit();
    repository.git('submodule', '--quiet', 'add', inner.dir, 'sub');
    repository.commit();
    writeFileSync(join(repository.dir, 'sub/dirty'), 'x');
    createRepository(world, 'repository/nested').write('y', 'y');
    const changes = await list();
    expect(fileIn(changes, 'sub')).toMatchObject({ kind: 'submodule', added: null });
    expect(fileIn(changes, 'nested/')).toMatchObject({ kind: 'repository', parts: ['untracked'] });
    expect(changes.files.map(({ path }) => path)).toEqual(['.gitmodules', 'nested/', 'sub']);
  });

  test('a file in conflict is one entry, marked as such', async () => {
    repository.write('a.txt', 'mine\n');
    repository.commit();
    repository.git('checkout', '--quiet', 'main');
    repository.write('a.txt', 'theirs\n');
    repository.commit();
    repository.git('checkout', '--quiet', 'task');
    expect(() => repository.git('merge', 'main')).toThrow();
    const changes = await list();
    expect(changes.files.filter(({ path }) => path === 'a.txt')).toHaveLength(1);
    expect(fileIn(changes, 'a.txt')?.status).toBe('conflicted');
    expect(await patchOf('a.txt')).toContain('<<<<<<<');
  });

  test('10,000 changed lines are counted and returned as one patch; a patch beyond the limit is cut at a line, and marked', async () => {
    repository.write('many.txt', numbers(1, 10_000));
    const before = performance.now();
    const changes = await list();
    const listedMs = performance.now() - before;
    expect(fileIn(changes, 'many.txt')?.added).toBe(10_000);
    const patch = await comparer.patch({ folder: repository.dir, base: null, file: 'many.txt', oldFile: null });
    const patchedMs = performance.now() - before - listedMs;
    expect(patch.cut).toBe(false);
    expect(patch.patch.match(/^\+\d/gm)).toHaveLength(10_000);
    console.info(`10,000 changed lines: list ${listedMs.toFixed(0)} ms, patch ${patchedMs.toFixed(0)} ms`);
    repository.write('huge.txt', numbers(1, 400_000));
    const huge = await comparer.patch({ folder: repository.dir, base: null, file: 'huge.txt', oldFile: null });
    expect(huge.cut).toBe(true);
    expect(huge.patch.endsWith('\n')).toBe(true);
    expect(huge.patch.length).toBeLessThanOrEqual(2 * 1024 * 1024);
  });

  test('of very many untracked files, the first are compared, the others counted', async () => {
    mkdirSync(join(repository.dir, 'heap'));
    for (let at = 0; at < 2_050; at++) writeFileSync(join(repository.dir, 'heap', String(at)), 'x\n');
    const changes = await list();
    expect(changes.total.files).toBe(2_000);
    expect(changes.left_out.untracked).toBe(50);
  });
});

describe('the base', () => {
  beforeEach(begin);

  test('is the commit that the caller names, at the point where both diverged', async () => {
    repository.write('a.txt', 'on task\n');
    repository.commit();
    repository.git('branch', 'other', 'main');
    repository.git('tag', 'v1', 'main');
    for (const name of ['other', 'v1', 'HEAD~1']) {
      const { base } = await list(name);
      expect(base).toEqual({ kind: 'asked', ref: name, commit: repository.git('rev-parse', 'main').trim() });
    }
    await expect(list('nothing-like-it')).rejects.toMatchObject({ code: 'no_such_ref' });
    await expect(list('--output=/tmp/x')).rejects.toMatchObject({ code: 'no_such_ref' });
  });

  test('is the branch from which a worktree was created', async () => {
    const dir = join(world.dir, 'tree');
    repository.git('worktree', 'add', '--quiet', '-b', 'second', dir, 'task');
    writeFileSync(join(dir, 'new'), 'x\n');
    const changes = await list(null, dir);
    expect(changes.base).toMatchObject({ kind: 'started_from', ref: 'task' });
    expect(changes.root).toBe(dir);
    expect(changes.files.map(({ path }) => path)).toEqual(['new']);
  });

  test('is the upstream if the reflog names nothing, then the default branch, then the last commit', async () => {
    const clone = join(world.dir, 'clone');
    repository.git('checkout', '--quiet', 'main');
    repository.git('clone', '--quiet', repository.dir, clone);
    const inClone = (...words: string[]) => repository.git('-C', clone, ...words);
    expect((await list(null, clone)).base).toMatchObject({ kind: 'upstream', ref: 'origin/main' });
    inClone('checkout', '--quiet', '-b', 'mine');
    rmSync(join(clone, '.git/logs'), { recursive: true });
    inClone('config', 'core.logAllRefUpdates', 'false');
    expect((await list(null, clone)).base).toMatchObject({ kind: 'default_branch', ref: 'origin/main' });
    expect((await list()).base).toMatchObject({ kind: 'last_commit', ref: null });
  });

  test('is the default branch for a detached head', async () => {
    repository.git('checkout', '--quiet', '--detach');
    repository.write('a.txt', 'x\n');
    repository.commit();
    const changes = await list();
    expect(changes.branch).toBeNull();
    expect(changes.base).toMatchObject({ kind: 'default_branch', ref: 'main' });
  });
});

describe('without a commit', () => {
  test('everything is added; the base is empty', async () => {
    repository.write('a', 'x\n');
    repository.write('b', 'x\n');
    repository.git('add', 'b');
    const changes = await list();
    expect(changes).toMatchObject({ head: null, branch: 'main', base: { kind: 'nothing', commit: null } });
    expect(changes.files.map(({ path, parts }) => [path, parts])).toEqual([
      ['a', ['untracked']],
      ['b', ['staged']],
    ]);
    expect(await patchOf('b')).toContain('+x');
  });
});

test('other forms of a repository are read: SHA-256, a split index, a sparse one', async () => {
  const forms: [name: string, make: () => TestRepository][] = [
    ['sha256', () => createRepository(world, 'sha256', ['--object-format=sha256'])],
    ['split', () => createRepository(world, 'split')],
    ['sparse', () => createRepository(world, 'sparse')],
  ];
  for (const [name, make] of forms) {
    const made = make();
    made.write('in/a', 'x\n');
    made.write('out/b', 'x\n');
    made.commit();
    if (name === 'split') made.git('update-index', '--split-index');
    if (name === 'sparse') made.git('sparse-checkout', 'set', '--cone', '--sparse-index', 'in');
    made.write('in/a', 'x\ny\n');
    made.write('in/c', 'z\n');
    const { files } = await list(null, made.dir);
    expect(
      files.map(({ path, added }) => [path, added]),
      name,
    ).toEqual([
      ['in/a', 1],
      ['in/c', 1],
    ]);
  }
});

describe('a folder that cannot be compared', () => {
  test('is reported: no repository, a folder that is gone, a bare one, one whose files are elsewhere', async () => {
    const plain = join(world.dir, 'plain');
    mkdirSync(plain);
    await expect(list(null, plain)).rejects.toMatchObject({ code: 'not_a_repository' });
    await expect(list(null, join(world.dir, 'gone'))).rejects.toMatchObject({ code: 'no_such_path' });
    await expect(list(null, join(repository.dir, '.git'))).rejects.toMatchObject({ code: 'not_a_repository' });
    mkdirSync(join(world.home, 'private'));
    repository.git('config', 'core.worktree', join(world.home, 'private'));
    await expect(list()).rejects.toMatchObject({ code: 'not_a_repository' });
  });

  test('a missing git, or damaged objects, are reported', async () => {
    const without = createComparer({ environment: { ...world.env, PATH: world.projectDir }, scratchDir });
    await expect(without.changes({ folder: repository.dir, base: null })).rejects.toMatchObject({
      code: 'git_not_found',
    });
    begin();
    const tree = repository.git('rev-parse', 'HEAD^{tree}').trim();
    rmSync(join(repository.dir, '.git/objects', tree.slice(0, 2), tree.slice(2)), { force: true });
    await expect(list()).rejects.toMatchObject({ code: 'git_failed' });
    expect(readdirSync(scratchDir)).toEqual([]);
  });
});

test('a home that was removed is not created again', async () => {
  begin();
  const home = join(world.dir, 'removed');
  const inHome = createComparer({ environment: world.env, scratchDir: join(home, 'compare') });
  await expect(inHome.changes({ folder: repository.dir, base: null })).rejects.toMatchObject({ code: 'ENOENT' });
  expect(existsSync(home)).toBe(false);
});

describe('a hostile repository', () => {
  test('runs nothing: no filter, textconv, external diff, monitor, hook, pager, alias or helper', async () => {
    begin();
    const ran = join(world.dir, 'ran');
    const trap = join(world.dir, 'trap.sh');
    writeFileSync(trap, `#!/bin/sh\necho "$0 $*" >> ${ran}\ncat\n`, { mode: 0o755 });
    const inner = createRepository(world, 'repository/sub');
    inner.write('x', 'x');
    const commit = inner.commit();
    repository.git('update-index', '--add', '--cacheinfo', `160000,${commit},sub`);
    inner.git('config', 'core.fsmonitor', trap);
    inner.git('config', 'filter.evil.clean', trap);
    inner.write('.gitattributes', '* filter=evil\n');
    const config = (name: string, value = trap) => repository.git('config', name, value);
    const programs = ['filter.evil.clean', 'filter.evil.smudge', 'filter.piped.process', 'diff.evil.textconv'];
    for (const name of [...programs, 'diff.evil.command', 'diff.external', 'core.fsmonitor', 'core.pager'])
      config(name);
    for (const name of ['core.sshCommand', 'core.askPass', 'gpg.program', 'alias.diff']) config(name);
    config('filter.evil.required', 'true');
    config('core.hooksPath', world.dir);
    config('extensions.partialClone', 'origin');
    config('remote.origin.promisor', 'true');
    config('remote.origin.url', `ext::${trap}`);
    config('protocol.ext.allow', 'always');
    for (const hook of ['post-index-change', 'post-checkout', 'reference-transaction'])
      writeFileSync(join(world.dir, hook), readFileSync(trap), { mode: 0o755 });
    const attributes = '* filter=evil diff=evil\nlong.txt filter=piped\n';
    repository.write('.gitattributes', attributes);
    writeFileSync(join(repository.dir, '.git/info/attributes'), attributes);
    repository.write('a.txt', 'changed\n');
    repository.write('long.txt', 'changed\n');
    repository.write('new.txt', 'new\n');
    rmSync(ran, { force: true });

    const changes = await list();
    expect(changes.files.map(({ path }) => path)).toEqual(['.gitattributes', 'a.txt', 'long.txt', 'new.txt', 'sub']);
    expect(await patchOf('a.txt')).toContain('+changed');
    expect(await patchOf(null)).toContain('+new');
    expect(existsSync(ran) ? readFileSync(ran, 'utf8') : '').toBe('');
    // The traps work: git itself springs them.
    await runProgram('git', ['diff'], { cwd: repository.dir, env: world.env, timeoutMs: 10_000 });
    expect(existsSync(ran)).toBe(true);
  });

  test('has nothing written: no files, no index, no times', async () => {
    begin();
    repository.write('a.txt', 'changed\n');
    repository.write('new.txt', 'new\n');
    repository.write('empty', '');
    utimesSync(join(repository.dir, 'long.txt'), 1, 1);
    const before = fingerprint(repository.dir);
    await list();
    await patchOf(null);
    expect(fingerprint(repository.dir)).toBe(before);
    expect(readdirSync(scratchDir)).toEqual([]);
  });

  test('whose index is locked by its own git is read anyway', async () => {
    begin();
    repository.write('a.txt', 'changed\n');
    writeFileSync(join(repository.dir, '.git/index.lock'), '');
    expect((await list()).files.map(({ path }) => path)).toEqual(['a.txt']);
  });

  test('a pipe in a file’s place is no reason to wait', async () => {
    begin();
    rmSync(join(repository.dir, 'a.txt'));
    await runProgram('mkfifo', [join(repository.dir, 'a.txt')], { env: world.env, timeoutMs: 5_000 });
    await runProgram('mkfifo', [join(repository.dir, 'untracked')], { env: world.env, timeoutMs: 5_000 });
    const answer = await list().then(
      ({ files }) => files.map(({ path }) => path),
      (error: { code: string }) => error.code,
    );
    expect(answer).toBe('git_failed');
  });
});

/** Hashes everything in a folder, including the times of writing, because reading must not change any of it. */
function fingerprint(dir: string): string {
  const hash = createHash('sha256');
  const walk = (path: string): void => {
    const stats = lstatSync(path, { bigint: true });
    hash.update(`${path} ${stats.mode} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs}\n`);
    if (stats.isSymbolicLink()) hash.update(readlinkSync(path));
    else if (stats.isFile()) hash.update(readFileSync(path));
    else if (stats.isDirectory()) for (const name of readdirSync(path).sort()) walk(join(path, name));
  };
  walk(dir);
  return hash.digest('hex');
}
