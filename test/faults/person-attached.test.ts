import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Delivery, Session } from '../../src/protocol/index.ts';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import { waitFor } from '../harness/wait-for.ts';
import { attachPerson, type Person } from './harness/person.ts';

let world: ClaudeWorld;
let cbos: Cbos;
let person: Person;
let shell: () => string;
let screenId: string;
beforeAll(async () => {
  world = await claudeWorld({ agent: 'stand-in' });
  cbos = await startCbos(world);
  const made = await cbos.call<Session>('POST', '/sessions', { slug: 'P', type: 'screen', path: world.projectDir });
  screenId = made.body.screen_id ?? '';
  await cbos.untilStatus('P', 'idle/ready');
  person = await attachPerson(world, screenId);
  shell = await person.openShell();
});
afterAll(() => world.dispose());

const send = (text: string) => cbos.call<Delivery>('POST', '/sessions/P/send', { text });

/** Expects that Claude Code gets the text, and that the person's shell does not get a single byte. */
async function expectSent(text: string): Promise<void> {
  const sent = await send(text);
  expect(sent.error).toBeNull();
  await waitFor(() => world.promptsReceived().includes(text), {
    describe: `Claude Code gets ${text}`,
    actual: () => [world.promptsReceived(), shell()],
  });
  await cbos.until('P', ({ status }) => status.primary === 'waiting' || status.primary === 'idle', 'has answered');
  expect(shell()).toBe('');
}

describe('while a person looks at a shell in a second window', () => {
  test('a text, an answer, keys, an interrupt and a rename go only to Claude Code', async () => {
    await expectSent('first scene:hello');
    expect((await send('scene:permission')).error).toBeNull();
    await cbos.untilStatus('P', 'waiting/permission');
    expect((await cbos.call('POST', '/sessions/P/answer', { choice: 'no' })).error).toBeNull();
    await cbos.until('P', ({ status }) => status.question?.kind !== 'permission', 'has its answer');
    expect((await send('scene:long')).error).toBeNull();
    await cbos.until('P', ({ status }) => status.primary === 'active', 'works');
    expect((await cbos.call('POST', '/sessions/P/interrupt')).error).toBeNull();
    expect((await cbos.call('POST', '/sessions/P/keys', { keys: 'typed' })).error).toBeNull();
    await cbos.until('P', ({ buffer_tail }) => (buffer_tail ?? '').includes('typed'), 'shows the keys');
    expect((await cbos.call('POST', '/sessions/P/keys', { keys: '\x15' })).error).toBeNull();
    await cbos.until('P', ({ buffer_tail }) => !(buffer_tail ?? '').includes('typed'), 'shows them no more');
    expect(shell()).toBe('');
  });

  test('the text finds its window if the windows were renumbered, and if the shell has its number', async () => {
    await person.screenCommand('number 0');
    await expectSent('second scene:hello');
    await person.screenCommand('number 7');
    await person.screenCommand('at 1# number 4');
    await expectSent('third scene:hello');
  });

  test('and where the screen is split', async () => {
    await person.command('S');
    await person.command('Tab');
    await person.screenCommand('select 4');
    await person.command('Tab');
    await expectSent('fourth scene:hello');
    await person.command('Q');
  });

  test("copy mode and Screen's own prompts are left to the person, and get no key; once closed, the text is typed", async () => {
    await person.screenCommand('select 4');
    await person.copyMode();
    const refused = await send('never in copy mode');
    expect(refused.error).toMatchObject({ code: 'screen_prompt_open' });
    expect((await cbos.session('P')).screen_prompt_at).not.toBeNull();
    for (const command of ['show', 'explain']) {
      expect((await cbos.cli([command, 'P'])).stdout, command).toContain('copy mode or a prompt of Screen was open');
    }
    await person.terminal.keys('Escape');
    await person.command('k');
    await person.terminal.until(/Really kill/, 'the question');
    expect((await send('yes, never')).error).toMatchObject({ code: 'screen_prompt_open' });
    await person.terminal.keys('n');
    await expectSent('fifth scene:hello');
    expect((await cbos.session('P')).screen_prompt_at).toBeNull();
  });

  test('copy mode that a person left behind is closed', async () => {
    await person.screenCommand('select 4');
    await person.copyMode();
    await person.detach();
    await expectSent('sixth scene:hello');
  });

  test('nothing was lost on the way', () => {
    expect(readdirSync(join(world.cbosHome, 'run'))).toEqual([]);
    expect(world.promptsReceived().filter((prompt) => prompt.includes('never'))).toEqual([]);
  });
});
