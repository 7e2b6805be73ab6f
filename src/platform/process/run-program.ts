import { spawn } from 'node:child_process';
import { requirePipes, startFault } from './start-fault.ts';

export interface RunOptions {
  /** the complete environment; the program inherits nothing else */
  env: Readonly<Record<string, string>>;
  /** how long the program may run before it is killed */
  timeoutMs: number;
  cwd?: string;
  /** what the program reads from its standard input, which is otherwise empty */
  input?: string;
  /** aborted when the program must be killed */
  signal?: AbortSignal;
}

/**
 * How a program ended. A missing program and a timeout count as ordinary results, because only the caller knows what
 * they mean.
 */
export interface RunResult {
  outcome: 'exited' | 'timed_out' | 'not_found';
  /** the exit code, or null if a signal ended the program or it never ran */
  code: number | null;
  stdout: string;
  stderr: string;
}

/**
 * How much output is kept. No program that is run this way should write more than this, and any further output is
 * dropped.
 */
const MAX_OUTPUT_BYTES = 1_000_000;

/**
 * How long to keep reading a program's last output after the program has ended. A grandchild that keeps the pipes open
 * cannot delay the result any longer than that.
 */
const PIPE_GRACE_MS = 100;

/**
 * Runs a program with an argument array, never through a shell, and waits until it ends.
 * @throws CatalogueError process_limit
 */
export function runProgram(file: string, args: readonly string[], options: RunOptions): Promise<RunResult> {
  return new Promise((resolve, reject) => {
    const { input, cwd } = options;
    const given = { env: { ...options.env }, ...(cwd === undefined ? {} : { cwd }) };
    const child =
      input === undefined
        ? spawn(file, args, { ...given, stdio: ['ignore', 'pipe', 'pipe'] })
        : spawn(file, args, { ...given, stdio: ['pipe', 'pipe', 'pipe'] });
    requirePipes(child);
    // The program may end without reading.
    child.stdin?.on('error', () => undefined).end(input);
    const stdout = collectOutput(child.stdout);
    const stderr = collectOutput(child.stderr);
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      child.kill('SIGKILL');
    }, options.timeoutMs);
    const kill = (): void => void child.kill('SIGKILL');
    options.signal?.addEventListener('abort', kill);
    if (options.signal?.aborted === true) kill();
    const settle = (result: RunResult) => {
      clearTimeout(timer);
      options.signal?.removeEventListener('abort', kill);
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

/** Collects the text of a stream, up to a limit. */
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
