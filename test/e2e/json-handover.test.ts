import { spawn } from 'node:child_process';
import { rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Conversation, Delivery, Session, SessionCosts, StatusChange } from '../../src/protocol/index.ts';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import { type JsonSessions, jsonSessions } from '../harness/json-session.ts';
import { waitFor } from '../harness/wait-for.ts';

const STREAM = ['--output-format', 'stream-json', '--verbose'];

let world: ClaudeWorld;
let cbos: Cbos;
let json: JsonSessions;
beforeEach(async () => {
  world = await claudeWorld();
  cbos = await startCbos(world);
  json = jsonSessions(world, () => cbos);
});
afterEach(() => world.dispose());

const wasTold = (text: string): boolean =>
  JSON.stringify(world.apiEvents.findLast((event) => event.kind === 'request' && event.scene !== null)).includes(text);

test('a JSON session gets a terminal and gives it back, with one conversation that only one process has open', async () => {
  const watcher = await cbos.watch();
  await json.create('HAND');
  await json.invoke('HAND', 'scene:hello in events');
  const before = await cbos.untilStatus('HAND', 'idle/waiting_input');
  expect(json.agents()).toBe(1);

  const converted = await cbos.cli(['convert', 'HAND', 'screen', '--json']);
  expect(converted.code, converted.stderr).toBe(0);
  expect(JSON.parse(converted.stdout)).toMatchObject({ type: 'screen', slug: 'HAND' });
  expect(json.agents()).toBe(0);
  const shown = await cbos.until('HAND', (one) => one.status.primary === 'idle', 'is ready');
  expect(shown.buffer_tail).toContain('❯');
  expect(shown).toMatchObject({ type: 'screen', json_state: null });
  const sent = await cbos.call<Delivery>('POST', '/sessions/HAND/send', { text: 'scene:read in a terminal' });
  expect(sent.body).toMatchObject({ status: 'delivered' });
  await cbos.until('HAND', (one) => one.status.primary === 'idle' && world.promptsReceived().length === 2, 'is idle');
  expect(wasTold('scene:hello in events')).toBe(true);
  expect((await json.invoke('HAND', 'x')).status).toBe(409);

  expect((await cbos.cli(['convert', 'HAND', 'json'])).code).toBe(0);
  const back = await cbos.session('HAND');
  expect(back).toMatchObject({ type: 'json', screen_id: null, claude_session_id: before.claude_session_id });
  expect(world.processes().filter(({ command }) => command.includes('claude'))).toEqual([]);
  await json.invoke('HAND', 'scene:hello again in events');
  await cbos.until(
    'HAND',
    (one) => one.json_state === 'complete' && world.promptsReceived().length === 3,
    'is complete',
  );
  expect(wasTold('scene:read in a terminal')).toBe(true);

  // Only the session's processes ended, not the session. Neither the clients nor the history may therefore report an
  // end.
  expect(watcher.statuses('HAND').filter((status) => status.startsWith('dead'))).toEqual([]);
  const history = (await cbos.call<StatusChange[]>('GET', '/sessions/HAND/history')).body;
  expect(history.filter(({ primary }) => primary === 'dead')).toEqual([]);
});

test('if a session cannot continue without its terminal, the end of the terminal is reported', async () => {
  await using elsewhere = await claudeWorld();
  const program = join(elsewhere.dir, 'claude');
  symlinkSync(elsewhere.claude, program);
  const other = await startCbos(elsewhere, { CBOS_CLAUDE_COMMAND: program });
  const made = { slug: 'LOST', type: 'screen', path: elsewhere.projectDir };
  expect((await other.call<Session>('POST', '/sessions', made)).status).toBe(201);
  await other.untilStatus('LOST', 'idle/ready');
  rmSync(program);
  const refused = await other.call('POST', '/sessions/LOST/convert', { type: 'json' });
  expect(refused.error).toMatchObject({ code: 'claude_not_found' });
  expect(await other.session('LOST')).toMatchObject({ type: 'screen', state: 'dead' });
});

test('a session in the middle of a turn is not converted', async () => {
  await json.create('BUSY');
  await json.invoke('BUSY', 'scene:permission');
  await cbos.untilStatus('BUSY', 'waiting/permission');
  const refused = await cbos.cli(['convert', 'BUSY', 'screen']);
  expect(refused.code).toBe(4);
  expect(refused.stderr).toContain('cbos answer BUSY');
  expect((await cbos.session('BUSY')).type).toBe('json');
});

test('a conversation that CBOS did not begin is listed and adopted', async () => {
  await json.create('MINE');
  await json.invoke('MINE', 'scene:hello from before');
  const { claude_session_id: id } = await cbos.untilStatus('MINE', 'idle/waiting_input');
  expect((await cbos.call<Conversation[]>('GET', '/conversations')).body).toEqual([]);
  await cbos.cli(['rm', 'MINE', '--yes']);

  const listed = JSON.parse((await cbos.cli(['ls', '--all', '--json'])).stdout) as { conversations: Conversation[] };
  expect(listed.conversations).toMatchObject([
    { claude_session_id: id, path: world.projectDir, title: 'scene:hello from before', pid: null },
  ]);

  // Another process has the conversation open. Two processes would corrupt it.
  const other = spawn(world.claude, ['--print', '--input-format', 'stream-json', ...STREAM, '--resume', id ?? ''], {
    cwd: world.projectDir,
    env: world.env,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const conversations = async () => (await cbos.call<Conversation[]>('GET', '/conversations')).body;
  await waitFor(async () => (await conversations())[0]?.pid === other.pid, { describe: 'it is listed as open' });
  const refused = await cbos.cli(['adopt', '--resume', id ?? '', 'TAKEN', '--type', 'json']);
  expect(refused).toMatchObject({ code: 4 });
  expect(refused.stderr).toContain(`Process ${other.pid} has the conversation open`);
  other.kill();
  await waitFor(async () => (await conversations())[0]?.pid === null, { describe: 'nobody has it open any more' });
  const misplaced = await cbos.cli(['adopt', '--resume', id ?? '', '--path', world.dir]);
  expect(misplaced.stderr).toContain(`The conversation took place in ${world.projectDir}`);

  const adopted = await cbos.cli(['adopt', '--resume', id ?? '', 'TAKEN', '--type', 'json', '--json']);
  expect(adopted.code, adopted.stderr).toBe(0);
  expect(JSON.parse(adopted.stdout) as Session).toMatchObject({ slug: 'TAKEN', type: 'json', claude_session_id: id });
  await json.invoke('TAKEN', 'scene:hello from now');
  await cbos.until('TAKEN', (one) => one.json_state === 'complete', 'is complete');
  expect(wasTold('scene:hello from before')).toBe(true);
  expect((await cbos.cli(['adopt', '--resume', id ?? '', 'AGAIN'])).stderr).toContain(
    'TAKEN already has this conversation',
  );
  const unknown = await cbos.cli(['adopt', '--resume', '99999999-1111-4111-8111-111111111111']);
  expect(unknown.code).toBe(3);
});

test('cbos invoke streams a turn, prints its question, and exits with a code for scripts', async () => {
  const made = await cbos.cli(['new', 'CI', world.projectDir, '--type', 'json']);
  expect(made.stdout).toContain('cbos invoke CI');
  const streamed = await cbos.cli(['invoke', 'CI', 'scene:read please']);
  const stdout = 'Let me look.\n● Read: README.md\nIt is a small example project.\n';
  expect(streamed, streamed.stderr).toMatchObject({ code: 0, stdout });
  const costs = JSON.parse((await cbos.cli(['costs', 'CI', '--json'])).stdout) as SessionCosts;
  expect(costs.session.turns).toBe(1);
  expect((await cbos.session('CI')).cost_usd).toBeCloseTo(costs.session.cost_usd, 6);
  expect((await cbos.cli(['costs'])).stdout).toContain('$0.02');

  await json.create('MORE');
  const question = await cbos.cli(['invoke', 'MORE', 'scene:permission please']);
  expect(question.code, question.stderr).toBe(4);
  expect(question.stdout).toContain('cbos answer MORE 1');
  await cbos.cli(['answer', 'MORE', 'no']);
  await cbos.untilStatus('MORE', 'idle/waiting_input');
  const failed = await cbos.cli(['invoke', 'MORE', 'scene:fail', '--json']);
  expect(failed.code).toBe(1);
  const lines = failed.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { event: { type: string } });
  expect(lines.at(-1)?.event.type).toBe('result');
  const events = await cbos.cli(['events', 'MORE']);
  expect(events.stdout).toContain('❯ scene:permission please\n● I will write the marker file.\n');
});

test('a session does not cost more than allowed, except for the request that reaches the limit', async () => {
  await cbos.cli(['new', 'CHEAP', world.projectDir, '--type', 'json', '--max-budget-usd', '0.005']);
  const first = await cbos.cli(['invoke', 'CHEAP', 'scene:read please']);
  expect(first.code).toBe(1);
  expect(first.stderr).toContain('Reached maximum budget ($0.005)');
  const requests = world.apiEvents.length;
  const second = await cbos.cli(['invoke', 'CHEAP', 'scene:hello']);
  expect(second.code).toBe(4);
  expect(second.stderr).toContain('of its $0.005');
  expect(world.apiEvents).toHaveLength(requests);
});
