import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { EXIT, type RepositoryWorktrees, type Session } from '../../src/protocol/index.ts';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { waitFor } from '../harness/wait-for.ts';
import { createWorktreeRepository, hashFiles, type WorktreeRepository } from '../harness/worktree-repository.ts';
import { createWorld, type World } from '../harness/world.ts';

const STUB = fileURLToPath(new URL('../harness/stub-agent.sh', import.meta.url));
/** At how many steps of each command the server is killed. `WORKTREE_KILLS=all` kills it at every step. */
const KILLS = process.env.WORKTREE_KILLS ?? '2';
/** The commands that change something. Between two of them, a kill always leaves the same state. */
const CHANGES =
  / (commit-tree|update-ref|update-index|hash-object|write-tree|read-tree|checkout-index|merge|merge-tree|worktree (add|remove)) /;

let world: World;
let repository: WorktreeRepository;
let cbos: Cbos;
let gitDir: string;
let deadlyDeletion: string;
let count = 0;

/**
 * Writes a git that counts the server's calls while the file `at` exists. At the chosen call, before git starts or
 * after it has ended, it kills the server.
 */
function writeDeadlyGit(folder: string): void {
  mkdirSync(folder);
  writeFileSync(
    join(folder, 'git'),
    `#!/bin/sh
case "$*" in *'config --null'*) exec /usr/bin/git "$@";; *' -C '*) ;; *) exec /usr/bin/git "$@";; esac
[ -e '${folder}/at' ] || exec /usr/bin/git "$@"
echo "$*" >>'${folder}/calls'
read -r number when <'${folder}/at'
[ "$(wc -l <'${folder}/calls')" = "$number" ] || exec /usr/bin/git "$@"
[ "$when" = before ] || /usr/bin/git "$@"
kill -9 "$PPID"
`,
    { mode: 0o755 },
  );
}

beforeAll(async () => {
  world = createWorld();
  gitDir = join(world.dir, 'git');
  writeDeadlyGit(gitDir);
  deadlyDeletion = writeDeadlyDeletion(gitDir);
  repository = createWorktreeRepository(world, 'shop');
  repository.commit('first', {
    'a.txt': 'a\n',
    'b.txt': 'b\n',
    'deep/c.txt': 'c\n',
    '.gitignore': '*.env\nnode_modules/\n',
    '.worktreeinclude': '*.env\n',
  });
  cbos = await start();
});
afterAll(() => world.dispose());

const start = (): Promise<Cbos> =>
  startCbos(world, {
    ...{ CBOS_CLAUDE_COMMAND: STUB, PATH: `${gitDir}:${world.env.PATH}` },
    NODE_OPTIONS: `--import=${deadlyDeletion}`,
  });

interface Scene {
  slug: string;
  path: string;
  /** commits that only the worktree refers to */
  commits: string[];
  files: Record<string, string>;
}

/** Creates a session in a worktree that has everything that a finish of this kind accepts. */
async function prepare(how: 'merge' | 'discard'): Promise<Scene> {
  count += 1;
  const slug = `W${count}`;
  const created = await cbos.call<Session>('POST', '/sessions', {
    slug,
    type: 'screen',
    path: repository.path,
    worktree: {},
  });
  expect(created.error).toBeNull();
  const path = join(repository.path, '.claude/worktrees', slug);
  const git = (...args: string[]): string => repository.gitIn(path, ...args);
  const write = (name: string, text: string): void => writeFileSync(join(path, name), text);
  write('stashed.txt', 'stashed\n');
  git('stash', 'push', '--quiet', '--include-untracked');
  const commits = [git('rev-parse', 'refs/stash')];
  write('work.txt', `left by ${slug}\n`);
  git('add', 'work.txt');
  git('commit', '--quiet', '--message', 'left');
  commits.push(git('rev-parse', 'HEAD'));
  write('work.txt', `work of ${slug}\n`);
  git('commit', '--quiet', '--amend', '--all', '--message', 'work');
  commits.push(git('rev-parse', 'HEAD'));
  write('own.env', `secret of ${slug}\n`);
  chmodSync(join(path, 'own.env'), 0o600);
  if (how === 'discard') {
    write('a.txt', 'staged\n');
    git('add', 'a.txt');
    write('a.txt', 'changed since\n');
    rmSync(join(path, 'deep'), { recursive: true });
    write('tool.sh', '#!/bin/sh\n');
    chmodSync(join(path, 'tool.sh'), 0o755);
    symlinkSync('/nowhere', join(path, 'link'));
  } else repository.commit('meanwhile', { 'b.txt': `while ${slug} worked\n` });
  return { slug, path, commits, files: hashFiles(path) };
}

/** Runs a command while the server is killed at a call of git. @returns whether the call was reached */
async function killAt(at: string, args: readonly string[]): Promise<boolean> {
  rmSync(join(gitDir, 'calls'), { force: true });
  writeFileSync(join(gitDir, 'at'), `${at}\n`);
  const { code } = await cbos.cli(args);
  rmSync(join(gitDir, 'at'));
  if (code === 0) return false;
  // Nothing but the kill may have failed.
  expect(code).toBe(EXIT.noServer);
  await cbos.stop('SIGKILL');
  cbos = await start();
  return true;
}

/** Runs a command once without a kill. @returns the moments to kill the server at */
async function stepsOf(args: readonly string[]): Promise<string[]> {
  expect(await killAt('0 before', args)).toBe(false);
  const calls = readFileSync(join(gitDir, 'calls'), 'utf8').trimEnd().split('\n');
  const all = calls.flatMap((call, index) =>
    CHANGES.test(`${call} `) ? [`${index + 1} before`, `${index + 1} after`] : [],
  );
  const wanted = KILLS === 'all' ? all.length : Number(KILLS);
  process.stdout.write(`${args.join(' ')}: ${calls.length} calls of git, ${wanted} of ${all.length} kills\n`);
  return Array.from({ length: wanted }, (_, index) => all[Math.floor(((index + 0.5) * all.length) / wanted)] ?? '');
}

const isMerged = (commit: string): boolean => repository.git('branch', '--contains', commit).includes('main');

async function requireRecoverable(scene: Scene, where: readonly string[], at: string): Promise<void> {
  repository.git('stash', 'clear');
  repository.git('reflog', 'expire', '--expire=now', '--all');
  repository.git('prune', '--expire=now');
  for (const commit of scene.commits) repository.git('cat-file', '-e', `${commit}^{tree}`);
  const recovered = await cbos.cli(['recover', scene.slug, ...where]);
  expect(recovered.stderr, at).toBe('');
  expect(hashFiles(where[1] ?? scene.path), at).toEqual(scene.files);
}

test.each(['merge', 'discard'] as const)(
  'a server that is killed during `cbos finish --%s` loses no byte, and the same command completes it',
  async (how) => {
    const finish = ({ slug }: Scene): string[] => ['finish', slug, `--${how}`, '--yes'];
    for (const at of await stepsOf(finish(await prepare(how)))) {
      const scene = await prepare(how);
      expect(await killAt(at, finish(scene)), at).toBe(true);
      const again = await cbos.cli(finish(scene));
      expect(again.stderr, at).toBe('');
      expect(existsSync(scene.path), at).toBe(false);
      expect(repository.git('branch', '--list', scene.slug), at).toBe('');
      expect(repository.git('worktree', 'list'), at).not.toContain(scene.slug);
      expect(repository.git('status', '--porcelain'), at).toBe('');
      expect(isMerged(scene.commits[2] ?? ''), at).toBe(how === 'merge');
      await requireRecoverable(scene, [], at);
    }
  },
  3_600_000,
);

/**
 * The innermost of many nested folders in a worktree that is deleted. Folders are deleted one after the other, from the
 * inside out, so the deletion has a middle.
 */
const INNERMOST = `node_modules${'/d'.repeat(300)}`;

/** Writes a module for the server that kills the server in the middle of a deletion while the file `delete` exists. */
function writeDeadlyDeletion(folder: string): string {
  const file = join(folder, 'deadly-deletion.mjs');
  writeFileSync(
    file,
    `import { existsSync } from 'node:fs';
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
const { rm } = promises;
function look(folder) {
  if (!existsSync(folder)) process.kill(process.pid, 'SIGKILL');
  setImmediate(look, folder);
}
promises.rm = (path, options) => {
  const deletion = rm(path, options);
  if (existsSync('${folder}/delete') && path.includes('.finished-')) look(path + '/${INNERMOST}');
  return deletion;
};
syncBuiltinESMExports();
`,
  );
  return file;
}

test('a server that is killed while it deletes a worktree loses no byte, and the next one deletes the rest', async () => {
  const scene = await prepare('discard');
  mkdirSync(join(scene.path, INNERMOST), { recursive: true });
  writeFileSync(join(scene.path, 'node_modules/package.js'), 'package\n');
  writeFileSync(join(gitDir, 'delete'), '');
  expect((await cbos.cli(['finish', scene.slug, '--discard', '--yes'])).code).toBe(EXIT.noServer);
  rmSync(join(gitDir, 'delete'));
  await cbos.stop('SIGKILL');
  const folder = dirname(scene.path);
  const aside = join(folder, readdirSync(folder).find((name) => name.startsWith(`.${scene.slug}.finished-`)) ?? '');
  expect(existsSync(join(aside, scene.slug, 'node_modules/d'))).toBe(true);
  expect(existsSync(join(aside, scene.slug, INNERMOST))).toBe(false);
  expect(existsSync(scene.path)).toBe(false);
  expect(repository.git('worktree', 'list')).not.toContain(scene.slug);
  // Even where no file says that git should ignore the place of the worktrees, the half-deleted folder is not counted.
  writeFileSync(join(repository.path, '.git/info/exclude'), '');
  expect(repository.git('status', '--porcelain', '--untracked-files=all')).not.toContain('.finished-');
  // Somebody else's folders with such names are left alone.
  const others = ['.OLD.finished-1', `.${scene.slug}.finished-1`].map((name) => join(folder, name));
  for (const other of others) {
    mkdirSync(other);
    writeFileSync(join(other, 'mine.txt'), 'mine\n');
  }

  cbos = await start();
  await waitFor(() => !existsSync(aside), { describe: 'the next server deletes the rest' });
  const { body } = await cbos.call<RepositoryWorktrees[]>('GET', `/worktrees?path=${repository.path}`);
  const paths = body[0]?.worktrees.map(({ path }) => path);
  expect(paths).toContain(repository.path);
  expect(paths?.filter((path) => path === scene.path || path.includes('.finished-'))).toEqual([]);
  expect((await cbos.cli(['finish', scene.slug, '--discard', '--yes'])).stderr).toBe('');
  expect(repository.git('branch', '--list', scene.slug)).toBe('');
  for (const other of others) {
    expect(readFileSync(join(other, 'mine.txt'), 'utf8')).toBe('mine\n');
    rmSync(other, { recursive: true });
  }
  await requireRecoverable(scene, [], 'in the deletion');
}, 600_000);

test('a server that is killed during `cbos recover` loses no byte, and the copy can be restored elsewhere', async () => {
  const finish = async (): Promise<Scene> => {
    const scene = await prepare('discard');
    expect((await cbos.cli(['finish', scene.slug, '--discard', '--yes'])).stderr).toBe('');
    return scene;
  };
  for (const at of await stepsOf(['recover', (await finish()).slug])) {
    const scene = await finish();
    expect(await killAt(at, ['recover', scene.slug]), at).toBe(true);
    await requireRecoverable(scene, ['--to', join(world.dir, `to-${scene.slug}`), '--branch', `again-${count}`], at);
  }
}, 3_600_000);
