import { setImmediate } from 'node:timers/promises';
import { processNow } from '../src/platform/process/index.ts';
import { startCbos } from '../test/harness/cbos.ts';
import { claudeWorld } from '../test/harness/claude.ts';
import { waitFor } from '../test/harness/wait-for.ts';
import type { Figure } from './figures.mjs';

export const about =
  'real Claude Code on the stand-in: from POST /sessions/S/answer to the end of the hook that waits with the question, after which Claude Code goes on, and to the response, which says that the answer was taken';

const ANSWERS = 25;

export async function measure(): Promise<Figure[]> {
  await using world = await claudeWorld();
  const cbos = await startCbos(world);
  const created = await cbos.call('POST', '/sessions', { slug: 'S', type: 'screen', path: world.projectDir });
  if (created.error !== null) throw new Error(created.error.message);
  await cbos.untilStatus('S', 'idle/ready');
  const waiting = (): number[] =>
    world.processes().flatMap(({ pid, command }) => (command.includes('/fd/4') ? [pid] : []));
  const goneOn: number[] = [];
  const told: number[] = [];
  for (let count = 0; count < ANSWERS; count += 1) {
    await cbos.call('POST', '/sessions/S/send', { text: `scene:ask number ${count}` });
    const isAsking = ({ status }: { status: { question: unknown } }): boolean => status.question !== null;
    await cbos.until('S', isAsking, 'asks');
    const pids = await waitFor(() => (waiting().length > 0 ? waiting() : null), { describe: 'its hook waits' });
    const from = performance.now();
    const answered = cbos.call('POST', '/sessions/S/answer', { choice: 2 }).then((result) => {
      told.push(performance.now() - from);
      return result;
    });
    while (pids.some(isRunning)) await setImmediate();
    goneOn.push(performance.now() - from);
    const { error } = await answered;
    if (error !== null) throw new Error(error.message);
    await cbos.untilStatus('S', 'idle/waiting_input');
  }
  return [
    { name: `Claude Code has its reply, median of ${ANSWERS}`, value: median(goneOn), unit: 'ms', limit: 40 },
    { name: 'the slowest of them', value: Math.max(...goneOn), unit: 'ms' },
    { name: `the response, median of ${ANSWERS}`, value: median(told), unit: 'ms' },
    { name: 'the slowest of them', value: Math.max(...told), unit: 'ms' },
  ];
}

/** What has ended and was not reaped yet does not run. */
function isRunning(pid: number): boolean {
  const now = processNow(pid);
  return now !== null && now.state !== 'Z';
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
