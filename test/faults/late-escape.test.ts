import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ChooseScene } from '../../src/demo/scenes/choose.ts';
import type { Delivery } from '../../src/protocol/index.ts';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import { waitFor } from '../harness/wait-for.ts';
import { type Freezer, makeFreezer } from './harness/cgroups.ts';
import { processesOf } from './harness/signals.ts';

/** Ends before CBOS stops waiting for the interrupt, and long after the text behind it is in the queue. */
const chooseSlow: ChooseScene = (prompt) =>
  prompt.includes('scene:slow')
    ? {
        name: 'slow',
        about: 'an answer that comes after some seconds',
        replies: [
          {
            kind: 'answer',
            firstByteDelayMs: 4_000,
            blocks: [{ kind: 'text', text: 'A slow answer.', chunkDelayMs: 0 }],
          },
        ],
      }
    : null;

let world: ClaudeWorld;
let cbos: Cbos;
let freezer: Freezer | null;
beforeAll(async () => {
  world = await claudeWorld({ choosers: [chooseSlow] });
  cbos = await startCbos(world);
  freezer = makeFreezer(world);
});
afterAll(() => world.dispose());

const send = (text: string) => cbos.call<Delivery>('POST', '/sessions/LATE/send', { text });
const received = (text: string) =>
  waitFor(() => world.promptsReceived().includes(text), {
    describe: `the model gets ${text}`,
    actual: () => world.promptsReceived(),
    timeoutMs: 30_000,
  });

test('an interrupt that reaches Claude Code only after a queued text has begun the next turn interrupts that turn, and the prompt stays empty', async ({
  skip,
}) => {
  if (freezer === null) return skip('no control group may be made here');
  await cbos.call('POST', '/sessions', { slug: 'LATE', type: 'screen', path: world.projectDir });
  const { recorder } = await processesOf(await cbos.untilStatus('LATE', 'idle/ready'));
  const first = (await send('one scene:slow')).body;
  await received('one scene:slow');
  const second = (await send('two scene:silent')).body;
  await cbos.until('LATE', ({ status }) => status.primary === 'active', 'runs');
  // Neither keys nor output pass the recorder now. Claude Code itself continues.
  await freezer.freeze(recorder);
  const interrupting = cbos.call<{ status: string }>('POST', '/sessions/LATE/interrupt');
  await received('two scene:silent');
  await freezer.thaw();

  expect((await interrupting).body).toEqual({ status: 'interrupted' });
  const deliveries = (await cbos.call<Delivery[]>('GET', '/sessions/LATE/deliveries')).body;
  const noteOf = ({ id }: Delivery): string | null | undefined => deliveries.find((one) => one.id === id)?.note;
  expect(noteOf(second)).toContain('interrupted');
  expect(noteOf(first)).toBeNull();
  expect((await send('three scene:hello')).error).toBeNull();
  await received('three scene:hello');
});
