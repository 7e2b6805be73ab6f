import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Delivery } from '../../src/protocol/index.ts';
import { type Cbos, type CliResult, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import { waitFor } from '../harness/wait-for.ts';

let world: ClaudeWorld;
let cbos: Cbos;
beforeAll(async () => {
  world = await claudeWorld();
  cbos = await startCbos(world);
  expect((await cbos.cli(['new', 'JSON', world.projectDir, '--type', 'json'])).code).toBe(0);
  expect((await cbos.cli(['new', 'TERMINAL', world.projectDir])).code).toBe(0);
  await cbos.untilStatus('TERMINAL', 'idle/ready');
});
afterAll(() => world.dispose());

const deliveryOf = async (slug: string, text: string): Promise<Delivery | undefined> =>
  (await cbos.call<Delivery[]>('GET', `/sessions/${slug}/deliveries`)).body.find((one) => one.text === text);

/** Reports whether Claude Code has written that it queued the prompt. */
function isInTranscript(text: string): boolean {
  const projects = join(world.home, '.claude', 'projects');
  const files = readdirSync(projects, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.jsonl'));
  const lines = files.flatMap((name) => readFileSync(join(projects, name), 'utf8').split('\n'));
  return lines.some((line) => line.includes('"enqueue"') && line.includes(text));
}

/**
 * Begins a turn, and sends another prompt, which Claude Code puts into its queue. Then does something to the turn.
 * @returns how the command ended that began the turn
 */
async function duringTurn(
  slug: string,
  command: readonly string[],
  queued: string,
  act: () => unknown,
): Promise<CliResult> {
  const before = world.promptsReceived().length;
  const waiting = cbos.cli(command);
  await waitFor(() => world.promptsReceived().length > before, { describe: 'the turn has begun' });
  expect((await cbos.cli(['send', slug, queued])).code).toBe(0);
  await act();
  return waiting;
}

test.each([
  ['send', ['--wait']],
  ['invoke', []],
])(
  'cbos %s fails if its turn is interrupted, although the prompt behind it is answered at once',
  async (name, more) => {
    const [slow, behind] = [`scene:slow ${name}`, `scene:hello behind ${name}`];
    const ended = await duringTurn('JSON', [name, 'JSON', slow, ...more], behind, async () => {
      expect((await cbos.cli(['interrupt', 'JSON'])).code).toBe(0);
    });
    expect(ended).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('interrupted') });
    await cbos.untilStatus('JSON', 'idle/waiting_input');
    expect(await deliveryOf('JSON', slow)).toMatchObject({ status: 'delivered', phase: 'interrupted' });
    expect(await deliveryOf('JSON', behind)).toMatchObject({ status: 'delivered', phase: 'taken' });
  },
);

test.each(['JSON', 'TERMINAL'])('a prompt in the queue of a killed Claude Code has failed: %s', async (slug) => {
  const lost = `scene:hello lost by ${slug}`;
  const { pid } = await cbos.session(slug);
  const ended = await duringTurn(slug, ['send', slug, 'scene:slow killed', '--wait'], lost, async () => {
    // Until then, nothing shows whether a turn has taken the prompt.
    if (slug === 'TERMINAL') await waitFor(() => isInTranscript(lost), { describe: 'it is in the transcript' });
    process.kill(pid ?? 0, 'SIGKILL');
  });
  expect(ended.code).toBe(1);
  await waitFor(async () => (await deliveryOf(slug, lost))?.status === 'failed', {
    describe: 'it has failed',
    actual: () => deliveryOf(slug, lost),
  });
  expect(await deliveryOf(slug, lost)).toMatchObject({
    phase: 'session_ended',
    note: expect.stringContaining('did not arrive'),
  });
  if (slug === 'TERMINAL') expect((await cbos.cli(['restart', slug])).code).toBe(0);
  expect((await cbos.cli(['send', slug, 'scene:hello next', '--queue', '--wait'])).code).toBe(0);
  expect(world.promptsReceived().join('\n')).not.toContain(lost);
});
