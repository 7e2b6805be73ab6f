import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { KeptTurn } from '../../../src/platform/git/turn-refs.ts';
import { createTurnKeeper, type TurnKeeper } from '../../../src/platform/git/turns.ts';
import { createWorktreeRepository, hashFiles, type WorktreeRepository } from '../../harness/worktree-repository.ts';
import { createWorld, type World } from '../../harness/world.ts';

let world: World;
let repository: WorktreeRepository;
let keeper: TurnKeeper;
const HELD = (): boolean => true;

beforeEach(() => {
  world = createWorld();
  repository = createWorktreeRepository(world);
  keeper = keep();
});
afterEach(() => world.dispose());

function keep(environment: Record<string, string | undefined> = world.env): TurnKeeper {
  return createTurnKeeper({ environment, home: world.cbosHome, dir: join(world.dir, 'turns'), now: Date.now });
}
const at = (name: string): string => join(repository.path, name);
const facts = (kind: KeptTurn['kind'] = 'turn', slug = 'AUTH') => ({
  folder: repository.path,
  session: `id-of-${slug}`,
  slug,
  kind,
  prompt: 'do it',
  at: Date.now(),
});

/** Plays a turn that changes files. */
async function turn(work: () => void, slug = 'AUTH'): Promise<KeptTurn> {
  const begun = await keeper.begin(facts('turn', slug), HELD);
  work();
  const ended = await keeper.end(begun, { at: Date.now(), prompt: null });
  if (ended === null) throw new Error('the turn was forgotten');
  return ended;
}

/** Returns everything in the repository except its objects and our refs. */
function look(): unknown {
  const git = join(repository.path, '.git');
  return {
    files: hashFiles(repository.path),
    index: readFileSync(join(git, 'index')).toString('hex'),
    indexAt: statSync(join(git, 'index')).mtimeMs,
    refs: repository.git('for-each-ref', 'refs/heads', 'refs/tags', 'refs/stash'),
    head: repository.git('rev-parse', 'HEAD'),
    inGit: readdirSync(git).sort(),
    config: readFileSync(join(git, 'config'), 'utf8'),
  };
}

/** Fills a working tree with files in every state that git knows. */
function fill(): void {
  repository.write('.gitignore', 'build/\n*.log\n.env\n');
  repository.write('.gitattributes', '*.crlf text eol=lf\n*.id ident\n*.secret filter=evil diff=evil merge=evil\n');
  for (const name of ['a.txt', 'gone.txt', 'renamed.txt', 'folder/one.txt', 'folder/two.txt', 'kept.log'])
    repository.write(name, `${name}\n`);
  repository.write('windows.crlf', 'one\r\ntwo\r\n');
  repository.write('id.id', '$Id$\n');
  repository.write('run.sh', '#!/bin/sh\n');
  repository.write('locked.txt', 'locked\n');
  symlinkSync('a.txt', at('link'));
  repository.git('add', '--force', '--', 'kept.log');
  repository.commit('first');
  repository.write('plain.secret', 'secret\n');
  repository.write('untracked.txt', 'untracked\n');
  repository.write('private.txt', 'private\n');
  chmodSync(at('private.txt'), 0o600);
  repository.write('.env', 'TOKEN=1\n');
  repository.write('build/out.bin', Buffer.from([0, 1, 2, 255]));
  writeFileSync(Buffer.concat([Buffer.from(at('odd-')), Buffer.from([0xff, 0xfe])]), 'bytes\n');
  repository.write('line\nbreak', 'x\n');
}

/** Changes the working tree as a busy turn does. */
function work(): void {
  repository.write('a.txt', 'changed\n');
  rmSync(at('gone.txt'));
  renameSync(at('renamed.txt'), at('folder/renamed.txt'));
  chmodSync(at('run.sh'), 0o755);
  rmSync(at('link'));
  symlinkSync('folder/one.txt', at('link'));
  rmSync(at('folder/two.txt'));
  mkdirSync(at('folder/two.txt'));
  repository.write('folder/two.txt/inside', 'a folder now\n');
  repository.write('windows.crlf', 'one\r\ntwo\nthree\r\n');
  repository.write('id.id', '$Id: 12345 $\n');
  repository.write('new/deep/file.txt', 'new\n');
  rmSync(at('untracked.txt'));
  rmSync(at('private.txt'));
  repository.write('plain.secret', 'another secret\n');
  repository.write('kept.log', 'tracked, although it is ignored\n');
  rmSync(Buffer.concat([Buffer.from(at('odd-')), Buffer.from([0xff, 0xfe])]));
  repository.write('line\nbreak', 'y\n');
}

describe('a checkpoint', () => {
  test('has every tracked and untracked file byte for byte, and changes nothing in the repository', async () => {
    fill();
    const before = look();
    const begun = await keeper.begin(facts(), HELD);
    expect(look()).toEqual(before);
    expect(begun).toMatchObject({ number: 1, ref: 'refs/cbos/turns/AUTH/1', end: null, lateMs: 0 });
    const names = repository.git('-c', 'core.quotePath=false', 'ls-tree', '-r', '--name-only', begun.ref).split('\n');
    expect(names).toEqual(expect.arrayContaining(['kept.log', 'private.txt', 'untracked.txt', 'windows.crlf']));
    expect(names.filter((name) => /^(build|\.env)/.test(name))).toEqual([]);
    // The file is stored byte for byte, and not as git would store it with its attributes.
    expect(repository.git('cat-file', '-p', `${begun.ref}:windows.crlf`)).toBe('one\r\ntwo');
    expect(repository.git('rev-parse', `${begun.ref}^`)).toBe(repository.git('rev-parse', 'HEAD'));
    work();
    const worked = look();
    const ended = await keeper.end(begun, { at: Date.now(), prompt: null });
    expect(look()).toEqual(worked);
    expect(ended).toMatchObject({ number: 1, prompt: 'do it', end: expect.any(String) });
    expect(await keeper.list(repository.path)).toEqual([ended]);
  });

  test('runs nothing from the repository, whatever its configuration, attributes and hooks name', async () => {
    fill();
    const evil = `${world.dir}/evil`;
    const script = `${world.dir}/evil.sh`;
    writeFileSync(script, `#!/bin/sh\ntouch ${evil}\ncat\n`, { mode: 0o755 });
    for (const hook of [
      'reference-transaction',
      'post-index-change',
      'pre-commit',
      'post-checkout',
      'fsmonitor-watchman',
    ])
      writeFileSync(at(`.git/hooks/${hook}`), `#!/bin/sh\ntouch ${evil}\n`, { mode: 0o755 });
    for (const [key, value] of [
      ['filter.evil.clean', script],
      ['filter.evil.smudge', script],
      ['filter.evil.process', script],
      ['filter.evil.required', 'true'],
      ['diff.evil.textconv', script],
      ['diff.evil.command', script],
      ['core.fsmonitor', script],
      ['core.hooksPath', at('.git/hooks')],
    ] as const)
      repository.git('config', key, value);
    const { begin } = await turn(work);
    const [last] = await keeper.list(repository.path);
    if (last === undefined) throw new Error('no turn');
    await keeper.changes(last);
    await keeper.patch(last, { file: 'plain.secret', oldFile: null });
    await keeper.rewind(facts('rewind'), begin);
    expect(existsSync(evil)).toBe(false);
    expect(readFileSync(at('plain.secret'), 'utf8')).toBe('secret\n');
  });

  test('notices a file that git was told to assume unchanged, and one whose size and date did not change', async () => {
    repository.commit('first', { 'a.txt': 'one\n', 'b.txt': 'one\n' });
    repository.git('update-index', '--assume-unchanged', 'a.txt');
    const { atime, mtime } = statSync(at('b.txt'));
    const { files } = await turn(() => {
      repository.write('a.txt', 'two\n');
      repository.write('b.txt', 'two\n');
      utimesSync(at('b.txt'), atime, mtime);
    });
    expect(files).toBe(2);
  });

  test('counts only the files and lines of the turn, and returns its patch', async () => {
    repository.commit('first', { 'a.txt': 'one\ntwo\n' });
    repository.write('a.txt', 'zero\none\ntwo\n');
    const one = await turn(() => {
      repository.write('a.txt', 'zero\none\n2\n');
      repository.write('b.txt', 'b\n');
      // Commits of the turn count as changes too.
      repository.git('add', '.');
      repository.git('commit', '--quiet', '--message', 'work');
    });
    expect(one).toMatchObject({ files: 2, added: 2, removed: 1 });
    const { files, base, total } = await keeper.changes(one);
    expect(base).toMatchObject({ kind: 'turn', ref: '1' });
    expect(total).toEqual({ files: 2, added: 2, removed: 1 });
    expect(files.map(({ path, status }) => [path, status])).toEqual([
      ['a.txt', 'modified'],
      ['b.txt', 'added'],
    ]);
    const { patch } = await keeper.patch(one, { file: 'a.txt', oldFile: null });
    expect(patch).toContain('-two\n+2\n');
    expect(patch).not.toContain('+zero');
    expect(patch).not.toContain('b.txt');
  });

  test('of a running turn is compared with the current files', async () => {
    repository.commit('first', { 'a.txt': 'one\n' });
    const begun = await keeper.begin(facts(), HELD);
    repository.write('b.txt', 'b\n');
    expect((await keeper.changes(begun)).files.map(({ path }) => path)).toEqual(['b.txt']);
  });

  test('works before the first commit, in a folder of the repository, in a worktree and with SHA-256', async () => {
    repository.write('below/a.txt', 'a\n');
    const first = await keeper.begin({ ...facts(), folder: at('below') }, HELD);
    expect(repository.git('ls-tree', '-r', '--name-only', first.ref)).toBe('below/a.txt');
    repository.commit('first');
    repository.git('worktree', 'add', '--quiet', '-b', 'other', `${world.dir}/other`);
    writeFileSync(`${world.dir}/other/new.txt`, 'new\n');
    const there = await keeper.begin({ ...facts(), folder: `${world.dir}/other` }, HELD);
    expect(repository.git('ls-tree', '-r', '--name-only', there.ref).split('\n')).toEqual(['below/a.txt', 'new.txt']);
    expect(there.number).toBe(2);
    const wide = world.project('wide');
    repository.gitIn(wide, 'init', '--quiet', '--object-format=sha256');
    writeFileSync(`${wide}/a.txt`, 'a\n');
    expect((await keeper.begin({ ...facts(), folder: wide }, HELD)).begin).toHaveLength(64);
  });

  test('of a turn that changed nothing and that nobody requested is forgotten', async () => {
    repository.commit('first', { 'a.txt': 'one\n' });
    const begun = await keeper.begin({ ...facts(), prompt: null }, HELD);
    expect(await keeper.end(begun, { at: Date.now(), prompt: null })).toBe(null);
    expect(repository.git('for-each-ref', 'refs/cbos')).toBe('');
  });

  test("is made again if the objects of earlier ones are gone, or CBOS's own index is broken", async () => {
    repository.commit('first', { 'a.txt': 'one\n' });
    const one = await turn(() => repository.write('untracked.txt', 'text that is nowhere else\n'));
    await keeper.drop(repository.path, [one]);
    repository.git('-c', 'gc.pruneExpire=now', 'gc', '--quiet', '--prune=now');
    expect((await turn(() => repository.write('b.txt', 'b\n'))).files).toBe(1);
    repository.git('fsck', '--strict', '--connectivity-only');
    const [dir = ''] = readdirSync(join(world.dir, 'turns'));
    writeFileSync(join(world.dir, 'turns', dir, 'index'), 'no index');
    writeFileSync(join(world.dir, 'turns', dir, 'index.lock'), '');
    expect((await turn(() => repository.write('c.txt', 'c\n'))).files).toBe(1);
    expect(await keeper.list(repository.path)).toHaveLength(2);
  });

  test('leaves out a large file, a nested repository and a pipe, and a rewind leaves them alone', async () => {
    repository.commit('first', { 'a.txt': 'one\n' });
    repository.write('large.bin', '');
    truncateSync(at('large.bin'), 60 * 1024 * 1024);
    mkdirSync(at('inner'));
    repository.gitIn(at('inner'), 'init', '--quiet');
    repository.write('inner/file.txt', 'inner\n');
    const { begin } = await turn(() => {
      repository.write('large.bin', 'small now\n');
      repository.write('inner/file.txt', 'inner, changed\n');
    });
    const { files } = await keeper.rewind(facts('rewind'), begin);
    expect(files).toMatchObject({ written: 0, deleted: 0, left: ['large.bin'] });
    expect(readFileSync(at('large.bin'), 'utf8')).toBe('small now\n');
    expect(readFileSync(at('inner/file.txt'), 'utf8')).toBe('inner, changed\n');
  });

  test('is refused if thousands of new files are neither tracked nor ignored, with what to do', async () => {
    repository.commit('first', { 'a.txt': 'one\n' });
    for (let count = 0; count < 6; count += 1) {
      repository.write(`large-${count}`, '');
      truncateSync(at(`large-${count}`), 49 * 1024 * 1024);
    }
    await expect(keeper.begin(facts(), HELD)).rejects.toMatchObject({
      code: 'git_failed',
      message: expect.stringContaining('308 MB are neither tracked nor ignored'),
      hint: expect.stringContaining('.gitignore'),
    });
    expect(repository.git('for-each-ref', 'refs/cbos')).toBe('');
  });

  test('of another home is not used, and its numbers are not taken', async () => {
    repository.commit('first', { 'a.txt': 'one\n' });
    const other = createTurnKeeper({
      environment: world.env,
      home: '/other',
      dir: join(world.dir, 'other-turns'),
      now: Date.now,
    });
    await other.begin(facts(), HELD);
    expect((await keeper.begin(facts(), HELD)).number).toBe(2);
    expect((await keeper.list(repository.path)).map(({ number }) => number)).toEqual([2]);
  });
});

describe('a rewind', () => {
  beforeEach(fill);

  test('restores every file byte for byte, leaves what git ignores, and is undone by another', async () => {
    const before = hashFiles(repository.path);
    const { begin } = await turn(work);
    repository.write('.env', 'TOKEN=2\n');
    const after = hashFiles(repository.path);
    const index = readFileSync(at('.git/index'));
    const head = repository.git('rev-parse', 'HEAD');
    const { saved, files } = await keeper.rewind(facts('rewind'), begin);
    expect(hashFiles(repository.path)).toEqual({ ...before, '.env': after['.env'] });
    expect(files.left).toEqual([]);
    expect(lstatSync(at('private.txt')).mode & 0o777).toBe(0o600);
    expect(existsSync(at('new'))).toBe(false);
    expect(readFileSync(at('.git/index'))).toEqual(index);
    expect(repository.git('rev-parse', 'HEAD')).toBe(head);
    expect(readdirSync(at('.git')).filter((name) => name.includes('cbos'))).toEqual([]);
    expect(saved).toMatchObject({ number: 2, kind: 'rewind' });
    await keeper.rewind(facts('rewind'), saved.begin);
    expect(hashFiles(repository.path)).toEqual(after);
  });

  test('never overwrites or deletes what git ignores now, and reports it', async () => {
    const { begin } = await turn(() => {
      repository.write('.gitignore', 'build/\n*.log\n.env\nuntracked.txt\nfolder\n');
      repository.write('untracked.txt', 'precious\n');
      rmSync(at('a.txt'));
      mkdirSync(at('a.txt'));
      repository.write('a.txt/only.log', 'ignored\n');
    });
    const { files } = await keeper.rewind(facts('rewind'), begin);
    expect(files.left).toEqual(['a.txt', 'untracked.txt']);
    expect(readFileSync(at('untracked.txt'), 'utf8')).toBe('precious\n');
    expect(readFileSync(at('a.txt/only.log'), 'utf8')).toBe('ignored\n');
    expect(readFileSync(at('.gitignore'), 'utf8')).toBe('build/\n*.log\n.env\n');
  });

  test('never writes through a link that has replaced a folder', async () => {
    const outside = `${world.dir}/outside`;
    mkdirSync(outside);
    writeFileSync(`${outside}/one.txt`, 'outside\n');
    const { begin } = await turn(() => {
      rmSync(at('folder'), { recursive: true });
      symlinkSync(outside, at('folder'));
    });
    await keeper.rewind(facts('rewind'), begin);
    expect(readFileSync(at('folder/one.txt'), 'utf8')).toBe('folder/one.txt\n');
    expect(lstatSync(at('folder')).isDirectory()).toBe(true);
    expect(readFileSync(`${outside}/one.txt`, 'utf8')).toBe('outside\n');
    expect(readdirSync(outside)).toEqual(['one.txt']);
  });
});

/** Moments at which a rewind is killed: at the given run of this git command, or right after it. */
const KILLS: readonly (readonly ['before' | 'after', command: string, time: number])[] = [
  ['before', 'commit-tree', 1],
  ['after', 'update-ref', 1],
  ['after', 'checkout-index', 1],
  ['before', 'update-ref', 2],
];

describe('a rewind that is killed', () => {
  /** Returns an environment with a git that dies, and with a file of the calls that it received. */
  function deadly([when, command, time]: (typeof KILLS)[number]): Record<string, string | undefined> {
    const bin = join(world.dir, `bin-${when}-${command}-${time}`);
    mkdirSync(bin);
    const die = when === 'before' ? 'kill -9 $$' : '/usr/bin/git "$@"; kill -9 $$';
    const script = `#!/bin/sh
for word; do case $word in ${command}) echo x >>${bin}/calls; [ "$(wc -l <${bin}/calls)" = ${time} ] && { ${die}; };; esac; done
exec /usr/bin/git "$@"
`;
    writeFileSync(join(bin, 'git'), script, { mode: 0o755 });
    return { ...world.env, PATH: `${bin}:${world.env.PATH}` };
  }

  test.each(KILLS)('%s %s (%i) leaves both states: either can be restored completely', async (...kill) => {
    fill();
    const before = hashFiles(repository.path);
    const { begin, number } = await turn(work);
    const after = hashFiles(repository.path);
    const dying = keep(deadly(kill));
    await dying.rewind(facts('rewind'), begin).catch((cause: unknown) => {
      expect(cause).toMatchObject({ code: 'git_failed' });
    });
    const kept = (await keeper.list(repository.path)).filter(({ kind }) => kind === 'rewind');
    if (kept[0] === undefined) expect(hashFiles(repository.path)).toEqual(after);
    else {
      await keeper.rewind(facts('rewind'), kept[0].begin);
      expect(hashFiles(repository.path)).toEqual(after);
    }
    const [first] = (await keeper.list(repository.path)).filter((one) => one.number === number);
    await keeper.rewind(facts('rewind'), first?.begin ?? '');
    expect(hashFiles(repository.path)).toEqual(before);
  });
});
