import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Delivery } from '../../src/protocol/index.ts';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import { waitFor } from '../harness/wait-for.ts';

let world: ClaudeWorld;
let cbos: Cbos;
const bindEnter = (action: string, configDir = join(world.home, '.claude')): void => {
  const bindings = [{ context: 'Chat', bindings: { enter: action, 'ctrl+s': 'chat:submit' } }];
  writeFileSync(join(configDir, 'keybindings.json'), JSON.stringify({ bindings }));
};

/** A program of the user's that chooses an account. */
const WRAPPER = (claude: string): string => `#!/bin/sh
[ -n "$ACCOUNT" ] && export CLAUDE_CONFIG_DIR="$ACCOUNT"
'${claude}' "$@"
`;

beforeAll(async () => {
  world = await claudeWorld();
  mkdirSync(join(world.home, '.claude'), { recursive: true });
  bindEnter('chat:newline');
  const command = join(world.dir, 'wrapper');
  writeFileSync(command, WRAPPER(world.claude), { mode: 0o755 });
  cbos = await startCbos(world, { CBOS_CLAUDE_COMMAND: command });
  await cbos.call('POST', '/sessions', { slug: 'KEYS', type: 'screen', path: world.projectDir });
  await cbos.untilStatus('KEYS', 'idle/ready');
});
afterAll(() => world.dispose());

test('Claude Code follows the file: Enter begins a new line', async () => {
  await cbos.call('POST', '/sessions/KEYS/keys', { keys: 'one\rtwo' });
  await cbos.until('KEYS', ({ buffer_tail: tail }) => /one\s+two/.test(tail ?? ''), 'shows two lines');
  await cbos.call('POST', '/sessions/KEYS/keys', { keys: '\x03' });
  await cbos.until('KEYS', ({ buffer_tail: tail }) => tail?.includes('two') === false, 'has an empty prompt');
});

test('a prompt that Enter would not submit is refused before anything is typed, and the doctor names the file', async () => {
  for (const more of [['--wait'], ['--wait', '--force'], ['--queue']]) {
    const refused = await cbos.cli(['send', 'KEYS', 'scene:hello bound', ...more]);
    expect(refused).toMatchObject({ code: 4, stderr: expect.stringContaining('keybindings.json') });
  }
  expect((await cbos.session('KEYS')).buffer_tail).not.toContain('bound');
  expect((await cbos.cli(['doctor'])).stdout).toContain('binds Enter to "chat:newline"');
});

test('prompts arrive once Enter submits again', async () => {
  bindEnter('chat:submit');
  // Claude Code applies the change a moment later, and CBOS allows for that.
  let sent: Delivery | null = null;
  await waitFor(
    async () => {
      const { body, error } = await cbos.call<Delivery>('POST', '/sessions/KEYS/send', { text: 'scene:hello now' });
      if (error === null) sent = body;
      return error === null;
    },
    { describe: 'CBOS accepts a prompt' },
  );
  expect(sent).toMatchObject({ status: 'delivered' });
  await waitFor(() => world.promptsReceived().length > 0, { describe: 'the model gets a prompt' });
  expect(world.promptsReceived()).toEqual(['scene:hello now']);
});

test('a held prompt names the binding that keeps it from being sent, and is sent once Enter submits again', async () => {
  await cbos.untilStatus('KEYS', 'idle/waiting_input');
  await cbos.call('POST', '/sessions/KEYS/send', { text: 'scene:slow first' });
  const held = await cbos.call<Delivery>('POST', '/sessions/KEYS/send', { text: 'scene:hello held', queue: true });
  expect(held.body).toMatchObject({ status: 'queued', note: null });
  bindEnter('chat:newline');
  const listed = async () => (await cbos.cli(['queue', 'KEYS'])).stdout;
  await waitFor(async () => (await listed()).includes('keybindings.json binds it'), {
    describe: 'the reason is shown',
  });
  await cbos.untilStatus('KEYS', 'idle/waiting_input');
  expect(world.promptsReceived()).not.toContain('scene:hello held');
  bindEnter('chat:submit');
  await waitFor(() => world.promptsReceived().includes('scene:hello held'), { describe: 'the prompt is sent' });
});

test('the keys are those of the account that a wrapper has chosen', async () => {
  const account = join(world.dir, 'account');
  cpSync(join(world.home, '.claude.json'), join(account, '.claude.json'));
  bindEnter('chat:newline', account);
  const env = { ACCOUNT: account };
  await cbos.call('POST', '/sessions', { slug: 'ACCOUNT', type: 'screen', path: world.projectDir, env });
  await cbos.untilStatus('ACCOUNT', 'idle/ready');
  // The prompt may be drawn before CBOS knows the account. Until then, CBOS holds what is sent.
  const found = `${join(account, 'keybindings.json')} binds Enter to "chat:newline"`;
  await waitFor(async () => (await cbos.cli(['doctor'])).stdout.includes(found), { describe: 'the account is known' });
  const refused = await cbos.cli(['send', 'ACCOUNT', 'scene:hello bound', '--queue']);
  expect(refused).toMatchObject({ code: 4, stderr: expect.stringContaining('keybindings.json') });
  await cbos.cli(['stop', 'ACCOUNT']);
});

test('an interrupt that Esc does not carry out is not reported as one, and the turn keeps its answer', async () => {
  const bindings = [{ context: 'Chat', bindings: { escape: null } }];
  writeFileSync(join(world.home, '.claude', 'keybindings.json'), JSON.stringify({ bindings }));
  await cbos.call('POST', '/sessions', { slug: 'ESC', type: 'screen', path: world.projectDir });
  await cbos.untilStatus('ESC', 'idle/ready');
  const sending = cbos.cli(['send', 'ESC', '--wait', 'scene:slow on and on']);
  await cbos.untilStatus('ESC', 'active/thinking');
  await cbos.cli(['send', 'ESC', '--queue', 'scene:hello after that']);
  const refused = await cbos.cli(['interrupt', 'ESC']);
  expect([refused.code, refused.stdout]).toEqual([6, '']);
  expect(refused.stderr).toContain('cbos queue resume ESC');
  expect(refused.stderr).toContain('the turn of ESC ended on its own');
  expect(refused.stderr).toContain('keybindings.json');
  expect(await sending).toEqual({ code: 0, stdout: 'Sorry that it took so long.\n', stderr: '' });
  const deliveries = (await cbos.call<Delivery[]>('GET', '/sessions/ESC/deliveries')).body;
  expect(deliveries.find(({ text }) => text.includes('on and on'))).toMatchObject({
    status: 'delivered',
    phase: 'taken',
  });
});

test('an interrupt is not reported if neither the screen nor a hook shows whether it ended the turn', async () => {
  const file = join(world.home, '.claude', 'settings.json');
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), disableAllHooks: true }));
  await cbos.call('POST', '/sessions', { slug: 'UNHEARD', type: 'screen', path: world.projectDir });
  await cbos.untilStatus('UNHEARD', 'idle/ready');
  await cbos.call('POST', '/sessions/UNHEARD/send', { text: 'scene:slow on and on' });
  await cbos.until('UNHEARD', ({ status }) => status.primary === 'active', 'is working');
  const refused = await cbos.cli(['interrupt', 'UNHEARD']);
  expect([refused.code, refused.stdout]).toEqual([6, '']);
  expect(refused.stderr).toContain('nothing shows whether');
});

test('a prompt whose interrupt nothing confirmed is not interrupted when the next one is sent', async () => {
  await cbos.until('UNHEARD', ({ status }) => status.primary === 'idle', 'has answered');
  await cbos.call('POST', '/sessions/UNHEARD/send', { text: 'scene:hello after it' });
  const deliveries = (await cbos.call<Delivery[]>('GET', '/sessions/UNHEARD/deliveries')).body;
  expect(deliveries.find(({ text }) => text === 'scene:slow on and on')).toMatchObject({ phase: 'taken', note: null });
});
