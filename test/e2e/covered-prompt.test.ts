import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Delivery, Session } from '../../src/protocol/index.ts';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import { typeAtTerminal } from '../harness/claude-in-screen.ts';
import { type TypedKeys, watchTypedKeys } from '../harness/typed-keys.ts';
import { waitFor } from '../harness/wait-for.ts';

const SLUG = 'COVERED';
const TRANSCRIPT = '\x0f';
const ESCAPE = '\x1b';
const BACKSPACE = '\x7f';

let world: ClaudeWorld;
let cbos: Cbos;
let typed: TypedKeys;
let screenId: string;
beforeAll(async () => {
  world = await claudeWorld();
  const editor = join(world.dir, 'editor.sh');
  writeFileSync(editor, "#!/bin/sh\nprintf '\\033[2J\\033[Hhere is an editor\\n'\nread -r line\n", { mode: 0o755 });
  typed = watchTypedKeys(world);
  cbos = await startCbos(world, { EDITOR: editor, ...typed.env });
  const created = await cbos.call<Session>('POST', '/sessions', { slug: SLUG, type: 'screen', path: world.projectDir });
  screenId = created.body.screen_id ?? '';
  await cbos.untilStatus(SLUG, 'idle/ready');
  await send('scene:hello so that there is an old prompt');
  await cbos.untilStatus(SLUG, 'idle/waiting_input');
});
afterAll(() => world.dispose());

const send = (text: string, queue = false) =>
  cbos.call<Delivery>('POST', `/sessions/${SLUG}/send`, { text, ...(queue ? { queue } : {}) });
const type = (keys: string) => typeAtTerminal(world.env, screenId, keys);
const deliveryOf = async (id: string): Promise<Delivery> =>
  (await cbos.call<Delivery>('GET', `/sessions/${SLUG}/deliveries/${id}`)).body;

const untilScreen = (isSo: (text: string) => boolean, describe: string) =>
  waitFor(
    async () => isSo((await cbos.call<{ buffer: string }>('GET', `/sessions/${SLUG}/buffer?lines=45`)).body.buffer),
    { describe },
  );

/** Returns the prompts that arrived and contain the word. */
const received = (word: string): string[] => world.promptsReceived().filter((prompt) => prompt.includes(word));

describe('a text never goes into a cover of the prompt: it is refused with the reason, or held until the cover is gone:', () => {
  test.each([
    [
      'the transcript',
      TRANSCRIPT,
      'Showing detailed transcript',
      TRANSCRIPT,
      'The detailed transcript covers the prompt',
    ],
    ['shell mode', '!', '! for shell mode', BACKSPACE, 'The prompt is in shell mode'],
    ['the search through old prompts', '\x12', 'search prompts:', ESCAPE, 'The search for earlier prompts is open'],
    [
      'an editor that CBOS does not know',
      '\x07',
      'here is an editor',
      '\r',
      'Something that CBOS does not recognize covers the prompt',
    ],
    ['/help', '/help\r', 'For more help', ESCAPE, "One of Claude Code's views covers the prompt"],
    ['the menu of commands', '/', '/add-dir', BACKSPACE, 'Somebody is typing in the prompt'],
  ])('%s', async (name, open, sign, close, reason) => {
    const text = `scene:hello held for ${name}`;
    await type(open);
    await untilScreen((shown) => shown.includes(sign), `${name} is open`);
    const refused = await send('scene:hello never to be sent');
    expect(refused.error).toMatchObject({ code: 'not_accepting_text', message: expect.stringContaining(reason) });
    expect(refused.error?.hint).toContain(`cbos attach`);
    const held = await send(text, true);
    expect(held.body.status).toBe('queued');
    await type(close);
    await waitFor(async () => (await deliveryOf(held.body.id)).status === 'delivered', {
      describe: 'the held text is delivered',
      actual: () => deliveryOf(held.body.id),
    });
    await cbos.untilStatus(SLUG, 'idle/waiting_input');
    expect(received('held for').at(-1)).toBe(text);
    expect(received('never to be sent')).toEqual([]);
  });

  test('a picker, which is a dialog: refused with its question', async () => {
    expect(
      (await cbos.call<Delivery>('POST', `/sessions/${SLUG}/send`, { text: '/model', command: true })).error,
    ).toBeNull();
    await cbos.untilStatus(SLUG, 'waiting/setup');
    const refused = await send('2');
    expect(refused.error).toMatchObject({ code: 'not_accepting_text', question: { kind: 'setup' } });
    await type(ESCAPE);
    await cbos.untilStatus(SLUG, 'idle/waiting_input');
  });

  test('the list of shortcuts is not a cover: the text is sent as usual', async () => {
    await type('?');
    await untilScreen((shown) => shown.includes('for shell mode'), 'the shortcuts are shown');
    expect((await send('scene:hello beside the shortcuts')).body.status).toBe('delivered');
    await cbos.untilStatus(SLUG, 'idle/waiting_input');
    expect(received('beside the shortcuts')).toEqual(['scene:hello beside the shortcuts']);
  });
});

/** Reports whether the prompt, which is the lowest row with its sign, shows a text that was pasted. */
const isPasted = (screen: string): boolean =>
  /^❯.*(scene:hello|Pasted text)/.test(
    screen
      .split('\n')
      .filter((row) => row.startsWith('❯'))
      .at(-1) ?? '',
  );

/**
 * The moments of a delivery, in their order: each resolves when it has come. The last is short, so it also resolves if
 * the text has already arrived.
 */
const MOMENTS: Readonly<Record<string, (text: string) => Promise<unknown>>> = {
  'before CBOS has begun to type': async () => undefined,
  'once CBOS pastes': () => untilTyped(/ paste p/, 'CBOS pastes the text'),
  'once the prompt shows the text': (text) =>
    untilScreen((screen) => isPasted(screen) || received(text).length > 0, 'the prompt shows the text'),
};

const untilTyped = (keys: RegExp, describe: string) =>
  waitFor(() => typed.calls(SLUG).some((call) => keys.test(call)), { describe, isBrief: true, actual: typed.calls });

test.each(Object.keys(MOMENTS))(
  'a transcript that somebody opens %s does no harm: the text arrives whole, and once',
  async (moment) => {
    const text = `scene:hello typed for ${moment} ${'of many words '.repeat(100)}end`;
    typed.forget();
    const sending = send(text);
    await MOMENTS[moment]?.(text);
    await type(TRANSCRIPT);
    const sent = (await sending).body;
    await untilScreen((shown) => shown.includes('Showing detailed transcript'), 'the transcript is open');
    await type(TRANSCRIPT);
    await waitFor(async () => (await deliveryOf(sent.id)).status === 'delivered', {
      describe: 'the text is delivered',
      actual: () => deliveryOf(sent.id),
    });
    await cbos.untilStatus(SLUG, 'idle/waiting_input');
    expect(received(`typed for ${moment}`)).toEqual([text]);
  },
);

test('a text behind a view that a person sends is not sent again', async () => {
  const text = `scene:hello sent by hand ${'of many words '.repeat(100)}end`;
  typed.forget();
  const sending = send(text);
  await untilTyped(/ paste p/, 'CBOS pastes the text');
  await type(TRANSCRIPT);
  const { id } = (await sending).body;
  await type(`${TRANSCRIPT}\r`);
  await waitFor(async () => (await deliveryOf(id)).status === 'delivered', { describe: 'it is delivered' });
  await cbos.untilStatus(SLUG, 'idle/waiting_input');
  await send('scene:hello the last one');
  await cbos.untilStatus(SLUG, 'idle/waiting_input');
  expect(received('sent by hand')).toEqual([text]);
});
