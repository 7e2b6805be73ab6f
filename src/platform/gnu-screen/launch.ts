import { open, rm, stat } from 'node:fs/promises';
import { CatalogueError } from '../../protocol/index.ts';
import { endTree } from '../process/end-tree.ts';
import { readProcess } from '../process/proc-file.ts';
import type { RecordingFiles } from '../recorder/script-command.ts';
import { type HiddenTerminal, openHiddenTerminal } from './hidden-terminal.ts';
import type { ScreenHost } from './host.ts';
import { type LaunchFiles, writeLaunchFiles } from './launch-files.ts';
import type { Launched, LaunchOptions } from './launch-options.ts';
import { proveLaunch } from './launch-proof.ts';
import { wipeScreen } from './list-screens.ts';
import { assertSocketFits } from './screen-id.ts';

/**
 * These variables would override the size of the hidden terminal, or make Screen believe that it is running somewhere
 * else.
 */
const NEVER_PASSED_ON = ['LINES', 'COLUMNS', 'TERMCAP', 'STY', 'WINDOW'];

/**
 * Starts a recorded session of the requested size and verifies the result: its socket exists, no one is attached, the
 * command itself is running (so it was found and executed), and its terminal has that size. A launch that fails leaves
 * nothing behind, not even the files of the recording.
 * @throws CatalogueError path_too_long, screen_not_found, claude_not_found if the command is not a program,
 * launch_failed with the output of Screen or of the command
 */
export async function launch(host: ScreenHost, options: LaunchOptions): Promise<Launched> {
  assertSocketFits(host.dir, options.name, host.pidDigits);
  await assertPossible(options);
  await createRecording(options.recording);
  let files: LaunchFiles | null = null;
  let terminal: HiddenTerminal | null = null;
  try {
    files = await writeLaunchFiles(host.exchangeDir, {
      command: options.command,
      shell: options.env.SHELL ?? null,
      recording: options.recording,
      launchingVariable: options.launchingVariable,
    });
    terminal = await openHiddenTerminal(host, {
      cols: options.cols,
      rows: options.rows,
      command: ['screen', '-U', '-m', '-S', options.name, '-c', files.rc, '/bin/sh', files.inner],
      env: launchEnvironment(host, options),
      cwd: options.cwd,
    });
    const launched = await proveLaunch(host, options, { terminal, files });
    await rm(files.dir, { recursive: true, force: true });
    return launched;
  } catch (error) {
    await undoLaunch(host, options, { terminal, files });
    throw error;
  }
}

/** @throws CatalogueError no_such_path, invalid_request */
async function assertPossible(options: LaunchOptions): Promise<void> {
  const texts = [...options.command, ...Object.values(options.env)];
  if (texts.some((text) => text.includes('\0'))) {
    throw new CatalogueError('invalid_request', 'Arguments and environment variables cannot contain a NUL character');
  }
  const directory = await stat(options.cwd).catch((error: NodeJS.ErrnoException) => error);
  if (directory instanceof Error || !directory.isDirectory()) {
    throw new CatalogueError('no_such_path', `${options.cwd} isn't a directory`);
  }
}

function launchEnvironment(host: ScreenHost, options: LaunchOptions): Record<string, string> {
  const kept = Object.entries(options.env).filter(([name]) => !NEVER_PASSED_ON.includes(name));
  // TERM describes the hidden terminal. In the session, Screen sets a value of its own.
  return { ...Object.fromEntries(kept), SCREENDIR: host.dir, TERM: 'xterm-256color' };
}

/**
 * Creates the files of the recording before `script` opens them. They are therefore private from the first byte, and an
 * older file is never overwritten.
 * @throws CatalogueError launch_failed
 */
async function createRecording(files: RecordingFiles): Promise<void> {
  const made: string[] = [];
  try {
    for (const path of [files.typescript, files.timing]) {
      await (await open(path, 'wx', 0o600)).close();
      made.push(path);
    }
  } catch (error) {
    await Promise.all(made.map((path) => rm(path, { force: true })));
    throw new CatalogueError('launch_failed', `The recording cannot be written: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

/** Removes everything that a failed launch left behind. */
async function undoLaunch(host: ScreenHost, options: LaunchOptions, attempt: PartialAttempt): Promise<void> {
  const { terminal, files } = attempt;
  const root = terminal === null ? null : await readProcess(terminal.pid);
  const { ended } = await endTree({ roots: root === null ? [] : [root], mark: options.mark });
  terminal?.destroy();
  // Another home may have a session with the same name. If the daemon of that session left a socket behind, that home
  // removes it.
  for (const { pid } of ended) await wipeScreen(host, `${pid}.${options.name}`);
  const remains = [options.recording.typescript, options.recording.timing, ...(files === null ? [] : [files.dir])];
  await Promise.all(remains.map((path) => rm(path, { recursive: true, force: true })));
}

interface PartialAttempt {
  terminal: HiddenTerminal | null;
  files: LaunchFiles | null;
}
