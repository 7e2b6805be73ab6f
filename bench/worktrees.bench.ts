import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Session } from '../src/protocol/index.ts';
import { type Cbos, PROGRAM, startCbos } from '../test/harness/cbos.ts';
import { waitFor } from '../test/harness/wait-for.ts';
import { createWorld, type World } from '../test/harness/world.ts';
import { timeCommand } from './command-time.ts';
import { type Figure, median } from './figures.mjs';
import { processorSeconds } from './processor-time.ts';
import { sizeFrom } from './sizes.ts';

export const about =
  'a repository of 50,000 files with 200 worktrees, 20 of them with a session: `cbos ls -l` compared with bare Node and with the same sessions in a small repository, and what the idle server does';

const FILES = sizeFrom('BENCH_FILES', 50_000);
const WORKTREES = sizeFrom('BENCH_WORKTREES', 200);
/** How many worktrees have a session. Only these contain files: those of one folder. */
const SESSIONS = sizeFrom('BENCH_SESSIONS', 20);
const IDLE_MS = sizeFrom('BENCH_IDLE_SECONDS', 20) * 1_000;
/** What the lists are compared with: a repository of 1,000 files, with a worktree for each session. */
const SMALL = { files: 1_000, worktrees: SESSIONS };
const FOLDERS = 100;
const LISTS = 15;
/** A list must not become slower because its sessions are in a large repository. */
const MOST_TIMES = 1.25;
const LONG_MS = 10 * 60_000;

export async function measure(): Promise<Figure[]> {
  await using world = createWorld();
  await using smallWorld = createWorld();
  const calls = countGit(world);
  const root = createRepository(world, { files: FILES, worktrees: WORKTREES });
  const smallRoot = createRepository(smallWorld, SMALL);
  const CBOS_CLAUDE_COMMAND = fileURLToPath(new URL('stub-agent.sh', import.meta.url));
  const cbos = await startCbos(world, { CBOS_CLAUDE_COMMAND, PATH: `${join(world.dir, 'git')}:${world.env.PATH}` });
  const small = await startCbos(smallWorld, { CBOS_CLAUDE_COMMAND });
  await create(small, smallRoot);
  await create(cbos, root);
  await untilCounted(small);
  const counted = await untilCounted(cbos);
  const took = measureLists(world, smallWorld);
  await delay(IDLE_MS);
  const before = { cpu: processorSeconds(cbos.pid), calls: calls() };
  await delay(IDLE_MS);
  return [
    { name: 'files in the repository', value: FILES, unit: '' },
    { name: 'worktrees', value: WORKTREES, unit: '' },
    { name: 'cbos ls -l, small repository', value: took.small / took.bare, unit: '× bare Node' },
    { name: 'cbos ls -l, large repository', value: took.large / took.bare, unit: '× bare Node' },
    {
      name: 'cbos ls -l, processor: large against small repository',
      value: took.large / took.small,
      unit: 'times',
      limit: MOST_TIMES,
    },
    { name: 'first count of all sessions', value: counted / 1_000, unit: 's' },
    {
      name: 'idle, processor',
      value: ((processorSeconds(cbos.pid) - before.cpu) / (IDLE_MS / 1_000)) * 100,
      unit: '% of a core',
    },
    { name: 'idle, git processes', value: calls() - before.calls, unit: '', limit: 0 },
    { name: 'inotify watches, small repository', value: watchesOf(small.pid), unit: '' },
    { name: 'inotify watches, large repository', value: watchesOf(cbos.pid), unit: '' },
  ];
}

/** Puts a git first in PATH that counts its calls. @returns how many there were */
function countGit({ dir }: World): () => number {
  const file = join(dir, 'git-calls');
  mkdirSync(join(dir, 'git'));
  writeFileSync(join(dir, 'git', 'git'), `#!/bin/sh\necho >>'${file}'\nexec /usr/bin/git "$@"\n`, { mode: 0o755 });
  return () => (existsSync(file) ? readFileSync(file).length : 0);
}

function createRepository(world: World, size: { files: number; worktrees: number }): string {
  const root = world.project('shop');
  const git = (cwd: string, args: readonly string[], input = ''): void =>
    void execFileSync('git', args, { cwd, env: world.env, input, stdio: ['pipe', 'ignore', 'pipe'] });
  git(root, ['init', '--quiet', '--initial-branch', 'main']);
  const files = Array.from({ length: size.files }, (_, at) => {
    const text = `the content of file ${at}\n`;
    const name = `d${at % FOLDERS}/f${at}`;
    return `M 100644 inline ${name}\ndata ${text.length}\n${text}\n`;
  });
  const head = 'commit refs/heads/main\ncommitter A <a@example.org> 1700000000 +0000\ndata 0\n';
  git(root, ['fast-import', '--quiet'], `${head}${files.join('')}\n`);
  git(root, ['reset', '--quiet', '--hard']);
  for (let number = 1; number <= size.worktrees; number++) {
    const path = join(root, '.claude', 'worktrees', `S${number}`);
    git(root, ['worktree', 'add', '--quiet', '--no-checkout', '-b', `S${number}`, path]);
    if (number > SESSIONS) continue;
    git(path, ['sparse-checkout', 'set', `d${number}`]);
    git(path, ['reset', '--quiet', '--hard']);
    writeFileSync(join(path, `d${number}`, 'new'), 'one\ntwo\n');
  }
  return root;
}

async function create(cbos: Cbos, path: string): Promise<void> {
  for (let number = 1; number <= SESSIONS; number++) {
    const slug = `S${number}`;
    const request = { slug, type: 'json', path, worktree: { branch: slug, existing: true } };
    const created = await cbos.call('POST', '/sessions', request);
    if (created.error !== null) throw new Error(created.error.message);
  }
}

/** @returns how long it took until each session's changes were counted, in milliseconds */
async function untilCounted(cbos: Cbos): Promise<number> {
  const began = performance.now();
  await waitFor(
    async () => {
      const { body } = await cbos.call<Session[]>('GET', '/sessions');
      return body.every(({ changes }) => changes?.added === 2);
    },
    { describe: 'the changes of all sessions are counted', timeoutMs: LONG_MS },
  );
  return performance.now() - began;
}

/** Measures both lists and bare Node, alternating. @returns the median processor times */
function measureLists(world: World, smallWorld: World): Record<'bare' | 'small' | 'large', number> {
  const took = { bare: [] as number[], small: [] as number[], large: [] as number[] };
  const list = [process.execPath, PROGRAM, 'ls', '-l'];
  for (let time = 0; time < LISTS; time++) {
    took.bare.push(timeCommand(world, [process.execPath, '-e', '0']).processorMs);
    took.small.push(timeCommand(smallWorld, list).processorMs);
    took.large.push(timeCommand(world, list).processorMs);
  }
  return { bare: median(took.bare), small: median(took.small), large: median(took.large) };
}

/** Returns how many inotify watches a process has. */
function watchesOf(pid: number): number {
  const dir = `/proc/${pid}/fd`;
  const inotify = readdirSync(dir).filter((fd) => readlinkSync(join(dir, fd)) === 'anon_inode:inotify');
  const infos = inotify.map((fd) => readFileSync(`/proc/${pid}/fdinfo/${fd}`, 'utf8'));
  return infos
    .join('\n')
    .split('\n')
    .filter((line) => line.startsWith('inotify ')).length;
}
