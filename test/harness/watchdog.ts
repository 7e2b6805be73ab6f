import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('./watchdog.mjs', import.meta.url));

/** A separate process that cleans up after this one, however this one ends. */
export interface Watchdog {
  pid: number;
  /** releases the watchdog, which cleans up whatever is left and then ends */
  release(): Promise<void>;
}

/**
 * Starts a run's watchdog. It holds one end of a pipe to this process. When the pipe closes, the watchdog kills every
 * process that carries the run's mark and removes the run's folders. Resolves when it is watching.
 */
export async function startWatchdog(run: string): Promise<Watchdog> {
  const child = spawn(process.execPath, [PROGRAM, run], {
    // The watchdog gets its own process group and session, because Ctrl+C in the runner's terminal must not end it
    // before its work is done.
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
    // TMPDIR is where the worlds are.
    env: { PATH: process.env.PATH, LANG: 'C.UTF-8', TMPDIR: tmpdir() },
  });
  if (child.pid === undefined) throw new Error('the watchdog did not start');
  await once(child.stdout, 'data');
  child.stdout.destroy();
  // Neither the watchdog nor the pipe keeps this process from ending.
  child.unref();
  (child.stdin as Socket).unref();
  return {
    pid: child.pid,
    async release() {
      const exited = once(child, 'exit');
      child.ref();
      child.stdin.end();
      await exited;
    },
  };
}
