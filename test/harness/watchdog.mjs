// Waits for the end of its standard input, a pipe that only the test runner holds. The pipe ends however the runner
// dies, even by SIGKILL. The watchdog then ends the run's processes and removes its folders. watchdog.ts starts the
// watchdog.
import { cleanUpRun } from './marked-processes.mjs';

const run = process.argv[2];
if (run === undefined || run === '') throw new Error('usage: watchdog.mjs RUN');

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined);

process.stdin.resume();
process.stdin.on('error', () => undefined);
process.stdin.on('close', async () => {
  await cleanUpRun(run);
  // A worker may have been creating a folder or a process when its runner died, so the watchdog checks once more.
  await new Promise((resolve) => setTimeout(resolve, 300));
  await cleanUpRun(run);
  process.exit(0);
});
process.stdout.write('ready\n');
