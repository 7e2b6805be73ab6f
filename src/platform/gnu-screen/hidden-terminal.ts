import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { CatalogueError } from '../../protocol/index.ts';
import {
  collectOutput,
  descendantsOf,
  findMarked,
  isAlive,
  makeFifo,
  type ProcessMark,
  requirePipes,
  signal,
  startFault,
  waitUntil,
} from '../process/index.ts';
import { exchangeName } from './command.ts';
import { SCREEN_TIMEOUT_MS, type ScreenHost } from './host.ts';
import { shellWords } from './shell-quote.ts';

export interface HiddenTerminalOptions {
  cols: number;
  rows: number;
  /** the program that runs in the terminal, and its arguments */
  command: readonly string[];
  env: Readonly<Record<string, string>>;
  cwd?: string;
}

/** A program in a terminal that no one sees. */
export interface HiddenTerminal {
  /** the process id of `script`, which holds the terminal and whose child is the program */
  pid: number;
  /** resolves once the program has ended */
  ended: Promise<void>;
  hasEnded(): boolean;
  /** what has been drawn so far, without escape codes; if Screen failed, this is Screen's error message */
  text(): string;
  /** kills `script` if it is still running */
  destroy(): void;
}

/** How much output is kept. Screen's error messages are one line long. */
const KEPT_OUTPUT_BYTES = 16_384;

/**
 * Starts a program in a hidden terminal of a given size. If a session is started detached (`-dmS`), Screen gives it a
 * size of 80×24, which changes only when a client of another size attaches. `script` creates the terminal, and its
 * recording is discarded.
 * @throws CatalogueError launch_failed, process_limit
 */
export async function openHiddenTerminal(
  { exchangeDir }: Pick<ScreenHost, 'exchangeDir'>,
  options: HiddenTerminalOptions,
): Promise<HiddenTerminal> {
  const { cols, rows } = options;
  const line = `stty cols ${cols} rows ${rows}; exec ${shellWords(options.command)}`;
  // `script` passes the command line to $SHELL, which may be fish or /usr/sbin/nologin.
  const input = await openEndlessInput(join(exchangeDir, exchangeName('input')), options.env);
  let child: ChildProcessByStdio<null, Readable, Readable>;
  try {
    child = spawn('script', ['-q', '-c', line, '/dev/null'], {
      env: { ...options.env, SHELL: '/bin/sh' },
      stdio: [input, 'pipe', 'pipe'],
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    }) as typeof child;
    requirePipes(child);
  } finally {
    closeSync(input);
  }
  const stdout = collectOutput(child.stdout, KEPT_OUTPUT_BYTES);
  const stderr = collectOutput(child.stderr, KEPT_OUTPUT_BYTES);
  let over = false;
  const ended = new Promise<void>((resolve, reject) => {
    child.once('exit', () => {
      over = true;
      resolve();
    });
    child.once('error', (error: NodeJS.ErrnoException) => {
      over = true;
      if (error.code !== 'ENOENT') return reject(startFault(error));
      reject(
        new CatalogueError('launch_failed', 'The program `script` (util-linux) was not found', {
          hint: 'Install it: `sudo apt-get install bsdutils`',
        }),
      );
    });
  });
  // Callers that await `ended` receive the failure. Without this handler, a failure that no one awaits would end the
  // process.
  ended.catch(() => undefined);
  return {
    pid: child.pid ?? -1,
    ended,
    hasEnded: () => over,
    text: () => stripEscapes(`${stdout()}${stderr()}`),
    destroy: () => {
      if (!over) child.kill('SIGKILL');
      child.stdout.destroy();
      child.stderr.destroy();
    },
  };
}

/**
 * Opens an input that never ends, even if this process is killed. When its input ends, `script` types ^D, which Screen
 * would pass to the session. A process that opens a FIFO for both reading and writing is itself one of the FIFO's
 * writers.
 * @returns the file descriptor of the input
 */
async function openEndlessInput(path: string, env: HiddenTerminalOptions['env']): Promise<number> {
  await makeFifo(path, env);
  try {
    return openSync(path, constants.O_RDWR);
  } finally {
    await rm(path, { force: true });
  }
}

/** Returns the output of a terminal without escape codes and control characters. */
export function stripEscapes(text: string): string {
  return text
    .replaceAll(/\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[ -/]*[0-~]/g, '')
    .replaceAll(/[\x00-\x08\x0b-\x1f\x7f]/g, '')
    .trim();
}

/**
 * Detaches the hidden terminal of a launch whose server was killed before it could do so. Otherwise, the session would
 * count as attached forever. Other clients remain attached, and so do Screens that run inside the session.
 */
export async function leaveHiddenTerminal(daemonPid: number, mark: ProcessMark): Promise<void> {
  const inside = new Set((await descendantsOf([daemonPid])).map(({ pid }) => pid));
  for (const client of await findMarked(mark)) {
    if (client.comm !== 'screen' || client.pid === daemonPid || inside.has(client.pid)) continue;
    // HUP detaches a client without affecting its session.
    await signal(client, 'SIGHUP');
  }
}

/**
 * Detaches the clients with which a killed server was changing the size of sessions. Otherwise, they would remain
 * attached until the next output, and a session that is waiting for an answer draws nothing.
 */
export async function leaveSizingTerminals({ sizingMark }: Pick<ScreenHost, 'sizingMark'>): Promise<void> {
  const clients = (await findMarked(sizingMark)).filter(({ comm }) => comm === 'screen');
  for (const client of clients) await signal(client, 'SIGHUP');
  const areGone = async () => ((await Promise.all(clients.map(isAlive))).includes(true) ? null : true);
  await waitUntil(areGone, { timeoutMs: SCREEN_TIMEOUT_MS });
}
