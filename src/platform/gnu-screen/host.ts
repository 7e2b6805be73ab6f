import { mkdir, mkdtemp, stat } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { Emitter } from '../../emitter/emitter.ts';
import { CatalogueError } from '../../protocol/index.ts';
import { ignoreMissing } from '../files/ignore-missing.ts';
import { runProgram } from '../process/run-program.ts';
import type { ProcessMark } from '../process/tree.ts';
import type { InputGate } from './input-gate.ts';
import { parseScreenLs } from './parse-ls.ts';
import { readPidDigits } from './screen-id.ts';

/** A window whose number has been verified. */
export interface KnownWindow {
  number: string;
  /** the session's windows when the number was verified: numbers, titles, commands */
  windows: string;
  /** when Screen's socket last changed; Screen changes the mode of the socket whenever someone attaches or detaches */
  changedAt: number;
  provenAt: number;
}

/**
 * Where this user's Screen sessions are, and everything that is needed to communicate with them. {@link openScreenHost}
 * creates this object once.
 */
export interface ScreenHost {
  /** the directory that contains Screen's sockets */
  dir: string;
  /** the environment for the `screen` commands themselves; each launch sets the environment of its own session */
  env: Readonly<Record<string, string>>;
  /** the environment in which Screen itself finds the socket directory, or creates it if it is missing */
  directoryEnv: Readonly<Record<string, string>>;
  /** a directory with mode 0700 for the files that pass input to Screen; its path never needs quoting */
  exchangeDir: string;
  /** the variable that identifies the hidden terminals with which this home changes a session's size */
  sizingMark: ProcessMark;
  /** how many digits the longest pid on this system has */
  pidDigits: number;
  /**
   * the queues for typing, keyed by the daemon's pid; they are kept here because all senders in a process must share
   * them
   */
  gates: Map<string, InputGate>;
  /**
   * daemons that were asked to recreate their lost socket, and whether they did; they are kept until the socket is back
   */
  recoveries: Map<string, Promise<boolean>>;
  /** the window numbers that were last verified, by daemon and terminal */
  windows: Map<string, KnownWindow>;
  /**
   * fires before keys are typed, and reports whether Screen itself receives the keypresses because copy mode or one of
   * its prompts is open
   */
  prompts: Emitter<[seen: { daemonPid: number; isOpen: boolean }]>;
}

export interface ScreenHostOptions {
  /** the environment from which PATH and HOME are taken */
  env: Readonly<Record<string, string | undefined>>;
  /** the value of SCREENDIR, or null to use Screen's default */
  screenDir: string | null;
  /** a private directory for temporary files, which is created if it is missing */
  runDir: string;
  /** where to create that directory instead if the path of `runDir` contains characters that Screen would interpret */
  tempDir: string;
}

/**
 * How long to wait for a Screen command. `screen -ls` takes 5 ms, but may hang forever if the directory contains the
 * socket of a suspended daemon.
 */
export const SCREEN_TIMEOUT_MS = 3_000;

/**
 * Screen 4.9.0 expands `$` and `^` in the arguments of `-X` even within quotes, so only paths that consist of these
 * characters are used.
 */
const NEEDS_NO_QUOTING = /^[A-Za-z0-9/._+,@=-]+$/;

/** @throws CatalogueError screen_not_found, or launch_failed if Screen cannot have a socket directory at all */
export async function openScreenHost(options: ScreenHostOptions): Promise<ScreenHost> {
  const env = clientEnvironment(options);
  await mkdir(options.runDir, { recursive: true, mode: 0o700 });
  const exchangeDir = NEEDS_NO_QUOTING.test(options.runDir)
    ? options.runDir
    : await mkdtemp(join(options.tempDir, 'cbos-'));
  const dir = options.screenDir ?? (await findSocketDir(env));
  return {
    dir,
    env: { ...env, SCREENDIR: dir },
    directoryEnv: env,
    exchangeDir,
    sizingMark: { name: 'CBOS_SIZING', value: options.runDir },
    pidDigits: await readPidDigits(),
    gates: new Map(),
    recoveries: new Map(),
    windows: new Map(),
    prompts: new Emitter(),
  };
}

/**
 * Returns an environment with a terminal type that every terminfo database contains, with UTF-8 regardless of the
 * user's locale, and without the variables of a surrounding Screen.
 */
function clientEnvironment(options: ScreenHostOptions): Record<string, string> {
  const { PATH, HOME } = options.env;
  return {
    ...(PATH === undefined ? {} : { PATH }),
    ...(HOME === undefined ? {} : { HOME }),
    ...(options.screenDir === null ? {} : { SCREENDIR: options.screenDir }),
    LC_ALL: 'C.UTF-8',
    TERM: 'xterm-256color',
    SHELL: '/bin/sh',
  };
}

/**
 * Asks Screen itself for its directory, because distributions differ (Debian /run/screen/S-USER, Arch
 * /run/screens/S-USER, others .screen in the home directory). If a suspended daemon makes Screen hang, the usual places
 * are tried.
 */
async function findSocketDir(env: Record<string, string>): Promise<string> {
  const result = await runProgram('screen', ['-ls'], { env, timeoutMs: SCREEN_TIMEOUT_MS });
  if (result.outcome === 'not_found') throw new CatalogueError('screen_not_found');
  const { dir } = parseScreenLs(result.stdout);
  if (dir !== null) return dir;
  const user = userInfo().username;
  for (const place of [`/run/screen/S-${user}`, `/run/screens/S-${user}`, `${env.HOME ?? ''}/.screen`]) {
    if ((await ignoreMissing(stat(place)))?.isDirectory() === true) return place;
  }
  // For example, on WSL without systemd, /run/screen does not exist, and only root could create it.
  const said = `${result.stdout}${result.stderr}`.trim().split('\n', 1)[0] || 'Screen did not answer';
  throw new CatalogueError('launch_failed', `Screen has no socket directory: ${said}`, {
    hint: 'Create one: `mkdir -p -m 700 ~/.screen && export SCREENDIR=~/.screen`',
  });
}
