import { spawn } from 'node:child_process';
import { rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Conversation, Session } from '../../src/protocol/index.ts';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import { type JsonSessions, jsonSessions } from '../harness/json-session.ts';
import { waitFor } from '../harness/wait-for.ts';

const STREAM = ['--output-format', 'stream-json', '--verbose'];

let world: ClaudeWorld;
let cbos: Cbos;
let json: JsonSessions;
beforeAll(async () => {
  world = await claudeWorld({ agent: 'stand-in' });
  cbos = await startCbos(world);
  json = jsonSessions(world, () => cbos);
});
afterAll(() => world.dispose());

const wasTold = (text: string): boolean =>
  JSON.stringify(world.apiEvents.findLast((event) => event.kind === 'request' && event.scene !== null)).includes(text);

test('if a session cannot continue without its terminal, the end of the terminal is reported', async () => {
  await using elsewhere = await claudeWorld({ agent: 'stand-in' });
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
