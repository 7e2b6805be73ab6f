import { lastWords, loginCommand } from './ssh-arguments.ts';
import { startSsh } from './ssh-process.ts';

/** How much a program on the other machine may write until it ends. A login shell may print a greeting first. */
const MOST_BYTES = 256 * 1024;

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
export async function openSsh({ words, isAttended, ...call }: OpenSshOptions): Promise<SshTalk> {
  const ssh = startSsh({
    ...{ ...call, command: loginCommand(words) },
    options: ['ClearAllForwardings=yes', ...(isAttended ? [] : ['BatchMode=yes'])],
  });
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
  ssh.stdout.on('data', (text: string) => {
    bytes += Buffer.byteLength(text);
    if (bytes > MOST_BYTES) {
      tell({ kind: 'flooded' });
      ssh.end();
      return;
    }
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) tell({ kind: 'line', line });
  });
  void ssh.ended.then((end) => {
    if (end.kind === 'exited') tell({ kind: 'ended', code: end.code, said: lastWords(ssh.said()) });
  });
  const fault = await ssh.started;
  if (fault !== null) throw fault;

  return {
    send: (line) => void ssh.stdin.write(`${line}\n`),
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
    finish: () => void ssh.stdin.end(),
    close: ssh.close,
  };
}
