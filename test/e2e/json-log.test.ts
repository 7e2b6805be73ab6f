import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import { jsonSessions } from '../harness/json-session.ts';

let world: ClaudeWorld;
let cbos: Cbos;
beforeEach(async () => {
  world = await claudeWorld({ agent: 'stand-in' });
});
afterEach(() => world.dispose());

test('a server that starts again logs no error about a JSON session whose process had ended', async () => {
  const serve = (): Promise<Cbos> => startCbos(world, { CBOS_JSON_IDLE_TIMEOUT: '1' });
  cbos = await serve();
  const json = jsonSessions(world, () => cbos);
  await json.create('RESTED');
  await json.invoke('RESTED', 'scene:hello');
  await cbos.until('RESTED', ({ pid, status }) => pid === null && status.primary === 'idle', 'has no process', 60_000);
  await cbos.stop();
  cbos = await serve();
  await cbos.untilStatus('RESTED', 'idle/waiting_input');
  await json.invoke('RESTED', 'scene:hello');
  await cbos.untilStatus('RESTED', 'idle/waiting_input');
  const errors = readFileSync(join(world.cbosHome, 'server.log'), 'utf8')
    .split('\n')
    .filter((line) => line.includes('"level":50'));
  expect(errors).toEqual([]);
});
