import { spawn } from 'node:child_process';
import { CatalogueError } from '../../protocol/index.ts';
import { requirePipes, startFault } from '../process/index.ts';
import { isMissing, lastWords, loginCommand, sshArguments, sshEnvironment } from './ssh-arguments.ts';

/** How much a program on the other machine may write until it ends. A login shell may print a greeting first. */
const MOST_BYTES = 256 * 1024;
/** How long to wait for ssh to end once it should. */
const END_MS = 2_000;

export interface OpenSshOptions {
  ssh: readonly string[];
  destination: string;
  /** the program to run there, and its arguments */
  words: readonly string[];
  /** whether a user can type a passphrase or accept a host key, which ssh asks for on the terminal */
  isAttended: boolean;
  environment: Readonly<Record<string, string | undefined>>;
}

/** What arrived from the other machine. After anything but a line, nothing arrives any more. */
export type SshEvent =
  | { kind: 'line'; line: string }
  /** ssh has ended; 255 is its exit code for a failure of its own */
  | { kind: 'ended'; code: number | null; said: string }
  | { kind: 'flooded' }
  | { kind: 'late' };

/** A program on another machine that reads and writes lines. */
export interface SshTalk {
  send(line: string): void;
  /** Resolves with the next line, or with the reason why there is none. */
  next(limitMs: number): Promise<SshEvent>;
  /** Ends the program's standard input. */
  finish(): void;
  /** Ends ssh. */
  close(): Promise<void>;
}

/**
 * Starts a program on another machine through ssh. ssh stays in the process group of this program, because it asks for
 * passphrases on the terminal.
 * @throws CatalogueError ssh_missing, process_limit, invalid_request
 */
export async function openSsh(options: OpenSshOptions): Promise<SshTalk> {
  const { ssh, destination, words, isAttended } = options;
  const [program, ...args] = sshArguments({
    ...{ ssh, destination, command: loginCommand(words) },
    options: ['ClearAllForwardings=yes', ...(isAttended ? [] : ['BatchMode=yes'])],
  });
  const child = spawn(program, args, { stdio: 'pipe', env: sshEnvironment(options.environment) });
  requirePipes(child);
  const events: SshEvent[] = [];
  let wake: () => void = () => undefined;
  let isOver = false;
  const tell = (event: SshEvent): void => {
    if (isOver) return;
    isOver = event.kind !== 'line';
    events.push(event);
    wake();
  };

  let rest = '';
  let bytes = 0;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    bytes += Buffer.byteLength(text);
    if (bytes > MOST_BYTES) {
      tell({ kind: 'flooded' });
      child.kill('SIGTERM');
      return;
    }
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) tell({ kind: 'line', line });
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-MOST_BYTES);
  });
  // The other side may end before it has read everything.
  child.stdin.on('error', () => undefined);
  const ended = new Promise<void>((resolve) => {
    // A program that ssh has left behind may keep standard error open, so `close` may never come.
    child.once('exit', (code) =>
      setImmediate(() => {
        tell({ kind: 'ended', code, said: lastWords(said) });
        child.stdout.destroy();
        child.stderr.destroy();
        resolve();
      }),
    );
  });
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', (error: NodeJS.ErrnoException) => {
      reject(
        isMissing(error)
          ? new CatalogueError('ssh_missing', `The program ${program} was not found`)
          : startFault(error),
      );
    });
  });

  return {
    send: (line) => void child.stdin.write(`${line}\n`),
    next: async (limitMs) => {
      // Only the latest reader waits. The one before it was given up, and its timer would keep the process alive.
      wake();
      if (events.length === 0) {
        let timer: NodeJS.Timeout | undefined;
        await new Promise<void>((resolve) => {
          wake = resolve;
          timer = setTimeout(resolve, limitMs);
        });
        clearTimeout(timer);
      }
      return events.shift() ?? { kind: 'late' };
    },
    finish: () => void child.stdin.end(),
    close: async () => {
      child.stdin.end();
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), END_MS);
      await ended;
      clearTimeout(timer);
    },
  };
}
