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
});
afterAll(() => world.dispose());

const deliveryOf = async (text: string): Promise<Delivery | undefined> =>
  (await cbos.call<Delivery[]>('GET', '/sessions/JSON/deliveries')).body.find((one) => one.text === text);

/**
 * Begins a turn, and sends another prompt, which Claude Code puts into its queue. Then does something to the turn.
 * @returns how the command ended that began the turn
 */
async function duringTurn(command: readonly string[], queued: string, act: () => unknown): Promise<CliResult> {
  const before = world.promptsReceived().length;
  const waiting = cbos.cli(command);
  await waitFor(() => world.promptsReceived().length > before, { describe: 'the turn has begun' });
  expect((await cbos.cli(['send', 'JSON', queued])).code).toBe(0);
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
    const ended = await duringTurn([name, 'JSON', slow, ...more], behind, async () => {
      expect((await cbos.cli(['interrupt', 'JSON'])).code).toBe(0);
    });
    expect(ended).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('interrupted') });
    await cbos.untilStatus('JSON', 'idle/waiting_input');
    expect(await deliveryOf(slow)).toMatchObject({ status: 'delivered', phase: 'interrupted' });
    expect(await deliveryOf(behind)).toMatchObject({ status: 'delivered', phase: 'taken' });
  },
);

test('a prompt in the queue of a killed Claude Code is reported as failed, and is not sent again', async () => {
  const { pid } = await cbos.session('JSON');
  const ended = await duringTurn(['send', 'JSON', 'scene:slow killed', '--wait'], 'scene:hello lost', () =>
    process.kill(pid ?? 0, 'SIGKILL'),
  );
  expect(ended.code).toBe(1);
  await waitFor(async () => (await deliveryOf('scene:hello lost'))?.status === 'failed', { describe: 'it has failed' });
  expect(await deliveryOf('scene:hello lost')).toMatchObject({
    phase: 'session_ended',
    note: expect.stringContaining('did not arrive'),
  });
  expect((await cbos.cli(['send', 'JSON', 'scene:hello next', '--wait'])).code).toBe(0);
  expect(world.promptsReceived().join('\n')).not.toContain('scene:hello lost');
});
