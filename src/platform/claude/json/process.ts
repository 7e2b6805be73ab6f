import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, mkdirSync, openSync } from 'node:fs';
import { open, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { CatalogueError } from '../../../protocol/index.ts';
import { makeFifo, type ProcessId, readProcess, startFault } from '../../process/index.ts';

/**
 * How long to wait until Claude Code reads a line. If that takes longer, Claude Code must have hung, because it
 * normally reads its input immediately, even during a turn.
 */
const WRITE_TIMEOUT_MS = 15_000;
const WRITE_RETRY_MS = 5;
/** How much of the error output is read. This is enough for a stack trace, whose last line names the error. */
const ERROR_TAIL_CHARS = 4_000;

/**
 * The files through which CBOS controls a Claude Code process. They outlive the server, and a server that finds the
 * process again continues to use them.
 */
export interface JsonFiles {
  /** a FIFO that the process itself also holds open for writing, so that the FIFO never reaches its end */
  input: string;
  output: string;
  errors: string;
}

export function jsonFiles(dir: string, launchId: string): JsonFiles {
  const base = join(dir, launchId);
  return { input: `${base}.in`, output: `${base}.out`, errors: `${base}.err` };
}

export interface JsonProcessOptions {
  argv: readonly string[];
  cwd: string;
  /** the complete environment; the process inherits nothing else */
  env: Readonly<Record<string, string>>;
  files: JsonFiles;
  /** called once when the process has ended, but not if the server was restarted in the meantime */
  onExit: (end: { code: number | null; signal: string | null }) => void;
}

/**
 * Starts Claude Code in a process session of its own, so that it continues if the server dies.
 * @throws CatalogueError launch_failed, process_limit
 */
export async function startJsonProcess({ argv, cwd, env, files, onExit }: JsonProcessOptions): Promise<ProcessId> {
  await makeFifo(files.input, env);
  // The FIFO is opened for both reading and writing. Without a writer, the FIFO would reach its end, and the process
  // would exit.
  const opened = [
    openSync(files.input, constants.O_RDWR),
    openSync(files.output, constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND, 0o600),
    openSync(files.errors, constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND, 0o600),
  ];
  try {
    const [program = '', ...args] = argv;
    const child = spawn(program, args, { cwd, env: { ...env }, detached: true, stdio: [...opened] });
    child.once('exit', (code, signal) => onExit({ code, signal }));
    await once(child, 'spawn');
    child.unref();
    const found = child.pid === undefined ? null : await readProcess(child.pid);
    if (found === null)
      throw new CatalogueError('launch_failed', 'Claude Code exited immediately after it was started');
    return { pid: found.pid, startTime: found.startTime };
  } catch (error) {
    const cause = startFault(error as Error);
    if (cause instanceof CatalogueError) throw cause;
    throw new CatalogueError('launch_failed', `Claude Code could not be started: ${cause.message}`, {
      cause,
    });
  } finally {
    for (const fd of opened) closeSync(fd);
  }
}

/**
 * Writes one message to a process's input, either completely or, as far as possible, not at all. Half a message could
 * be left behind only if the server is killed in the middle of a message longer than 64 kB while Claude Code is not
 * reading.
 * @throws CatalogueError not_confirmed if the process does not read its input
 */
export async function writeMessage(files: JsonFiles, message: object): Promise<void> {
  const bytes = Buffer.from(`${JSON.stringify(message)}\n`);
  const file = await open(files.input, constants.O_WRONLY | constants.O_NONBLOCK).catch((cause: unknown) => {
    throw new CatalogueError('not_confirmed', "Claude Code isn't reading its input", { cause });
  });
  try {
    const deadline = performance.now() + WRITE_TIMEOUT_MS;
    for (let at = 0; at < bytes.length; ) {
      try {
        at += (await file.write(bytes, at, bytes.length - at, null)).bytesWritten;
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        if (code !== 'EAGAIN' || performance.now() > deadline) {
          throw new CatalogueError('not_confirmed', "Claude Code isn't reading its input", { cause: error });
        }
        await delay(WRITE_RETRY_MS);
      }
    }
  } finally {
    await file.close();
  }
}

/** Returns the last error that the process wrote to standard error, or an empty string if it wrote nothing. */
export async function lastComplaint(files: JsonFiles): Promise<string> {
  const text = await readFile(files.errors, 'utf8').catch(() => '');
  const lines = text
    .slice(-ERROR_TAIL_CHARS)
    .split('\n')
    .map((line) => line.trim());
  const said = lines.filter((line) => line !== '');
  // An error about an argument may continue, as in "error: unknown option '--verbos'\n(Did you mean --verbose?)".
  const [before, last = ''] = said.slice(-2);
  return said.length > 1 && last.startsWith('(') ? `${before} ${last}` : (said.at(-1) ?? '');
}

export async function removeFiles(files: JsonFiles): Promise<void> {
  await Promise.all(Object.values(files).map((file: string) => rm(file, { force: true })));
}

/** Creates the directory for these files, and removes files that no longer belong to any launch. */
export async function prepareJsonDirectory(dir: string, launchIds: ReadonlySet<string>): Promise<void> {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  for (const name of await readdir(dir)) {
    const [launchId = ''] = name.split('.');
    if (!launchIds.has(launchId)) await rm(join(dir, name), { force: true });
  }
}
