import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { CatalogueError } from '../../protocol/index.ts';
import { requirePipes, startFault, withoutSecrets } from '../process/index.ts';
import { type SshCall, sshArguments } from './ssh-arguments.ts';

/** How long to wait for ssh to end once it should. */
const END_MS = 2_000;
/** How much of what ssh writes on standard error is kept. */
const KEPT_CHARACTERS = 8_000;

export interface SshProcess extends Pick<ChildProcessWithoutNullStreams, 'stdin' | 'stdout'> {
  /** returns the end of what ssh and the other machine wrote on standard error */
  said(): string;
  /** resolves with null once ssh runs, or with the reason why it could not be started */
  started: Promise<Error | null>;
  ended: Promise<SshEnd>;
  /** Asks ssh to end. */
  end(): void;
  /** Ends ssh, and resolves when it has ended. */
  close(): Promise<void>;
}

export type SshEnd =
  /** 255 is ssh's exit code for a failure of its own; null means that a signal ended it */
  | { kind: 'exited'; code: number | null }
  /** ssh_missing if there is no ssh program */
  | { kind: 'not_started'; error: Error };

/**
 * Starts ssh.
 * @throws CatalogueError process_limit, invalid_request
 */
export function startSsh(call: SshCall & { environment: Readonly<Record<string, string | undefined>> }): SshProcess {
  const [program, ...args] = sshArguments(call);
  const child = spawn(program, args, { stdio: 'pipe', env: withoutSecrets(call.environment) });
  requirePipes(child);
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-KEPT_CHARACTERS);
  });
  child.stdout.setEncoding('utf8');
  // The other side may end before it has read everything.
  child.stdin.on('error', () => undefined);
  const started = new Promise<Error | null>((resolve) => {
    child.once('spawn', () => resolve(null));
    child.once('error', (error: NodeJS.ErrnoException) =>
      resolve(isMissing(error) ? missing(program) : startFault(error)),
    );
  });
  const ended = new Promise<SshEnd>((resolve) => {
    void started.then((error) => {
      if (error !== null) resolve({ kind: 'not_started', error });
    });
    // A program that ssh has left behind may keep standard error open, so `close` may never come.
    child.once('exit', (code) =>
      setImmediate(() => {
        child.stdout.destroy();
        child.stderr.destroy();
        resolve({ kind: 'exited', code });
      }),
    );
  });
  return {
    stdin: child.stdin,
    stdout: child.stdout,
    said: () => said,
    started,
    ended,
    end: () => void child.kill('SIGTERM'),
    close: async () => {
      child.stdin.end();
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), END_MS);
      await ended;
      clearTimeout(timer);
    },
  };
}

/** Reports whether a program could not be started because it does not exist or cannot be run. */
const isMissing = ({ code }: NodeJS.ErrnoException): boolean => code === 'ENOENT' || code === 'EACCES';

const missing = (program: string): CatalogueError =>
  new CatalogueError('ssh_missing', `The program ${program} was not found`);
