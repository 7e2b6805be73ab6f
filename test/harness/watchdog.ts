import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('./watchdog.mjs', import.meta.url));

/** A process of its own that cleans up after this one, however this one ends. */
export interface Watchdog {
  pid: number;
  /** lets go of it: it cleans up what is left, and ends */
  release(): Promise<void>;
}

/**
 * Starts the watchdog of a run. It holds one end of a pipe to this process; when that closes, it kills every process
 * that carries the run's mark and removes the run's folders. Resolves when it watches.
 */
export async function startWatchdog(run: string): Promise<Watchdog> {
  const child = spawn(process.execPath, [PROGRAM, run], {
    // A session of its own: Ctrl+C in the runner's terminal must not end it before its work.
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
    env: { PATH: process.env.PATH, LANG: 'C.UTF-8' },
  });
  if (child.pid === undefined) throw new Error('the watchdog did not start');
  await once(child.stdout, 'data');
  child.stdout.destroy();
  // Neither it nor the pipe keeps this process from ending.
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
