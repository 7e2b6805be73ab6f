import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Delivery } from '../../src/protocol/index.ts';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import { typeAtTerminal } from '../harness/claude-in-screen.ts';
import { type SpareSessions, spareSessions } from '../harness/spare-sessions.ts';
import { waitFor } from '../harness/wait-for.ts';

const UP = '\x1b[A';
const ESCAPE = '\x1b';

let world: ClaudeWorld;
let cbos: Cbos;
let spares: SpareSessions;
let count = 0;
/** Part of every text of a test, to distinguish it from the texts of other tests in the same session. */
let tag: string;
let slug: string;
let screenId: string;
beforeAll(async () => {
  world = await claudeWorld();
  // A hook of the user, which delays a text on its way into the queue.
  const hooks = {
    UserPromptSubmit: [{ hooks: [{ type: 'command', command: 'if grep -q lingering; then sleep 2; fi' }] }],
  };
  mkdirSync(join(world.projectDir, '.claude'), { recursive: true });
  writeFileSync(join(world.projectDir, '.claude', 'settings.json'), JSON.stringify({ hooks }));
  cbos = await startCbos(world);
  spares = spareSessions({ world, cbos: () => cbos });
});
afterAll(() => world.dispose());
afterEach(() => spares.giveBack());

const send = (text: string) => cbos.call<Delivery>('POST', `/sessions/${slug}/send`, { text: `${tag}: ${text}` });
const type = (keys: string) => typeAtTerminal(world.env, screenId, keys);
const shows = (text: string) => {
  const read = async (): Promise<string> =>
    (await cbos.call<{ buffer: string }>('GET', `/sessions/${slug}/buffer?lines=9`)).body.buffer.replaceAll(
      '\u00a0',
      ' ',
    );
  let last = '';
  return waitFor(
    async () => {
      last = await read();
      return last.includes(text);
    },
    { describe: `${slug} shows ${text}`, actual: () => last },
  );
};
/**
 * Returns the last line. While a turn runs, the footer names the key that interrupts the turn, unless the prompt
 * contains a draft.
 */
const footer = async (): Promise<string> =>
  (await cbos.call<{ buffer: string }>('GET', `/sessions/${slug}/buffer?lines=1`)).body.buffer;
const received = (): string[] => world.promptsReceived().filter((prompt) => prompt.includes(`${tag}: queued`));

/** Waits until the queued texts have this status and note, oldest first. */
const untilBecame = (status: string, note: string) => {
  let queued: Delivery[] = [];
  return waitFor(
    async () => {
      const { body } = await cbos.call<Delivery[]>('GET', `/sessions/${slug}/deliveries`);
      queued = body.filter(({ text }) => text.includes(`${tag}: queued`));
      return queued.length === 2 && queued.every((one) => one.status === status && (one.note ?? '').includes(note));
    },
    { describe: `both are ${status}`, actual: () => queued },
  );
};

describe("texts that CBOS typed into Claude Code's queue, and that come back into the prompt,", () => {
  beforeEach(async () => {
    count += 1;
    tag = `T${count}`;
    ({ slug, screenId } = await spares.take());
    await send('scene:silent');
    await cbos.untilStatus(slug, 'active/thinking');
  });

  /** Puts two texts into the queue, and brings them back into the prompt by Up. */
  async function bringBack({ filler = '', last = '' } = {}): Promise<void> {
    await send(`queued first ${filler}scene:hello`);
    await send(`queued second ${filler}${last}scene:hello`);
    await type(UP);
    await waitFor(async () => !(await footer()).includes('esc to interrupt'), { describe: 'they are in the prompt' });
  }

  test.each([
    ['', '', ''],
    [', of which the box shows only the end,', 'of many words, more than the box can show '.repeat(60), ''],
    [', the last of which was still on its way,', '', 'lingering '],
  ])('when somebody ends the turn%s are sent if nobody touches them, in order, and once', async (_, filler, last) => {
    await bringBack({ filler, last });
    await type(ESCAPE);
    await waitFor(() => received().length === 2, { describe: 'both arrive', actual: received, timeoutMs: 20_000 });
    await cbos.untilStatus(slug, 'idle/waiting_input');
    expect(received().map((prompt) => prompt.split(`${tag}: `).at(-1))).toEqual([
      `queued first ${filler}scene:hello`,
      `queued second ${filler}${last}scene:hello`,
    ]);
    await untilBecame('delivered', '');
  });

  test.each([
    ['after the turn', ESCAPE, ' and more'],
    ['before the end of the turn', ' and more', ESCAPE],
  ])(
    'and that somebody changes %s belong to that person: this is reported, and they are never typed again',
    async (_, first, then) => {
      await bringBack();
      for (const keys of [first, then]) {
        await type(keys);
        if (keys === ESCAPE) await cbos.untilStatus(slug, 'idle/waiting_input');
        else await shows('scene:hello and more');
      }
      await untilBecame('sent', 'Somebody moved the text');
      expect((await send('beside it')).error?.code).toBe('not_accepting_text');
      await type('\r');
      await waitFor(() => received().length === 1, { describe: 'it arrives as it was changed' });
      await cbos.untilStatus(slug, 'idle/waiting_input');
      expect((await send('afterwards scene:hello')).body.status).toBe('delivered');
      expect(received()).toHaveLength(1);
    },
  );

  test('and that somebody sends unchanged are delivered', async () => {
    await bringBack();
    await type(ESCAPE);
    await cbos.untilStatus(slug, 'idle/waiting_input');
    await type('\r');
    await waitFor(() => received().length === 1, { describe: 'they arrive' });
    await cbos.untilStatus(slug, 'idle/waiting_input');
    await untilBecame('delivered', '');
    expect((await send('afterwards scene:hello')).body.status).toBe('delivered');
    expect(received()).toHaveLength(1);
  });
});
