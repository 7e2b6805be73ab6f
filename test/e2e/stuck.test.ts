import { expect, test } from 'vitest';
import { readProcess } from '../../src/platform/process/index.ts';
import type { Session, StatusChange } from '../../src/protocol/index.ts';
import { startCbos } from '../harness/cbos.ts';
import { claudeWorld } from '../harness/claude.ts';
import { waitFor } from '../harness/wait-for.ts';

const THRESHOLD_MS = 2_000;

test('a turn is stuck when its spinner stops for longer than the threshold, and recovers; a session that waits is never stuck', async () => {
  await using world = await claudeWorld();
  const cbos = await startCbos(world, { CBOS_STUCK_THRESHOLD_MS: String(THRESHOLD_MS) });
  const launch = (slug: string, prompt: string): Promise<unknown> =>
    cbos.call('POST', '/sessions', { slug, type: 'screen', path: world.projectDir, prompt });
  const historyOf = async (slug: string): Promise<StatusChange[]> =>
    (await cbos.call<StatusChange[]>('GET', `/sessions/${slug}/history`)).body;

  await launch('ASKS', 'scene:permission');
  const asks = await cbos.untilStatus('ASKS', 'waiting/permission');
  await launch('RUNS', 'scene:silent');
  const runs = await cbos.until('RUNS', ({ status }) => status.primary === 'active', 'runs');
  // `script` first: it would wake what it runs.
  const pids = await Promise.all(
    [asks, runs].map(async ({ pid }) => [(await readProcess(pid ?? 0))?.ppid ?? 0, pid ?? 0]),
  );
  // A request without an answer: nothing but the spinner moves, for longer than the threshold.
  const quiet = (session: Session): boolean => session.status.quiet_ms > 2 * THRESHOLD_MS;
  const working = await cbos.until('RUNS', quiet, 'has shown no progress for a while');
  expect(working.status).toMatchObject({ primary: 'active', health: 'ALIVE' });

  for (const pid of pids.flat()) process.kill(pid, 'SIGSTOP');
  const stuck = await cbos.until('RUNS', ({ status }) => status.health === 'STUCK', 'is stuck');
  expect(stuck.status).toMatchObject({ primary: 'stuck', detail: null });
  expect(stuck.status.unchanged_ms).toBeGreaterThanOrEqual(THRESHOLD_MS);
  expect(stuck.state).toBe(working.state);

  for (const pid of pids.flat().reverse()) process.kill(pid, 'SIGCONT');
  await cbos.until('RUNS', ({ status }) => status.health === 'RECOVERED', 'has recovered');
  await cbos.until('RUNS', ({ status }) => status.health === 'ALIVE', 'is as before');
  const healths = (await historyOf('RUNS')).map(({ health }) => health);
  expect(healths.slice(healths.indexOf('STUCK'))).toEqual(['STUCK', 'RECOVERED', 'ALIVE']);

  await waitFor(async () => Date.parse((await cbos.session('ASKS')).status.since) < Date.now() - 3 * THRESHOLD_MS, {
    describe: 'the other one has waited for much longer than the threshold',
  });
  expect((await historyOf('ASKS')).filter(({ health }) => health !== 'ALIVE')).toEqual([]);
});
