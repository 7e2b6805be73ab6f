import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Launched, listScreens, wipeScreen } from '../../../src/platform/gnu-screen/index.ts';
import { endTree } from '../../../src/platform/process/index.ts';
import { stopProcess } from '../../harness/stop-process.ts';
import { waitFor } from '../../harness/wait-for.ts';
import { openScreenWorld, type ScreenWorld, SESSION_MARK } from './screen-world.ts';

let world: ScreenWorld;
beforeEach(async () => {
  world = await openScreenWorld();
});
afterEach(() => world.dispose());

/**
 * An agent with processes like those that real ones leave behind: a tool that ignores signals, a tool in its own
 * process session, and a tool whose parent is gone.
 */
const AGENT = `
sh -c "trap '' TERM HUP; while :; do sleep 0.1; done" &
setsid sleep 1000 &
sh -c 'setsid sleep 1000 &'
trap 'echo ended properly; exit 0' TERM
echo ready
while :; do sleep 0.05; done`;

async function startAgent(name: string): Promise<Launched> {
  const launched = await world.launch({ name, command: ['sh', '-c', AGENT] });
  await waitFor(() => world.output(name).includes('ready'), { describe: 'the agent is ready' });
  return launched;
}

async function end(name: string, { daemon, agent, screenId }: Launched) {
  const mark = { name: SESSION_MARK, value: `${world.mark}.${name}` };
  const result = await endTree({ roots: [daemon], first: agent, mark });
  await wipeScreen(world.host, screenId);
  return result;
}

/** Ten sessions are ended at once, because each end waits a second for processes that ignore signals. */
const TEN = Array.from({ length: 10 }, (_, round) => `End${round}`);

/** Returns the living processes with the mark of a session. It does not rely on what `endTree` reports. */
function processesOf(name: string): string[] {
  const mark = `${SESSION_MARK}=${world.mark}.${name}`;
  const isOf = (pid: number): boolean => {
    try {
      return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0').includes(mark);
    } catch {
      return false; // The process has just ended.
    }
  };
  return world.processes().flatMap(({ pid, command }) => (isOf(pid) ? [command] : []));
}

test('ten times out of ten nothing is left of a session, and the agent could finish its work', async () => {
  await Promise.all(
    TEN.map(async (name) => {
      const launched = await startAgent(name);
      expect(processesOf(name).length).toBeGreaterThan(3);
      const { left } = await end(name, launched);
      expect(left).toEqual([]);
      expect(processesOf(name)).toEqual([]);
      expect(world.output(name)).toContain('ended properly');
    }),
  );
  expect(world.processes()).toEqual([]);
  expect(await listScreens(world.host)).toEqual([]);
});

test('ten times out of ten nothing is left when Screen’s daemon was killed first', async () => {
  await Promise.all(
    TEN.map(async (name) => {
      const launched = await startAgent(name);
      process.kill(launched.daemon.pid, 'SIGKILL');
      const { left } = await end(name, launched);
      expect(left).toEqual([]);
      expect(processesOf(name)).toEqual([]);
    }),
  );
  expect(world.processes()).toEqual([]);
  expect(await listScreens(world.host)).toEqual([]);
});

test('nothing is left when the daemon and the agent are stopped', async () => {
  const launched = await startAgent('Frozen');
  await stopProcess(launched.daemon.pid);
  await stopProcess(launched.agent.pid);
  const { left } = await end('Frozen', launched);
  expect(left).toEqual([]);
  expect(world.processes()).toEqual([]);
  expect(await listScreens(world.host)).toEqual([]);
});

test('another session is left alone', async () => {
  const other = await startAgent('Other');
  await end('One', await startAgent('One'));
  expect(await listScreens(world.host)).toMatchObject([{ id: other.screenId, state: 'detached' }]);
  expect((await end('Other', other)).left).toEqual([]);
});
