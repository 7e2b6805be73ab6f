import { spawn } from 'node:child_process';
import { requirePipes, startFault } from './start-fault.ts';

export interface RunOptions {
  /** complete: nothing is inherited */
  env: Readonly<Record<string, string>>;
  /** the program is killed after this */
  timeoutMs: number;
  cwd?: string;
}

/** How a program ended. Not found and timed out are results like any other: the caller knows what they mean. */
export interface RunResult {
  outcome: 'exited' | 'timed_out' | 'not_found';
  /** exit code; null when a signal ended it or it never ran */
  code: number | null;
  stdout: string;
  stderr: string;
}

/** More output than this comes from no program that is run this way; the rest is dropped. */
const MAX_OUTPUT_BYTES = 1_000_000;

/**
 * After the end of a program its last output is read within this; a grandchild that keeps the pipes open delays nobody
 * longer.
 */
const PIPE_GRACE_MS = 100;

/**
 * Runs a program with an argument array, never through a shell, and waits for its end.
 * @throws CatalogueError process_limit
 */
export function runProgram(file: string, args: readonly string[], options: RunOptions): Promise<RunResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, {
      env: { ...options.env },
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    });
    requirePipes(child);
    const stdout = collectOutput(child.stdout);
    const stderr = collectOutput(child.stderr);
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      child.kill('SIGKILL');
    }, options.timeoutMs);
    const settle = (result: RunResult) => {
      clearTimeout(timer);
      child.stdout.destroy();
      child.stderr.destroy();
      resolve(result);
    };
    child.once('error', (error: NodeJS.ErrnoException) => {
      clearTimeout(timer);
      if (error.code === 'ENOENT') settle({ outcome: 'not_found', code: null, stdout: '', stderr: '' });
      else reject(startFault(error));
    });
    child.once('exit', (code) => {
      const finish = () =>
        settle({ outcome: timedOut ? 'timed_out' : 'exited', code, stdout: stdout(), stderr: stderr() });
      child.once('close', finish);
      setTimeout(finish, PIPE_GRACE_MS).unref();
    });
  });
}

/** Gathers a stream's text up to a bound. */
export function collectOutput(stream: NodeJS.ReadableStream, maxBytes = MAX_OUTPUT_BYTES): () => string {
  const chunks: Buffer[] = [];
  let size = 0;
  stream.on('data', (chunk: Buffer) => {
    if (size >= maxBytes) return;
    chunks.push(chunk);
    size += chunk.length;
  });
  return () => Buffer.concat(chunks).toString('utf8');
}
