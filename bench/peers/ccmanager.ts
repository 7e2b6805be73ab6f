import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pty from '@lydell/node-pty';
import xterm from '@xterm/headless';
import { waitFor } from '../../test/harness/wait-for.ts';
import type { World } from '../../test/harness/world.ts';
import { agentTerminals, collectAges, type Peer, STUB_AGENT } from './peer.ts';
import { ccmanagerProgram } from './programs.mjs';

/** Room for the menu with all its rows. */
const SIZE = { cols: 120, rows: 70 };
const RETURN_TO_MENU = '\u0005';
const DOWN = '\u001b[B';
const ENTER = '\r';
/** A key is lost while ccmanager draws another view, so it is pressed again after this time. */
const AGAIN_MS = 5_000;
/** A key that was pressed twice arrives within this time. */
const STEADY_MS = 300;

/** A ccmanager in a terminal. */
export interface Ccmanager {
  /** starts a session in a worktree, or returns to it, and shows it */
  open(branch: string): Promise<void>;
  /** shows the menu */
  leave(): Promise<void>;
  type(keys: string): void;
  onData(listener: (text: string) => void): void;
  /** the states that its status hooks have reported, oldest first, with the times in Unix milliseconds */
  reports(): { at: number; state: string }[];
}

export interface CcmanagerOptions {
  /** the command of each session */
  command: string;
  env: Record<string, string>;
  /** a git repository, whose worktrees the sessions run in */
  repository: string;
}

/** Starts a ccmanager and waits until it shows its menu. */
export async function startCcmanager(
  world: World,
  program: string,
  { command, env, repository }: CcmanagerOptions,
): Promise<Ccmanager> {
  const reported = join(world.dir, 'ccmanager-states');
  configure(world, command, reported);
  const terminal = new xterm.Terminal({ ...SIZE, allowProposedApi: true });
  const child = pty.spawn(program, [], { ...SIZE, name: 'xterm-256color', cwd: repository, env });
  child.onData((text) => terminal.write(text));
  world.onDispose(() => {
    child.kill();
    terminal.dispose();
  });
  const rows = (): string[] => {
    const { active } = terminal.buffer;
    return Array.from(
      { length: SIZE.rows },
      (_, row) => active.getLine(active.baseY + row)?.translateToString(true) ?? '',
    );
  };
  const isMenu = (): boolean => rows().some((row) => row.startsWith('Select a worktree'));
  const selected = (): string => rows().find((row) => row.startsWith('❯')) ?? '';
  const press = async (keys: string, hasWorked: () => boolean, describe: string): Promise<void> => {
    let pressedAt = Number.NEGATIVE_INFINITY;
    const look = (): boolean => {
      if (hasWorked()) return true;
      if (performance.now() - pressedAt < AGAIN_MS) return false;
      pressedAt = performance.now();
      child.write(keys);
      return false;
    };
    await waitFor(look, { describe, actual: () => rows().join('\n'), timeoutMs: 120_000 });
  };
  const leave = (): Promise<void> => press(RETURN_TO_MENU, isMenu, 'ccmanager shows its menu');
  await waitFor(isMenu, { describe: 'ccmanager has started', actual: () => rows().join('\n'), timeoutMs: 120_000 });
  return {
    async open(branch) {
      await leave();
      const isSelected = (): boolean => selected().split(/\s+/).includes(branch);
      while (!(isSelected() && (await delay(STEADY_MS, true)) && isSelected())) {
        const before = selected();
        await press(DOWN, () => selected() !== before, `ccmanager selects a row below "${before}"`);
      }
      await press(ENTER, () => !isMenu(), `ccmanager shows the session of ${branch}`);
    },
    leave,
    type: (keys) => child.write(keys),
    onData: (listener) => void child.onData(listener),
    reports: () =>
      existsSync(reported)
        ? readFileSync(reported, 'utf8')
            .split('\n')
            .map((line) => line.split(' '))
            .flatMap(([at, state]) => (state === undefined ? [] : [{ at: Number(at) / 1e6, state }]))
        : [],
  };
}

/** Writes ccmanager's configuration: the command of a session, and hooks that report each state with its time. */
function configure(world: World, command: string, reported: string): void {
  const hook = { command: `echo "$(date +%s%N) $CCMANAGER_NEW_STATE" >>${reported}`, enabled: true };
  const folder = join(world.home, '.config', 'ccmanager');
  mkdirSync(folder, { recursive: true });
  const config = {
    statusHooks: { idle: hook, busy: hook, waiting_input: hook },
    commandPresets: {
      presets: [{ id: '1', name: 'Main', command, detectionStrategy: 'claude' }],
      defaultPresetId: '1',
    },
  };
  writeFileSync(join(folder, 'config.json'), JSON.stringify(config));
}

/** Makes a folder a repository with as many worktrees beside it, on the branches `b1`, `b2`, … */
export function makeWorktrees(world: World, repository: string, count: number): string[] {
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=user', '-c', 'user.email=user@localhost', ...args], {
      cwd: repository,
      env: world.env,
      stdio: 'ignore',
    });
  git('init', '-q', '-b', 'main');
  git('commit', '-q', '--allow-empty', '-m', 'first');
  const branches = Array.from({ length: count }, (_, index) => `b${index + 1}`);
  for (const branch of branches) git('worktree', 'add', '-q', join(world.dir, 'worktrees', branch), '-b', branch);
  return branches;
}

/** ccmanager with a session in each worktree. @returns null on a processor without the program */
export function ccmanagerPeer(): Peer | null {
  const program = ccmanagerProgram();
  if (program === null) return null;
  return {
    name: `ccmanager ${program.version}`,
    async hold(world, sessions) {
      const repository = world.project('repository');
      const branches = makeWorktrees(world, repository, sessions);
      const options = { command: STUB_AGENT, env: world.env, repository };
      const ccmanager = await startCcmanager(world, program.path, options);
      for (const [index, branch] of branches.entries()) {
        await ccmanager.open(branch);
        await waitFor(() => agentTerminals(world).length === index + 1, {
          describe: `ccmanager has started the session of ${branch}`,
          timeoutMs: 60_000,
        });
      }
      await ccmanager.leave();
      return {
        list: null,
        async follow() {
          await ccmanager.open(branches[0] ?? '');
          const { ages, add } = collectAges();
          ccmanager.onData(add);
          return { ages, terminal: agentTerminals(world)[0] ?? '' };
        },
      };
    },
  };
}
