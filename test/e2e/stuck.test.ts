import { expect, test } from 'vitest';
import { readProcess } from '../../src/platform/process/index.ts';
import type { Session, StatusChange } from '../../src/protocol/index.ts';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { claudeWorld } from '../harness/claude.ts';
import { jsonSessions } from '../harness/json-session.ts';
import { waitFor } from '../harness/wait-for.ts';

const THRESHOLD_MS = 2_000;

const historiesOf =
  (cbos: Cbos) =>
  async (slug: string): Promise<StatusChange[]> =>
    (await cbos.call<StatusChange[]>('GET', `/sessions/${slug}/history`)).body;

test('a turn is stuck when its spinner stops for longer than the threshold, and recovers; a session that waits is never stuck', async () => {
  await using world = await claudeWorld({ agent: 'stand-in' });
  const cbos = await startCbos(world, { CBOS_STUCK_THRESHOLD_MS: String(THRESHOLD_MS) });
  const launch = (slug: string, prompt: string): Promise<unknown> =>
    cbos.call('POST', '/sessions', { slug, type: 'screen', path: world.projectDir, prompt });
  await launch('ASKS', 'scene:permission');
  const historyOf = historiesOf(cbos);
  const asks = await cbos.untilStatus('ASKS', 'waiting/permission');
  await launch('RUNS', 'scene:silent');
  const runs = await cbos.until('RUNS', ({ status }) => status.primary === 'active', 'runs');
  // `script` is stopped first, because it would continue the process that it runs.
  const pids = await Promise.all(
    [asks, runs].map(async ({ pid }) => [(await readProcess(pid ?? 0))?.ppid ?? 0, pid ?? 0]),
  );
  // The request gets no answer. For longer than the threshold, nothing but the spinner moves.
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

test('a turn of a JSON session is stuck if Claude Code reports nothing for longer than the threshold, but not while a tool runs', async () => {
  await using world = await claudeWorld({ agent: 'stand-in' });
  const cbos = await startCbos(world, { CBOS_STUCK_THRESHOLD_MS: String(THRESHOLD_MS) });
  const json = jsonSessions(world, () => cbos);
  const historyOf = historiesOf(cbos);
  await json.create('TOOL');
  await json.invoke('TOOL', 'scene:tools, a command of three seconds');
  await json.create('SLOW');
  await json.invoke('SLOW', 'scene:slow');
  const stuck = await cbos.until('SLOW', ({ status }) => status.primary === 'stuck', 'is stuck');
  expect(stuck).toMatchObject({ state: 'thinking', json_state: 'running', status: { health: 'STUCK' } });
  await cbos.untilStatus('SLOW', 'idle/waiting_input');
  const healths = (await historyOf('SLOW')).map(({ health }) => health);
  expect(healths[healths.lastIndexOf('STUCK') + 1]).toBe('RECOVERED');
  await cbos.untilStatus('TOOL', 'idle/waiting_input');
  const statuses = (await historyOf('TOOL')).map(({ primary, detail }) => `${primary}/${detail}`);
  expect(statuses[statuses.indexOf('active/using_tools') + 1]).toBe('active/thinking');

  await json.invoke('SLOW', 'scene:silent');
  await cbos.until('SLOW', ({ status }) => status.primary === 'stuck', 'is stuck');
  expect((await cbos.call('POST', '/sessions/SLOW/interrupt')).status).toBe(200);
  await cbos.until('SLOW', ({ status }) => status.because.rule === 'json.interrupted', 'is interrupted');
});
