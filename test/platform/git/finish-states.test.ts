import { execFileSync, spawn } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { recoverWork } from '../../../src/platform/git/restore-work.ts';
import { listStates } from '../../../src/platform/git/saved-work.ts';
import { finishing, type WorktreeUnderTest } from '../../harness/finishing.ts';
import { waitFor } from '../../harness/wait-for.ts';
import { createWorktreeRepository, hashFiles, type WorktreeRepository } from '../../harness/worktree-repository.ts';
import { createWorld, type World } from '../../harness/world.ts';

let world: World;
let repository: WorktreeRepository;
let count = 0;

interface Where {
  /** a folder for this state alone */
  folder: string;
  git(...args: string[]): string;
  write(name: string, content: string | Buffer): void;
}

/** States of the files of a worktree. Each changes a folder that contains some committed files. */
const FILES: Readonly<Record<string, (where: Where) => void>> = {
  'nothing changed': () => undefined,
  'a changed file': ({ write }) => write('a.txt', 'changed\n'),
  'a staged file': ({ write, git }) => {
    write('a.txt', 'staged\n');
    git('add', 'a.txt');
  },
  'a staged file that was changed since': ({ write, git }) => {
    write('a.txt', 'staged\n');
    git('add', 'a.txt');
    write('a.txt', 'changed since\n');
  },
  'a staged new file that was deleted since': ({ write, git, folder }) => {
    write('new.txt', 'only staged\n');
    git('add', 'new.txt');
    unlinkSync(join(folder, 'new.txt'));
  },
  'a deleted file': ({ folder }) => unlinkSync(join(folder, 'deep/c.txt')),
  'a file in place of a folder, and a folder in place of a file': ({ folder, write }) => {
    rmSync(join(folder, 'deep'), { recursive: true });
    write('deep', 'a file\n');
    unlinkSync(join(folder, 'a.txt'));
    write('a.txt/inside.txt', 'inside\n');
  },
  'untracked files in new folders': ({ write }) => write('new/deeper/file.txt', 'untracked\n'),
  'an ignored file that .worktreeinclude names': ({ write }) => write('my.env', 'changed in the worktree\n'),
  'a new ignored file that .worktreeinclude names': ({ write }) => write('new/own.env', 'own\n'),
  'files that only their owner may read': ({ write, folder }) => {
    write('key.env', 'secret\n');
    write('key.txt', 'secret\n');
    for (const name of ['key.env', 'key.txt']) chmodSync(join(folder, name), 0o600);
  },
  'an intent to add': ({ write, git }) => {
    write('later.txt', 'later\n');
    git('add', '--intent-to-add', 'later.txt');
  },
  'a file that git was told to take as unchanged': ({ write, git }) => {
    git('update-index', '--assume-unchanged', 'a.txt');
    write('a.txt', 'hidden\n');
  },
  'a file that git was told to skip': ({ write, git }) => {
    git('update-index', '--skip-worktree', 'a.txt');
    write('a.txt', 'hidden\n');
  },
  'executable bits': ({ write, folder }) => {
    write('tool.sh', '#!/bin/sh\n');
    chmodSync(join(folder, 'tool.sh'), 0o755);
    chmodSync(join(folder, 'a.txt'), 0o755);
  },
  'symbolic links, one in place of a file': ({ folder }) => {
    symlinkSync('/nowhere/at all', join(folder, 'dangling'));
    symlinkSync('deep', join(folder, 'link to a folder'));
    unlinkSync(join(folder, 'b.txt'));
    symlinkSync('a.txt', join(folder, 'b.txt'));
  },
  'a link to another folder in place of a folder': ({ folder }) => {
    rmSync(join(folder, 'deep'), { recursive: true });
    symlinkSync('../s0/deep', join(folder, 'deep'));
  },
  'files in the folder of a submodule that was never fetched': ({ git, write }) => {
    git('update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},sub`);
    write('sub/file.txt', 'in the folder of a submodule\n');
    write('sub/deep/link/file.txt', 'deeper\n');
  },
  'names that are no UTF-8': ({ folder }) => {
    writeFileSync(Buffer.concat([Buffer.from(`${folder}/caf`), Buffer.from([0xe9, 0x0a, 0x22])]), 'latin\n');
    writeFileSync(Buffer.concat([Buffer.from(`${folder}/`), Buffer.from([0xe9]), Buffer.from('.env')]), 'latin\n');
    symlinkSync('a.txt', Buffer.concat([Buffer.from(`${folder}/link`), Buffer.from([0xff])]));
  },
  'names with quotes, line feeds and magic': ({ write }) => {
    write('new/line\nfeed "quoted".txt', 'odd\n');
    write(':(exclude)*', 'magic\n');
    write('-rf', 'dash\n');
    write('käse/Ω.txt', 'UTF-8\n');
  },
  'line endings of every kind': ({ write }) => {
    write('unix.crlf', 'one\ntwo\n');
    write('mixed.crlf', 'one\r\ntwo\nthree\r\n');
    write('plain.txt', 'one\r\ntwo\n');
  },
  'a line ending that git takes as no change': ({ write, git }) => {
    write('unix.crlf', 'one\r\ntwo\n');
    git('add', 'unix.crlf');
  },
  'a keyword that git would fill in': ({ write }) => write('version.id', '$Id$ and $Id: old $\n'),
  'a pointer of Git LFS, and a file in place of one': ({ write }) => {
    write('other.lfs', 'version https://git-lfs.github.com/spec/v1\n');
    write('pointer.lfs', 'the file itself');
  },
  'a large binary file': ({ write }) => write('large.bin', Buffer.alloc(3_000_000, 'ab\0\r\n')),
  'an empty file, and one with NULs': ({ write }) => {
    write('empty', '');
    write('nuls', Buffer.from([0, 0, 0]));
  },
};
/** In these states git decides by dates whether a file has changed. The bytes are the same as before. */
const STATUS_MAY_DIFFER = /^(line endings|an intent|a file that git was told)/;

beforeAll(() => {
  world = createWorld();
  repository = createWorktreeRepository(world);
  const committed = Object.keys(FILES).map((_, index) => ({
    [`s${index}/a.txt`]: 'a\n',
    [`s${index}/b.txt`]: 'b\n',
    [`s${index}/deep/c.txt`]: 'c\n',
    [`s${index}/unix.crlf`]: 'one\ntwo\n',
    [`s${index}/pointer.lfs`]: 'version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 4\n',
  }));
  repository.commit('first', {
    ...Object.assign({}, ...committed),
    'a.txt': 'a\n',
    'b.txt': 'b\n',
    '.gitignore': '*.env\nbuild/\n',
    '.gitattributes': '*.crlf text eol=crlf\n*.lfs filter=lfs\n*.id ident\n',
    '.worktreeinclude': '*.env\n',
  });
  repository.git('config', 'filter.lfs.smudge', 'touch /nowhere/ran');
  repository.write('my.env', 'mine\n');
});
afterAll(() => world.dispose());

const begin = (): WorktreeUnderTest => {
  count += 1;
  return finishing(repository, `W${count}`);
};
const recover = (id: string) => recoverWork(repository.place, { id, branch: null, folder: undefined });

describe('the files of a worktree', () => {
  const before = new Map<string, { files: Record<string, string>; status: string }>();
  const after = new Map<string, { files: Record<string, string>; status: string }>();
  let id = '';
  beforeAll(async () => {
    const its = begin();
    const states = Object.entries(FILES).map(([name, make], index) => ({ name, make, folder: `s${index}` }));
    const look = (into: typeof before): void => {
      for (const { name, folder } of states) {
        const status = its.git('status', '--porcelain', '--untracked-files=all', '--', folder);
        into.set(name, { files: hashFiles(join(its.path, folder)), status });
      }
    };
    for (const { make, folder } of states) {
      make({
        folder: join(its.path, folder),
        git: (...args) => repository.gitIn(join(its.path, folder), ...args),
        write: (name, content) => its.write(`${folder}/${name}`, content),
      });
    }
    look(before);
    const { saved } = await its.finish('discard');
    expect(its.isGone()).toBe(true);
    repository.git('reflog', 'expire', '--expire=now', '--all');
    repository.git('gc', '--quiet', '--prune=now');
    id = saved.id;
    await recover(id);
    look(after);
  }, 120_000);

  test.each(Object.keys(FILES))('%s: every byte is in a ref once the worktree is gone, and comes back', (name) => {
    const [was, is] = [before.get(name), after.get(name)];
    expect(is?.files).toEqual(was?.files);
    if (!STATUS_MAY_DIFFER.test(name)) expect(is?.status).toBe(was?.status);
    // The comparison can fail, because the folder contains files.
    expect(Object.keys(was?.files ?? {}).length).toBeGreaterThan(2);
  });

  test('staged content is included too, even if the file has been deleted since', async () => {
    const index = Object.keys(FILES).indexOf('a staged new file that was deleted since');
    const [state] = (await listStates(repository.place, repository.path)).filter((one) => one.id === id);
    expect(repository.git('show', `${state?.staged}:s${index}/new.txt`)).toBe('only staged');
  });
});

/** Operations that a whole worktree may be in the middle of. */
const WHOLE: Readonly<Record<string, (its: WorktreeUnderTest) => void>> = {
  'a sparse checkout': ({ git, write }) => {
    git('sparse-checkout', 'set', '--no-cone', '/*', '!/s1/');
    write('b.txt', 'changed\n');
  },
  'a detached HEAD with commits of its own': ({ git, commit }) => {
    git('checkout', '--quiet', '--detach');
    commit('detached', 'a.txt', 'detached\n');
  },
  'a merge in conflict, with another file staged': ({ git, commit, write }) => {
    const start = git('rev-parse', 'HEAD');
    commit('ours', 'a.txt', 'ours\n');
    git('checkout', '--quiet', '--detach', start);
    const theirs = commit('theirs', 'a.txt', 'theirs\n');
    git('checkout', '--quiet', '-');
    write('b.txt', 'staged\n');
    git('add', 'b.txt');
    expect(() => git('merge', '--quiet', theirs)).toThrow();
    write('b.txt', 'staged, then changed\n');
  },
  'a patch in conflict, whose sides are in no commit': ({ git, write, path }) => {
    write('a.txt', 'theirs\n');
    const theirs = git('hash-object', '-w', 'a.txt');
    const head = git('rev-parse', 'HEAD:a.txt');
    write('a.txt', 'ours, on disk\n');
    const lines = [`100644 ${head} 2\ta.txt`, `100644 ${theirs} 3\ta.txt`, `100755 ${theirs} 3\tonly theirs`];
    const input = [`0 ${'0'.repeat(40)}\ta.txt`, ...lines].map((line) => `${line}\0`).join('');
    execFileSync('git', ['update-index', '-z', '--index-info'], { cwd: path, env: world.env, input });
  },
  'a split index': ({ git, write }) => {
    git('update-index', '--split-index');
    write('new.txt', 'staged\n');
    git('add', 'new.txt');
    write('b.txt', 'changed\n');
  },
  'a cherry-pick that stopped': ({ git, commit }) => {
    const start = git('rev-parse', 'HEAD');
    commit('mine', 'a.txt', 'mine\n');
    git('checkout', '--quiet', '--detach', start);
    const other = commit('other', 'a.txt', 'other\n');
    git('checkout', '--quiet', '-');
    expect(() => git('cherry-pick', other)).toThrow();
  },
  'a bisection': ({ git, commit }) => {
    const start = git('rev-parse', 'HEAD');
    for (const text of ['1', '2', '3', '4']) commit(text, 'a.txt', text);
    git('bisect', 'start', 'HEAD', start);
  },
  'a submodule whose folder was emptied, with every commit in a remote branch': ({ git }) => {
    const source = createWorktreeRepository(world, `source-${count}`);
    source.commit('first', { 's.txt': 's\n' });
    git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', source.path, 'sub');
    git('submodule', '--quiet', 'deinit', '--force', 'sub');
  },
  'a branch of its own that was renamed': ({ git, commit, branch }) => {
    commit('mine', 'a.txt', 'mine\n');
    git('branch', '--move', `${branch}-renamed`);
  },
  'a rebase that stopped': ({ git, commit }) => {
    const start = git('rev-parse', 'HEAD');
    // Commits of the same second, with the same text, would be those of the state above, on whose branch they are safe.
    commit('mine, to rebase', 'a.txt', 'mine\n');
    git('checkout', '--quiet', '--detach', start);
    const other = commit('other, to rebase onto', 'a.txt', 'other\n');
    git('checkout', '--quiet', '-');
    expect(() => git('rebase', '--quiet', other)).toThrow();
  },
};

describe('a worktree as a whole', () => {
  test.each(Object.entries(WHOLE))('%s: it comes back', async (name, make) => {
    const its = begin();
    make(its);
    const before = its.look();
    const { saved } = await its.finish('discard');
    expect(its.isGone()).toBe(true);
    await recover(saved.id);
    const after = its.look();
    // A recovered sparse checkout contains all of its files.
    expect(name === 'a sparse checkout' ? { ...after.files, ...before.files } : before.files).toEqual(after.files);
    expect(after.head).toBe(before.head);
  });

  test('a repository with longer object names: it comes back', async () => {
    const other = createWorktreeRepository(world, 'sha256');
    rmSync(join(other.path, '.git'), { recursive: true });
    other.git('init', '--quiet', '--initial-branch', 'main', '--object-format', 'sha256');
    for (const [key, value] of Object.entries({ 'user.name': 'A', 'user.email': 'a@example.org' })) {
      other.git('config', key, value);
    }
    other.commit('first', { 'a.txt': 'a\n', 'b.txt': 'b\n' });
    const its = finishing(other, 'LONG');
    its.write('a.txt', 'staged\n');
    its.git('add', 'a.txt');
    its.write('new.txt', 'new\n');
    unlinkSync(join(its.path, 'b.txt'));
    symlinkSync('a.txt', join(its.path, 'link'));
    const before = its.look();
    const { saved } = await its.finish('discard');
    expect(its.isGone()).toBe(true);
    await recoverWork(other.place, { id: saved.id, branch: null, folder: undefined });
    expect(its.look()).toEqual(before);
  });

  test('a branch without a commit comes back as a branch, because git creates no worktree for it', async () => {
    const its = begin();
    its.git('checkout', '--quiet', '--orphan', 'orphan');
    const { saved } = await its.finish('discard');
    await expect(recover(saved.id)).rejects.toMatchObject({ code: 'no_commit' });
    const { commit } = await recoverWork(repository.place, { id: saved.id, branch: 'back', folder: null });
    expect(repository.git('show', `${commit}:a.txt`)).toBe('a');
  });
});

describe('commits that exist nowhere else are kept', () => {
  test('the sides of a conflict that are in no commit', async () => {
    const its = begin();
    WHOLE['a patch in conflict, whose sides are in no commit']?.(its);
    const { saved } = await its.finish('discard');
    repository.git('gc', '--quiet', '--prune=now');
    const texts = saved.also.map((commit) => repository.git('show', `${commit}:3/a.txt`));
    expect(texts).toEqual(['theirs']);
  });

  test('stashes, commits that were left or amended, and what an unfinished merge needs', async () => {
    const its = begin();
    its.write('stashed.txt', 'stashed\n');
    its.git('stash', 'push', '--quiet', '--include-untracked');
    const stash = its.git('rev-parse', 'refs/stash');
    const left = its.commit('left', 'a.txt', 'left\n');
    its.git('commit', '--quiet', '--amend', '--message', 'amended');
    its.git('checkout', '--quiet', '--detach');
    const detached = its.commit('detached', 'a.txt', 'detached\n');
    its.git('checkout', '--quiet', its.branch);
    const tip = its.git('rev-parse', 'HEAD');
    const { saved } = await its.finish('discard');
    expect(repository.git('branch', '--list', its.branch)).toBe('');
    expect(saved.also).toEqual(expect.arrayContaining([stash, left, detached]));
    repository.git('stash', 'drop', '--quiet');
    repository.git('reflog', 'expire', '--expire=now', '--all');
    repository.git('gc', '--quiet', '--prune=now');
    for (const commit of [stash, left, detached, tip]) repository.git('cat-file', '-e', `${commit}^{tree}`);
    expect(repository.git('show', `${stash}^3:stashed.txt`)).toBe('stashed');
  });
});

/** Reasons why a worktree cannot be finished. None of its files may change then. */
const REFUSED: Readonly<Record<string, readonly [string, (its: WorktreeUnderTest) => void | Promise<void>]>> = {
  'is locked': ['worktree_locked', ({ path }) => void repository.git('worktree', 'lock', path)],
  'has another worktree inside': [
    'worktree_nested',
    ({ path, git }) => void git('worktree', 'add', '--quiet', '--detach', join(path, 'inner')),
  ],
  'has a repository inside': [
    'worktree_nested',
    ({ path, git }) => {
      git('init', '--quiet', 'inner');
      writeFileSync(join(path, 'inner/file.txt'), 'x');
    },
  ],
  'contains a submodule with its own repository': [
    'worktree_submodules',
    ({ git }) => {
      const source = createWorktreeRepository(world, `source-${count}`);
      source.commit('first', { 's.txt': 's\n' });
      git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', source.path, 'sub');
    },
  ],
  'has the commits of a submodule whose folder was emptied': [
    'worktree_submodules',
    ({ git, path }) => {
      const source = createWorktreeRepository(world, `source-${count}`);
      source.commit('first', { 's.txt': 's\n' });
      git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', source.path, 'sub');
      const inside = ['-c', 'user.name=A', '-c', 'user.email=a@example.org'];
      repository.gitIn(join(path, 'sub'), ...inside, 'commit', '--quiet', '--allow-empty', '--message', 'not pushed');
      git('submodule', '--quiet', 'deinit', '--force', 'sub');
    },
  ],
  'has a repository in a folder of tracked files': [
    'worktree_nested',
    ({ path }) => {
      repository.gitIn(join(path, 's0', 'deep'), 'init', '--quiet');
    },
  ],
  'was moved by git': [
    'worktree_gone',
    ({ path }) => void repository.git('worktree', 'move', path, join(repository.path, '..', `moved-${count}`)),
  ],
  'says that its files are somewhere else': [
    'worktree_gone',
    ({ git }) => {
      repository.git('config', 'extensions.worktreeConfig', 'true');
      git('config', '--worktree', 'core.worktree', world.project(`elsewhere-${count}`));
    },
  ],
  'is written to by a process that is somewhere else': [
    'worktree_in_use',
    async ({ path }) => {
      const log = join(path, 'server.log');
      const child = spawn('sh', ['-c', 'exec >>"$1"; echo started; exec sleep 60', 'sh', log], { cwd: '/' });
      onTestFinished(() => void child.kill());
      await waitFor(() => existsSync(log), { describe: 'the log is open' });
    },
  ],
  'has a repository in an ignored folder that .worktreeinclude names': [
    'worktree_nested',
    ({ path }) => {
      mkdirSync(join(path, 'inner.env'));
      repository.gitIn(join(path, 'inner.env'), 'init', '--quiet');
      writeFileSync(join(path, 'inner.env/file.txt'), 'x');
    },
  ],
  'is a link to somewhere else': [
    'worktree_gone',
    ({ path }) => {
      rmSync(path, { recursive: true });
      symlinkSync(world.project(`elsewhere-${count}`), path);
    },
  ],
  'is another repository by now': [
    'worktree_gone',
    ({ path, write }) => {
      rmSync(path, { recursive: true });
      createWorktreeRepository(world, `other-${count}`).git('clone', '--quiet', '.', path);
      write('theirs.txt', 'x');
    },
  ],
  'was removed by somebody else': ['worktree_gone', ({ path }) => rmSync(path, { recursive: true })],
  'has a process in it': [
    'worktree_in_use',
    ({ path }) => {
      const child = spawn('sleep', ['60'], { cwd: path, stdio: 'ignore' });
      onTestFinished(() => void child.kill());
    },
  ],
};

describe('a finish is refused', () => {
  test.each(Object.entries(REFUSED))('a worktree that %s is left unchanged', async (_, [code, make]) => {
    const its = begin();
    await make(its);
    const look = () => ({
      files: existsSync(its.path) ? hashFiles(its.path) : null,
      refs: repository.git('for-each-ref'),
      worktrees: repository.git('worktree', 'list', '--porcelain'),
    });
    const before = look();
    await expect(its.finish('discard')).rejects.toMatchObject({ code });
    expect(look()).toEqual(before);
  });
});

test('a refused finish leaves the index unchanged, and an empty folder does not prevent a finish', async () => {
  const its = begin();
  appendFileSync(join(its.path, 'a.txt'), 'more\n');
  const index = readFileSync(its.git('rev-parse', '--path-format=absolute', '--git-path', 'index'));
  await expect(its.finish('merge')).rejects.toMatchObject({ code: 'uncommitted_changes' });
  expect(readFileSync(its.git('rev-parse', '--path-format=absolute', '--git-path', 'index')).equals(index)).toBe(true);
  mkdirSync(join(its.path, 'empty'));
  expect((await its.finish('keep')).isBranchKept).toBe(true);
});
