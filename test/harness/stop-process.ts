import { readFileSync } from 'node:fs';
import { waitFor } from './wait-for.ts';

/** Stops a process (SIGSTOP), and resolves once the kernel has done so, which takes a moment on a busy machine. */
export async function stopProcess(pid: number): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  await waitFor(() => /\) T /.test(readFileSync(`/proc/${pid}/stat`, 'utf8')), {
    describe: `process ${pid} is stopped`,
  });
}
