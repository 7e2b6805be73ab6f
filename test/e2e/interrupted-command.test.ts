import { afterAll, beforeAll, expect, test } from 'vitest';
import { findScene } from '../../src/demo/scenes/catalogue.ts';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';

let world: ClaudeWorld;
let cbos: Cbos;
let isSlow = false;
let isRefused = false;
beforeAll(async () => {
  const summarize = (prompt: string) => {
    if (!prompt.includes('Respond with TEXT ONLY')) return null;
    return isSlow ? findScene('silent') : isRefused ? findScene('fail') : null;
  };
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

test.each([
  ['in a terminal', 'screen', 'COMPACT'],
  ['as a JSON session', 'json', 'COMPACTJSON'],
] as const)('a compaction that fails or is interrupted is no success, %s', async (_, type, slug) => {
  const compact = (): ReturnType<Cbos['cli']> => cbos.cli(['send', slug, '--command', '/compact', '--wait']);
  isSlow = false;
  expect((await cbos.cli(['new', slug, world.projectDir, '--type', type])).code).toBe(0);
  await cbos.untilStatus(slug, 'idle/ready');
  expect(await compact()).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('messages to compact'),
  });
  expect((await cbos.cli(['wait', slug])).code).toBe(1);
  expect((await cbos.cli(['send', slug, 'scene:hello', '--wait'])).code).toBe(0);
  expect((await compact()).code).toBe(0);
  expect((await cbos.cli(['wait', slug])).code).toBe(0);
  expect((await cbos.cli(['send', slug, 'scene:hello', '--wait'])).code).toBe(0);

  isRefused = true;
  expect(await compact()).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('The scene refuses') });
  expect((await cbos.cli(['wait', slug])).code).toBe(1);
  isRefused = false;
  expect((await cbos.cli(['send', slug, 'scene:hello', '--wait'])).code).toBe(0);
  expect((await cbos.cli(['wait', slug])).code).toBe(0);

  isSlow = true;
  const sending = compact();
  await cbos.untilStatus(slug, 'active/compacting');
  const interrupted = await cbos.cli(['interrupt', slug]);
  expect(interrupted.code, interrupted.stderr).toBe(0);
  expect(await sending).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(slug) });
  expect((await cbos.cli(['wait', slug])).code).toBe(1);
});
