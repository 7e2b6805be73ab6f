import { PROGRAM, startCbos } from '../../test/harness/cbos.ts';
import { claudeWorld } from '../../test/harness/claude.ts';
import { wireAgents } from '../wire-agents.ts';
import { listTime } from './holding.ts';

const LONG_MS = 120_000;

/** Milliseconds that each command takes to list the same sessions. */
export interface ListTimes {
  cbos: number;
  screen: number;
  agents: number;
}

/** Lists sessions whose agents keep the file that `claude agents` reads. */
export async function measureLists(sessions: number): Promise<ListTimes> {
  await using world = await claudeWorld();
  const agents = wireAgents(world);
  const cbos = await startCbos(world, agents.env);
  for (let session = 1; session <= sessions; session++) {
    const slug = `S${session}`;
    const request = { slug, type: 'screen', path: world.projectDir, env: agents.envOf(slug) };
    const created = await cbos.call('POST', '/sessions', request);
    if (created.error !== null) throw new Error(created.error.message);
    await cbos.untilStatus(slug, 'idle/ready', LONG_MS);
  }
  return {
    cbos: listTime(world, [process.execPath, PROGRAM, 'ls']),
    // Screen 4 ends with 1 after listing sessions.
    screen: listTime(world, ['sh', '-c', 'screen -ls; true']),
    agents: listTime(world, [world.claude, 'agents', '--json']),
  };
}
