import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Session } from '../../src/protocol/index.ts';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { waitFor } from '../harness/wait-for.ts';
import { createWorld, type World } from '../harness/world.ts';

const STUB = fileURLToPath(new URL('../harness/stub-agent.sh', import.meta.url));
const TIMES = 10;

let world: World;
let cbos: Cbos;
beforeEach(async () => {
  world = createWorld();
  cbos = await startCbos(world, { CBOS_CLAUDE_COMMAND: STUB });
});
afterEach(() => world.dispose());

function sessionProcesses(): string[] {
  return world
    .processes()
    .filter((one) => one.pid !== cbos.pid)
    .map((one) => JSON.stringify(one));
}

describe('cbos kill', () => {
  test('leaves no process of the session behind, ten times out of ten', async () => {
    for (let time = 1; time <= TIMES; time += 1) {
      const created = await cbos.call('POST', '/sessions', {
        slug: `S-${time}`,
        type: 'screen',
        path: world.projectDir,
      });
      expect(created.status).toBe(201);
      expect(sessionProcesses().length).toBeGreaterThan(3);
      const killed = await cbos.call<Session>('POST', `/sessions/S-${time}/kill`);
      expect(killed.body).toMatchObject({ state: 'dead', pid: null });
      expect(sessionProcesses(), `time ${time}`).toEqual([]);
      expect(readdirSync(world.screenDir)).toEqual([]);
    }
  });

  test("leaves none behind even if Screen's daemon was killed first, ten times out of ten", async () => {
    for (let time = 1; time <= TIMES; time += 1) {
      const created = await cbos.call<Session>('POST', '/sessions', {
        slug: `S-${time}`,
        type: 'screen',
        path: world.projectDir,
      });
      process.kill(Number(created.body.screen_id?.split('.')[0]), 'SIGKILL');
      const killed = await cbos.call('POST', `/sessions/S-${time}/kill`);
      // The server may have noticed the end of the daemon just before.
      expect([200, 409]).toContain(killed.status);
      await waitFor(() => sessionProcesses().length === 0 && readdirSync(world.screenDir).length === 0, {
        describe: `nothing is left, time ${time}`,
        actual: sessionProcesses,
      });
      expect((await cbos.session(`S-${time}`)).state).toBe('dead');
    }
  });
});
