import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';

export interface DetachedProgram {
  /** undefined if the program could not be started */
  pid: number | undefined;
  /** Reports whether the program has ended or could not be started. */
  hasEnded(): boolean;
  kill(): void;
}

/**
 * Starts a program in a process session of its own. Neither Ctrl+C, nor closing the terminal, nor the end of this
 * process ends the program, and this process does not wait for it.
 * @param options.output the file that receives everything that the program prints, which only this user may read
 */
export function startDetached(
  program: string,
  args: readonly string[],
  { cwd, env, output }: { cwd: string; env: Readonly<Record<string, string>>; output: string },
): DetachedProgram {
  const file = openSync(output, 'w', 0o600);
  const child = spawn(program, args, { detached: true, stdio: ['ignore', file, file], cwd, env: { ...env } });
  closeSync(file);
  let ended = false;
  const end = (): void => {
    ended = true;
  };
  child.once('error', end).once('exit', end);
  child.unref();
  return { pid: child.pid, hasEnded: () => ended, kill: () => void child.kill('SIGKILL') };
}
