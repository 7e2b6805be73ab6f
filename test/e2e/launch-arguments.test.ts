import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Delivery, Session } from '../../src/protocol/index.ts';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import { keptConversations } from '../harness/kept-conversations.ts';
import { waitFor } from '../harness/wait-for.ts';

/** the id of a conversation that does not exist */
const NO_CONVERSATION = '00000000-0000-4000-8000-000000000000';

let world: ClaudeWorld;
let cbos: Cbos;

beforeAll(async () => {
  world = await claudeWorld();
  cbos = await startCbos(world);
});
afterAll(() => world.dispose());

const create = (slug: string, args: readonly string[], more: object = {}) =>
  cbos.call<Session>('POST', '/sessions', { slug, type: 'screen', path: world.projectDir, args, ...more });
const send = (slug: string, text: string) => cbos.call<Delivery>('POST', `/sessions/${slug}/send`, { text });

test("the user's settings and the hooks of CBOS are both in effect", async () => {
  const ran = join(world.dir, 'own-hook-ran');
  const hooks = { UserPromptSubmit: [{ hooks: [{ type: 'command', command: `touch '${ran}'` }] }] };
  writeFileSync(join(world.projectDir, 'mine.json'), JSON.stringify({ hooks }));
  expect((await create('OWN', ['--settings', 'mine.json'])).error).toBeNull();
  await cbos.untilStatus('OWN', 'idle/ready');
  expect((await send('OWN', 'scene:hello with my settings')).body.status).toBe('delivered');
  const done = await cbos.untilStatus('OWN', 'idle/waiting_input');
  expect(existsSync(ran)).toBe(true);
  expect(done.status.because.source).toBe('hook');
});

test('settings that are not strict JSON are refused with the place of the error, and nothing is left', async () => {
  writeFileSync(join(world.projectDir, 'bad.json'), '{\n  // a comment\n  "model": "opus"\n}\n');
  for (const type of ['screen', 'json']) {
    const refused = await cbos.cli(['new', 'BAD', world.projectDir, '--type', type, '--', '--settings', 'bad.json']);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('bad.json') });
    expect(refused.stderr).toMatch(/line 2, column 3/);
  }
  expect((await cbos.call('GET', '/sessions/BAD')).error?.code).toBe('no_such_session');
});

test('a conversation that is open in another session cannot be continued, but copied', async () => {
  const { claude_session_id: id } = await cbos.session('OWN');
  const file = join(world.home, '.claude', 'projects', 'any', `${id}.jsonl`);
  const named = [`-r${id}`, `--resume=${id}`, `--resume=${file}`, `--session-id=${id}`].map((one) => [one]);
  // Claude Code prefers `-c`, so the conversation that these name counts for nothing.
  const both = [
    ['-c', '-r', NO_CONVERSATION],
    ['-r', NO_CONVERSATION, '-c'],
  ];
  for (const args of [...named, ['--resume', id ?? ''], ['--session-id', id ?? ''], ['--continue'], ['-cd'], ...both]) {
    const refused = await create('TWICE', args);
    expect([args, refused.error]).toMatchObject([
      args,
      { code: 'session_in_use', hint: expect.stringContaining('cbos fork OWN TWICE') },
    ]);
  }
  expect((await cbos.call('POST', '/sessions/OWN/kill')).error).toBeNull();
  expect((await create('TWICE', ['--resume', id ?? ''])).error).toBeNull();
  await cbos.until('TWICE', ({ claude_session_id }) => claude_session_id === id, 'continues the conversation');
  await cbos.until('TWICE', ({ status }) => status.primary === 'idle', 'is idle');
});

test('a restart continues the conversation of the session, not the one that its arguments chose', async () => {
  await cbos.call('POST', '/sessions/TWICE/send', { text: '/clear', command: true });
  const { claude_session_id: before } = await cbos.session('OWN');
  const cleared = await cbos.until('TWICE', (one) => one.claude_session_id !== before, 'has another conversation');
  expect((await send('TWICE', 'scene:hello after the clear')).error).toBeNull();
  await waitFor(() => world.promptsReceived().includes('scene:hello after the clear'), { describe: 'it arrived' });
  await cbos.untilStatus('TWICE', 'idle/waiting_input');
  expect((await cbos.call('POST', '/sessions/TWICE/kill')).error).toBeNull();
  expect((await cbos.call('POST', '/sessions/TWICE/restart')).error).toBeNull();
  await cbos.until('TWICE', ({ status }) => status.primary === 'idle', 'is idle');
  expect((await cbos.session('TWICE')).claude_session_id).toBe(cleared.claude_session_id);
  const [shown] = (readFileSync(join(world.streamDir, 'TWICE.typescript'), 'utf8').match(/after the clear/) ??
    []) as string[];
  expect(shown).toBe('after the clear');
});

test('the list of conversations with which Claude Code starts is named, and closing it ends Claude Code', async () => {
  const listed = await cbos.cli(['new', 'PICK', world.projectDir, '--', '-r']);
  expect(listed).toMatchObject({ code: 0, stderr: '' });
  await cbos.until('PICK', ({ view }) => view?.name === 'Resume session', 'shows the list');
  expect((await cbos.cli(['ls'])).stdout).toContain('the view "Resume session" covers the prompt');
  const closed = await cbos.cli(['interrupt', 'PICK']);
  expect([closed.code, closed.stderr]).toEqual([4, expect.stringContaining('and with it Claude Code')]);
  await cbos.until('PICK', ({ state }) => state === 'dead', 'has ended');
});

test('an argument that would break the session is refused with its cure, and an option of CBOS is taken over', async () => {
  const refused = await cbos.cli(['new', 'AWAY', world.projectDir, '--', '--bg']);
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('cbos adopt') });
  const json = await create('FORMAT', ['--output-format', 'text'], { type: 'json' });
  expect(json.error).toMatchObject({ code: 'argument_refused', argument: '--output-format' });
  const taken = await create('MODE', ['--permission-mode', 'plan', '--max-budget-usd', '2'], { type: 'json' });
  expect(taken.body).toMatchObject({ permission_mode: 'plan' });
});

test('the hooks of CBOS are in effect with everything else that is passed on', async () => {
  const passed = ['--setting-sources=', '--strict-mcp-config', '--mcp-config', '{"mcpServers":{}}', '--verbose', '-d'];
  const more = ['--add-dir', world.dir, '--plugin-dir', world.projectDir, '--disable-slash-commands', '--restricted'];
  const twice = ['--settings', '{"model":"opus"}', '--settings={"env":{"TWICE":"1"}}'];
  expect((await create('PASSED', [...passed, ...more, ...twice])).error).toBeNull();
  // Claude Code asks about a directory that the user has not trusted, and offers to end first.
  const asking = await cbos.untilStatus('PASSED', 'waiting/setup');
  expect(asking.status.question?.text).toContain(world.dir);
  expect((await cbos.cli(['answer', 'PASSED', 'yes'])).stderr).toBe('');
  await cbos.untilStatus('PASSED', 'idle/ready');
  expect((await send('PASSED', 'scene:hello with many arguments')).body.status).toBe('delivered');
  const done = await cbos.untilStatus('PASSED', 'idle/waiting_input');
  expect(done.status.because.source).toBe('hook');
  await cbos.call('DELETE', '/sessions/PASSED');
});

test('a launch and a restart report that Claude Code rejects an argument, and what it says', async () => {
  const started = await cbos.cli(['new', 'GOOD', world.projectDir, '--', '--verbose']);
  expect(started).toMatchObject({ code: 0, stdout: expect.stringContaining('GOOD started'), stderr: '' });
  expect((await cbos.session('GOOD')).status.primary).toBe('idle');
  await cbos.call('DELETE', '/sessions/GOOD');

  const missing = await cbos.cli(['new', 'MISSING', world.projectDir, '--', '--mcp-config', 'missing.json']);
  expect(missing).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('MCP config file not found') });
  await cbos.call('DELETE', '/sessions/MISSING');

  // A flag that Claude Code does not know reaches it.
  const unknown = await cbos.cli(['new', 'UNKNOWN', world.projectDir, '--', '--from-a-later-version']);
  expect(unknown).toMatchObject({ code: 1, stdout: '' });
  expect(unknown.stderr).toMatch(/^cbos: UNKNOWN ended as soon as it started with exit code 1: error: unknown option/);
  // The cures that the error names.
  expect((await cbos.cli(['logs', 'UNKNOWN'])).stdout).toContain('unknown option');
  const again = await cbos.cli(['restart', 'UNKNOWN']);
  expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('UNKNOWN ended as soon as it started') });
  for (const slug of ['OWN', 'PICK']) await cbos.call('DELETE', `/sessions/${slug}`);
  const all = await cbos.cli(['restart', '--all']);
  expect(all).toMatchObject({ code: 1, stderr: expect.stringContaining('UNKNOWN ended as soon as it started') });
  expect(await cbos.session('UNKNOWN')).toMatchObject({ ended: { by: 'error', exit_code: 1 } });
  expect(await cbos.cli(['rm', 'UNKNOWN', '--yes'])).toMatchObject({ code: 0 });

  // A JSON session starts Claude Code with its first prompt, which then reports it.
  const json = ['--type', 'json', '--', '--from-a-later-version'];
  expect(await cbos.cli(['new', 'WRONG', world.projectDir, ...json])).toMatchObject({ code: 0 });
  const invoked = await cbos.cli(['invoke', 'WRONG', 'scene:hello']);
  expect(invoked).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('exit code 1 before the turn was over: error'),
  });
});

test('a session that was lost before its own first prompt was answered is named as such, and starts again', async () => {
  expect((await cbos.cli(['new', 'MINE', world.projectDir, '--', 'scene:silent'])).code).toBe(0);
  await waitFor(() => world.promptsReceived().includes('scene:silent'), { describe: 'the prompt arrives' });
  const { screen_id: screen, pid } = await cbos.session('MINE');
  for (const one of [pid, Number(screen?.split('.')[0])]) process.kill(one ?? 0, 'SIGKILL');
  await cbos.until('MINE', ({ lost }) => lost !== undefined, 'is lost');
  const file = await keptConversations(world, () => cbos)
    .transcriptOf('MINE')
    .catch(() => null);
  if (file !== null) renameSync(file, `${file}.cleaned`);
  const restored = await cbos.cli(['restore', 'MINE']);
  expect(restored.stdout).toMatch(/MINE stays as it is: it has no saved conversation, .* `cbos restart MINE`/);
  const forked = await cbos.cli(['fork', 'MINE', 'COPY', '--same-folder']);
  expect(forked.stderr).toContain('cbos restart MINE');
  expect((await cbos.cli(['restart', 'MINE'])).stderr).toBe('');
  const timesReceived = () => world.promptsReceived().filter((text) => text === 'scene:silent').length;
  await waitFor(() => timesReceived() === 2, { describe: 'the prompt is sent again' });
});
