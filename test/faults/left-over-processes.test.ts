import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Cbos, runCbos, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import { type JsonSessions, jsonSessions } from '../harness/json-session.ts';
import { waitFor } from '../harness/wait-for.ts';
import { isRunning } from './harness/sockets.ts';

let world: ClaudeWorld;
let cbos: Cbos;
let json: JsonSessions;
let agent: number;

beforeAll(async () => {
  world = await claudeWorld();
  cbos = await startCbos(world);
  json = jsonSessions(world, () => cbos);
  await json.create('CI');
  await json.invoke('CI', 'scene:permission please');
  agent = (await cbos.untilStatus('CI', 'waiting/permission')).pid ?? 0;
});
afterAll(() => world.dispose());

interface Check {
  name: string;
  outcome: string;
  detail: string;
  cure: string | null;
}

async function leftOver(): Promise<Check | undefined> {
  const { stdout } = await runCbos(world, ['doctor', '--json']);
  return (JSON.parse(stdout) as Check[]).find(({ name }) => name === 'Left-over processes');
}

test("the doctor does not report a running JSON session's Claude Code as left over", async () => {
  expect(isRunning(agent)).toBe(true);
  expect(await leftOver()).toMatchObject({ outcome: 'ok', cure: null });
});

test('nor while no server runs: the next server connects to it again', async () => {
  await cbos.stop('SIGKILL');
  expect(await leftOver()).toMatchObject({ outcome: 'ok', cure: null });
  cbos = await startCbos(world);
  await cbos.untilStatus('CI', 'waiting/permission');
  expect((await cbos.session('CI')).pid).toBe(agent);
});

test('processes that a session in a terminal leaves without its Screen are still named', async () => {
  await cbos.call('POST', '/sessions', { slug: 'TERM', type: 'screen', path: world.projectDir });
  const { pid, screen_id: screenId } = await cbos.untilStatus('TERM', 'idle/ready');
  await cbos.stop('SIGKILL');
  process.kill(Number.parseInt(screenId ?? '', 10), 'SIGKILL');
  const found = await waitFor(
    async () => {
      const check = await leftOver();
      return check?.outcome === 'warning' ? check : null;
    },
    { describe: 'the orphans are named' },
  );
  expect(found.cure).toMatch(new RegExp(`^kill .*\\b${pid}\\b`));
  expect(found.cure).not.toMatch(new RegExp(`\\b${agent}\\b`));
  // The next server ends the orphan itself.
  cbos = await startCbos(world);
  await cbos.until('TERM', (one) => one.state === 'dead', 'is dead');
  await waitFor(() => !isRunning(pid ?? 0), { describe: 'the orphan is ended' });
});
