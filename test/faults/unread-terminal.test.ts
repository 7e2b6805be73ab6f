import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ChooseScene } from '../../src/demo/scenes/choose.ts';
import { readProcess } from '../../src/platform/process/index.ts';
import type { Delivery, Session, StatusChange } from '../../src/protocol/index.ts';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import { waitFor } from '../harness/wait-for.ts';
import { type Freezer, makeFreezer } from './harness/cgroups.ts';
import { processesOf } from './harness/signals.ts';

/** More output than the terminals between Claude Code and its recording can hold, which is about 100 kB. */
const LINES = 3_000;
const chooseFlood: ChooseScene = (prompt) =>
  prompt.includes('scene:flood')
    ? {
        name: 'flood',
        about: 'a long answer that comes at once, after some seconds',
        replies: [
          {
            kind: 'answer',
            firstByteDelayMs: 2_000,
            blocks: [
              {
                kind: 'text',
                text: Array.from({ length: LINES }, (_, n) => `line ${n + 1} of a long answer`).join('\n'),
                chunkDelayMs: 0,
              },
            ],
          },
        ],
      }
    : null;

let world: ClaudeWorld;
let cbos: Cbos;
let freezer: Freezer | null;
beforeAll(async () => {
  world = await claudeWorld({ agent: 'stand-in', choosers: [chooseFlood] });
  cbos = await startCbos(world, { CBOS_STUCK_THRESHOLD_MS: '2000' });
  freezer = makeFreezer(world);
});
afterAll(() => world.dispose());

const launch = async (slug: string): Promise<Session> => {
  const created = await cbos.call('POST', '/sessions', { slug, type: 'screen', path: world.projectDir });
  expect(created.error).toBeNull();
  return cbos.untilStatus(slug, 'idle/ready');
};
const send = (slug: string, text: string, queue = false) =>
  cbos.call<Delivery>('POST', `/sessions/${slug}/send`, { text, ...(queue ? { queue } : {}) });
const received = (word: string): string[] => world.promptsReceived().filter((prompt) => prompt.includes(word));

test('a text for a session whose terminal nobody reads gets no Enter, nothing is typed after it, and each text arrives once', async ({
  skip,
}) => {
  if (freezer === null) return skip('no control group may be made here');
  const { recorder } = await processesOf(await launch('HELD'));
  await freezer.freeze(recorder);
  const first = await send('HELD', 'scene:hello held one');
  expect(first.body).toMatchObject({ status: 'sent', note: expect.stringContaining('has not read the text yet') });
  expect((await send('HELD', 'scene:hello held two')).error).toMatchObject({
    code: 'not_accepting_text',
    message: 'The session has not read an earlier prompt yet',
  });
  const third = await send('HELD', 'scene:hello held three', true);
  expect(third.body.status).toBe('queued');
  expect((await cbos.session('HELD')).status).toMatchObject({ primary: 'idle', detail: 'ready' });

  await freezer.thaw();
  let deliveries: Delivery[] = [];
  await waitFor(
    async () => {
      deliveries = (await cbos.call<Delivery[]>('GET', '/sessions/HELD/deliveries')).body;
      return deliveries.filter(({ status }) => status === 'delivered').length === 2;
    },
    { describe: 'both are delivered', actual: () => deliveries },
  );
  await cbos.untilStatus('HELD', 'idle/waiting_input');
  expect(received('held')).toEqual(['scene:hello held one', 'scene:hello held three']);
});

test('the next server types nothing after it either, and each text arrives once', async ({ skip }) => {
  if (freezer === null) return skip('no control group may be made here');
  const { recorder } = await processesOf(await launch('LATER'));
  await freezer.freeze(recorder);
  const first = await send('LATER', 'scene:hello later one');
  expect(first.body).toMatchObject({ status: 'sent', note: expect.stringContaining('has not read the text yet') });
  await cbos.stop('SIGKILL');
  cbos = await startCbos(world, { CBOS_STUCK_THRESHOLD_MS: '2000' });
  expect((await send('LATER', 'scene:hello later two')).error).toMatchObject({
    code: 'not_accepting_text',
    message: 'The session has not read an earlier prompt yet',
  });
  expect((await send('LATER', 'scene:hello later three', true)).body.status).toBe('queued');
  await freezer.thaw();
  await waitFor(() => received('later').length === 2, { describe: 'both arrive', actual: () => received('later') });
  await cbos.untilStatus('LATER', 'idle/waiting_input');
  expect(received('later')).toEqual(['scene:hello later one', 'scene:hello later three']);
});

test('a turn whose output nobody reads is stuck, not over; once it is read, the turn continues, and nothing is sent twice', async ({
  skip,
}) => {
  if (freezer === null) return skip('no control group may be made here');
  const { recorder } = await processesOf(await launch('FLOOD'));
  expect((await send('FLOOD', 'scene:flood once')).body.status).toBe('delivered');
  await freezer.freeze(recorder);
  await cbos.until('FLOOD', ({ status }) => status.health === 'STUCK', 'is stuck');
  const flood = world.apiEvents.find((event) => event.kind === 'request' && event.scene === 'flood');
  await waitFor(() => world.apiEvents.some(({ kind, request }) => kind === 'end' && request === flood?.request), {
    describe: 'the model has given its whole answer',
  });
  expect((await cbos.session('FLOOD')).status).toMatchObject({ primary: 'stuck', detail: null });

  await freezer.thaw();
  await cbos.untilStatus('FLOOD', 'idle/waiting_input');
  const words = (await cbos.call<StatusChange[]>('GET', '/sessions/FLOOD/history')).body.map(({ primary }) => primary);
  // A slow machine may be quiet for the threshold once more, but the turn must end only once.
  const turns = words.filter((word) => word !== null && word !== 'stuck');
  expect(turns.filter((word, index) => word !== turns[index - 1])).toEqual(['idle', 'active', 'idle']);
  // The hook arrives before the thawed recorder has written everything.
  const shown = async () => (await cbos.call<{ buffer: string }>('GET', '/sessions/FLOOD/buffer?lines=60')).body.buffer;
  await waitFor(async () => (await shown()).includes(`line ${LINES} of a long answer`), {
    describe: 'the end of the answer is shown',
  });
  expect(received('flood')).toEqual(['scene:flood once']);
});

test('a recorder that somebody stops is continued by Screen, and nothing is lost', async () => {
  const { recorder } = await processesOf(await launch('STOPPED'));
  process.kill(recorder, 'SIGSTOP');
  const sent = await send('STOPPED', 'scene:hello stopped');
  expect(sent.error).toBeNull();
  await cbos.untilStatus('STOPPED', 'idle/waiting_input');
  expect((await readProcess(recorder))?.state).not.toBe('T');
  expect(received('stopped')).toEqual(['scene:hello stopped']);
});
