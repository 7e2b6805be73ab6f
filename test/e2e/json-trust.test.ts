import { existsSync, mkdirSync, readFileSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isFolderTrusted } from '../../src/platform/claude/index.ts';
import type { Delivery, Session } from '../../src/protocol/index.ts';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import { type JsonSessions, jsonSessions } from '../harness/json-session.ts';
import { waitFor } from '../harness/wait-for.ts';

let world: ClaudeWorld;
let cbos: Cbos;
let json: JsonSessions;
beforeEach(async () => {
  world = await claudeWorld({ trusted: false });
  cbos = await startCbos(world, { CBOS_JSON_IDLE_TIMEOUT: '2' });
  json = jsonSessions(world, () => cbos);
});
afterEach(() => world.dispose());

/** Writes what a cloned repository may contain. @returns the files that its hooks and its server would create */
function plantRepository(dir: string): { ran(): string[] } {
  const traces = ['session-start', 'prompt', 'server'].map((name) => join(world.dir, `ran-${name}`));
  const [onStart = '', onPrompt = '', server = ''] = traces;
  const hook = (trace: string) => [{ hooks: [{ type: 'command', command: `touch ${trace}` }] }];
  mkdirSync(join(dir, '.claude'), { recursive: true });
  writeFileSync(
    join(dir, '.claude', 'settings.json'),
    JSON.stringify({
      enableAllProjectMcpServers: true,
      hooks: { SessionStart: hook(onStart), UserPromptSubmit: hook(onPrompt) },
    }),
  );
  const mcp = { mcpServers: { evil: { command: 'sh', args: ['-c', `touch ${server}; cat`] } } };
  writeFileSync(join(dir, '.mcp.json'), JSON.stringify(mcp));
  return { ran: () => traces.filter((trace) => existsSync(trace)) };
}

test('a folder that nobody has trusted runs nothing in a JSON session until a person says yes', async () => {
  const repository = plantRepository(world.projectDir);
  const created = await json.create('CLONE', { prompt: 'scene:hello held' });
  expect(created).toMatchObject({ state: 'waiting', json_state: 'waiting_permission' });
  const { question } = created.status;
  expect(question).toMatchObject({ kind: 'setup', options: [{ label: 'Yes, I trust this folder' }, { key: '2' }] });
  expect(question?.text).toContain('.claude/settings.json, .mcp.json');

  const invoked = await json.invoke('CLONE', 'scene:hello');
  expect(invoked).toMatchObject({ status: 409, error: { code: 'untrusted_folder', question: { id: question?.id } } });
  expect(invoked.error?.hint).toContain('cbos answer CLONE yes');
  const sent = await cbos.call('POST', '/sessions/CLONE/send', { text: 'scene:hello' });
  expect(sent.error).toMatchObject({ code: 'not_accepting_text', question: { id: question?.id } });
  expect((await json.answer('CLONE', { choice: 'yes', question_id: 'another' })).error?.code).toBe('stale_question');
  expect((await json.answer('CLONE', { choice: 'always' })).error?.code).toBe('no_such_option');
  expect((await cbos.cli(['show', 'CLONE'])).stdout).toMatch(/Yes, I trust this folder/);

  // After a restart of the server, the question is the same as before.
  await cbos.stop('SIGKILL');
  cbos = await startCbos(world, { CBOS_JSON_IDLE_TIMEOUT: '2' });
  expect((await cbos.session('CLONE')).status.question?.id).toBe(question?.id);
  expect(json.agents()).toBe(0);
  expect(repository.ran()).toEqual([]);

  // The first prompt is sent once the folder is trusted. From then on the hooks of the folder run.
  expect((await cbos.cli(['answer', 'CLONE', 'yes'])).code).toBe(0);
  await cbos.untilStatus('CLONE', 'idle/waiting_input');
  const deliveries = await cbos.call<Delivery[]>('GET', '/sessions/CLONE/deliveries');
  expect(deliveries.body.map(({ text, status }) => [text, status])).toEqual([['scene:hello held', 'delivered']]);
  await waitFor(() => repository.ran().length >= 2, { describe: 'the hooks of the folder run' });

  // The answer was for this session. Another session in the same folder asks again.
  expect((await json.create('OTHER')).status.question?.kind).toBe('setup');
});

test('a no ends the session, and a folder that is trusted, or is in a trusted one, asks nothing', async () => {
  const repository = plantRepository(world.projectDir);
  await json.create('CLONE', { prompt: 'scene:hello' });
  expect((await json.answer('CLONE', { choice: 'no' })).status).toBe(200);
  await cbos.until('CLONE', (one) => one.state === 'dead', 'has ended');
  expect(repository.ran()).toEqual([]);
  expect((await cbos.call('POST', '/sessions/CLONE/restart')).body).toMatchObject({ status: { detail: 'setup' } });

  // Another folder leads to another question, even though the first folder is trusted.
  expect((await json.answer('CLONE', { choice: 'yes' })).status).toBe(200);
  await cbos.untilStatus('CLONE', 'idle/waiting_input');
  const elsewhere = world.project('elsewhere');
  await cbos.call('PUT', '/sessions/CLONE/path', { path: elsewhere });
  await json.untilNoAgent();
  const refused = await cbos.call('POST', '/sessions/CLONE/send', { text: 'scene:hello again' });
  expect(refused.error).toMatchObject({ code: 'not_accepting_text', question: { kind: 'setup' } });
  expect(world.promptsReceived()).toEqual(['scene:hello']);

  // A person trusts the folder above, in a terminal and in Claude Code's own dialog.
  expect((await cbos.cli(['new', 'TRUST'])).code).toBe(0);
  await cbos.untilStatus('TRUST', 'waiting/setup');
  expect((await cbos.cli(['answer', 'TRUST', 'yes'])).code).toBe(0);
  await cbos.untilStatus('TRUST', 'idle/ready');
  await waitFor(() => isFolderTrusted(world.env, world.projectDir), {
    describe: 'Claude Code has recorded the trust',
    actual: () => readFileSync(join(world.home, '.claude.json'), 'utf8'),
  });
  const below = join(world.projectDir, 'below');
  mkdirSync(below);
  expect((await json.create('BELOW', { path: below })).status.question).toBe(null);
  expect((await json.create('SAME')).status.question).toBe(null);
  const inTerminal = await cbos.call<Session>('POST', '/sessions', { slug: 'PROOF', path: below, type: 'screen' });
  expect(inTerminal.error).toBe(null);
  // A session in a terminal asks there about the server, which it would not run without a yes, and not about trust.
  const shown = await cbos.until('PROOF', (one) => one.status.question !== null, 'asks');
  expect(shown.status.question?.text).toContain('New MCP server found');
});

test("the question is about the session's current folder, and the target of a link is judged and started", async () => {
  const [here, there] = [world.project('here'), world.project('there')];
  const repository = plantRepository(there);
  await json.create('MOVED', { path: here });
  expect((await cbos.session('MOVED')).status.question?.text).toContain(here);
  const moved = await cbos.call<Session>('PATCH', '/sessions/MOVED', { path: there });
  expect(moved.body.status.question?.text).toContain(there);
  expect(moved.body.status.question?.text).not.toContain(here);

  const link = join(world.dir, 'link');
  symlinkSync(here, link);
  const { status } = await json.create('LINKED', { path: link });
  expect(status.question?.text).toContain(here);
  expect((await json.answer('LINKED', { choice: 'yes' })).status).toBe(200);
  unlinkSync(link);
  symlinkSync(there, link);
  const refused = await cbos.call('POST', '/sessions/LINKED/send', { text: 'scene:hello' });
  expect(refused.error).toMatchObject({ question: { kind: 'setup', text: expect.stringContaining(there) } });
  expect([json.agents(), repository.ran()]).toEqual([0, []]);
});
