import { afterAll, beforeAll, expect, test } from 'vitest';
import { findScene } from '../../src/demo/scenes/catalogue.ts';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';

let world: ClaudeWorld;
let cbos: Cbos;
let isSlow = false;
beforeAll(async () => {
  const summarize = (prompt: string) =>
    isSlow && prompt.includes('Respond with TEXT ONLY') ? findScene('silent') : null;
  world = await claudeWorld({ choosers: [summarize] });
  cbos = await startCbos(world);
});
afterAll(() => world.dispose());

test('wait fails after a slash command that was interrupted like the turn before it, and succeeds after one that was not', async () => {
  expect((await cbos.cli(['new', 'BUSY', world.projectDir])).code).toBe(0);
  expect((await cbos.cli(['send', 'BUSY', 'scene:hello', '--wait'])).code).toBe(0);
  const sending = cbos.cli(['send', 'BUSY', 'scene:long', '--wait']);
  await cbos.untilStatus('BUSY', 'active/responding');
  expect((await cbos.cli(['interrupt', 'BUSY'])).code).toBe(0);
  expect((await sending).code).toBe(1);

  expect((await cbos.cli(['send', 'BUSY', '--command', '/compact', '--wait'])).stdout).toContain('Compacted');
  expect((await cbos.session('BUSY')).status.interrupted).toBe(true);
  expect((await cbos.cli(['wait', 'BUSY'])).code).toBe(0);

  isSlow = true;
  expect((await cbos.cli(['send', 'BUSY', '--command', '/compact'])).code).toBe(0);
  await cbos.untilStatus('BUSY', 'active/compacting');
  await cbos.call('POST', '/sessions/BUSY/keys', { keys: '\u001b' });
  await cbos.until('BUSY', ({ status }) => status.interrupted === true, 'is interrupted');
  const waited = await cbos.cli(['wait', 'BUSY']);
  expect(waited).toMatchObject({ code: 1, stderr: expect.stringContaining('The turn of BUSY was interrupted') });
});
