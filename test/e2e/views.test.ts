import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Delivery, Session } from '../../src/protocol/index.ts';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import { typeAtTerminal } from '../harness/claude-in-screen.ts';

const SLUG = 'VIEWS';

let world: ClaudeWorld;
let cbos: Cbos;
let screenId: string;
beforeAll(async () => {
  world = await claudeWorld();
  cbos = await startCbos(world);
  // The list of conversations shows those of earlier sessions.
  await start('EARLIER');
  screenId = (await start(SLUG)).screen_id ?? '';
});
afterAll(() => world.dispose());

async function start(slug: string): Promise<Session> {
  const created = await cbos.call<Session>('POST', '/sessions', { slug, type: 'screen', path: world.projectDir });
  await cbos.untilStatus(slug, 'idle/ready');
  await send('scene:hello first', {}, slug);
  await cbos.untilStatus(slug, 'idle/waiting_input');
  return created.body;
}

const send = (text: string, more: Partial<{ command: boolean; queue: boolean }> = {}, slug = SLUG) =>
  cbos.call<Delivery>('POST', `/sessions/${slug}/send`, { text, ...more });
const interrupt = () => cbos.call('POST', `/sessions/${SLUG}/interrupt`);
const untilView = (name: string) => cbos.until(SLUG, ({ view }) => view?.name === name, `shows the view ${name}`);

test.each([
  ['/help', 'Help', 'idle'],
  ['/cost', 'Settings', 'idle'],
  ['/status', 'Settings', 'idle'],
  ['/resume', 'Resume session', 'idle'],
  ['/mobile', 'Get the Claude app on your phone', 'idle'],
  ['/config', 'Settings', 'waiting'],
  ['/permissions', 'Permissions', 'waiting'],
  ['/model', 'Select model', 'waiting'],
  ['/theme', 'Theme', 'waiting'],
  ['/export', 'Export conversation', 'waiting'],
  ['/effort', 'Effort', 'waiting'],
  ['/add-dir', 'Add directory to workspace', 'waiting'],
  ['/btw scene:hello', '/btw scene:hello', 'waiting'],
  ['/rewind', 'Rewind', 'waiting'],
  ['esc esc', 'Rewind', 'waiting'],
  ['ctrl+o', 'transcript', null],
])(
  'the view that %s opens is named everywhere, and an interrupt closes it',
  async (opens, name, primary) => {
    if (opens.startsWith('/')) expect((await send(opens, { command: true })).error).toBeNull();
    else if (opens === 'ctrl+o') await typeAtTerminal(world.env, screenId, '\x0f');
    else await typeAtTerminal(world.env, screenId, '\x1b\x1b');
    const shown = await untilView(name);
    if (primary !== null) await cbos.until(SLUG, ({ status }) => status.primary === primary, `is ${primary}`);
    expect(shown.state).not.toBe('unknown');
    const listed = await cbos.cli(['ls']);
    expect(listed.stdout).toContain(`the view "${name}`);
    expect((await cbos.cli(['show', SLUG])).stdout).toContain(`cbos interrupt ${SLUG}`);
    const refused = await send('scene:hello never to be sent');
    expect(refused.error?.code).toBe('not_accepting_text');
    if (primary !== null) expect(refused.error?.message).toContain(name);
    if (primary !== null) expect(refused.error?.hint).toContain(`cbos interrupt ${SLUG}`);
    const { stdout, code } = await cbos.cli(['interrupt', SLUG]);
    expect([code, stdout]).toEqual([0, `${SLUG}: the view was closed; it accepts prompts again\n`]);
    await cbos.until(
      SLUG,
      ({ view, status }) => view === undefined && status.primary === 'idle',
      'has its prompt back',
    );
    const text = `scene:hello after ${opens.replace(/\W/g, '')}`;
    expect((await send(text)).body.status).toBe('delivered');
    await cbos.untilStatus(SLUG, 'idle/waiting_input');
    expect(world.promptsReceived().at(-1)).toBe(text);
    expect(world.promptsReceived().filter((prompt) => prompt.includes('never to be sent'))).toEqual([]);
  },
  180_000,
);

test('a view is also named in a conversation with a name', async () => {
  await send('/rename login', { command: true });
  await cbos.until(SLUG, ({ buffer_tail: tail }) => / login ─/.test(tail ?? ''), 'shows the name');
  await send('/effort', { command: true });
  await untilView('Effort');
  expect((await cbos.cli(['interrupt', SLUG])).code).toBe(0);
});

test.each([
  ['/status', 'Settings'],
  ['/permissions', 'Permissions'],
  ['/model', 'Select model'],
])(
  'the view that a person opens with %s during a turn covers the prompt until it is closed',
  async (opens, name) => {
    await send('scene:slow');
    await cbos.until(SLUG, ({ status }) => status.primary === 'active', 'works');
    await typeAtTerminal(world.env, screenId, `${opens}\r`);
    await untilView(name);
    expect((await send('scene:hello never to be sent')).error?.code).toBe('not_accepting_text');
    await cbos.untilStatus(SLUG, 'idle/waiting_input');
    expect((await cbos.session(SLUG)).view?.name).toBe(name);
    expect((await cbos.cli(['ls'])).stdout).toContain(`the view "${name}`);
    const refused = await send('scene:hello never to be sent');
    expect(refused.error).toMatchObject({ code: 'not_accepting_text', message: expect.stringContaining(name) });
    const held = await send(`scene:hello held below ${opens.slice(1)}`, { queue: true });
    expect(held.body.status).toBe('queued');
    const { stdout, code } = await cbos.cli(['interrupt', SLUG]);
    expect([code, stdout]).toEqual([0, `${SLUG}: the view was closed; it accepts prompts again\n`]);
    await expect.poll(() => world.promptsReceived().at(-1), { timeout: 30_000 }).toBe(held.body.text);
    await cbos.untilStatus(SLUG, 'idle/waiting_input');
  },
  120_000,
);

test('an interrupt ends the turn although a view is open that would take its Esc', async () => {
  await send('scene:slow');
  await cbos.until(SLUG, ({ status }) => status.primary === 'active', 'works');
  await typeAtTerminal(world.env, screenId, '/status\r');
  await untilView('Settings');
  const { stdout } = await cbos.cli(['interrupt', SLUG]);
  expect(stdout).toContain('interrupted; it accepts prompts again');
  const after = await cbos.until(SLUG, ({ status }) => status.primary === 'idle', 'has stopped');
  expect([after.view, after.status.interrupted]).toEqual([undefined, true]);
});

test('a permission dialog is not closed as a view, and an idle session is not interrupted either', async () => {
  expect((await interrupt()).error?.code).toBe('nothing_running');
  await send('scene:permission');
  const asked = await cbos.untilStatus(SLUG, 'waiting/permission');
  expect(asked.view).toBeUndefined();
  await typeAtTerminal(world.env, screenId, '\x0f');
  await untilView('transcript');
  expect((await cbos.cli(['interrupt', SLUG])).stdout).toBe(`${SLUG}: the view was closed\n`);
  await cbos.until(SLUG, ({ view }) => view === undefined, 'shows the dialog again');
  expect((await interrupt()).error).toMatchObject({ code: 'nothing_running' });
  expect((await cbos.session(SLUG)).status.question?.id).toBe(asked.status.question?.id);
});
