import { readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Session } from '../../src/protocol/index.ts';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import { startForeign } from '../harness/foreign-screen.ts';
import { type JsonSessions, jsonSessions } from '../harness/json-session.ts';
import { waitFor } from '../harness/wait-for.ts';
import { logOf } from './harness/files.ts';
import { recordingOf } from './harness/recordings.ts';

let world: ClaudeWorld;
let cbos: Cbos;
let json: JsonSessions;
let before: Session[];
const list = async (): Promise<Session[]> => (await cbos.call<Session[]>('GET', '/sessions')).body;

beforeAll(async () => {
  world = await claudeWorld({ agent: 'stand-in' });
  cbos = await startCbos(world);
  await startForeign(world, 'theirs');
  await startForeign(world, 'mine');
  expect((await cbos.cli(['new', 'AUTH', '--cols', '100', '--rows', '30', '--model', 'opus'])).code).toBe(0);
  json = jsonSessions(world, () => cbos);
  for (const slug of ['CHAT', 'ASKS', 'GONE']) await json.create(slug, { permission_mode: 'default' });
  expect((await cbos.cli(['rm', '--yes', 'GONE'])).code).toBe(0);
  await json.invoke('ASKS', 'scene:permission');
  expect((await cbos.call('POST', '/sessions/CHAT/send', { text: 'scene:hello chat' })).error).toBeNull();
  await waitFor(async () => (await list()).length === 5, { describe: 'all are listed' });
  await cbos.untilStatus('ASKS', 'waiting/permission');
  await cbos.untilStatus('CHAT', 'idle/waiting_input');
  for (const slug of ['AUTH', 'mine', 'theirs'])
    await cbos.until(slug, (one) => one.status.primary === 'idle' && one.claude_session_id !== null, 'is idle');
  expect((await cbos.cli(['adopt', 'mine', 'OURS'])).code).toBe(0);
  before = await list();

  await cbos.stop('SIGKILL');
  for (const ending of ['', '-wal', '-shm']) rmSync(join(world.cbosHome, `cbos.db${ending}`), { force: true });
  cbos = await startCbos(world);
});
afterAll(() => world.dispose());

test('sessions that the database has lost are listed again as they were: launched, adopted and observed ones, and JSON sessions', async () => {
  const facts = ({ slug, path, adopted, screen_id, pid, model, claude_session_id, cols, rows }: Session) =>
    [slug, path, adopted, screen_id, pid, model, claude_session_id, cols, rows].join(' ');
  await waitFor(async () => (await list()).map(facts).sort().join() === before.map(facts).sort().join(), {
    describe: 'they are as before',
    actual: async () => ({ before: before.map(facts), now: (await list()).map(facts) }),
  });
  expect(logOf(world)).toContain('AUTH');
});

test('their recordings continue, and their hooks, questions and texts work', async () => {
  const { ino, size } = statSync(recordingOf(world, 'AUTH'));
  for (const slug of ['AUTH', 'OURS']) {
    expect((await cbos.call('POST', `/sessions/${slug}/send`, { text: 'scene:permission' })).error).toBeNull();
    const asks = await cbos.until(
      slug,
      ({ status }) => status.primary === 'waiting' && status.question?.options.length === 3,
      'asks',
    );
    if (slug === 'AUTH') expect(asks.status.question?.tool).not.toBeNull();
    expect((await cbos.call('POST', `/sessions/${slug}/answer`, { choice: 'yes' })).error).toBeNull();
    await cbos.until(slug, (one) => one.status.primary === 'idle', 'is done');
  }
  expect(statSync(recordingOf(world, 'AUTH')).ino).toBe(ino);
  expect(statSync(recordingOf(world, 'AUTH')).size).toBeGreaterThan(size);
  expect(readFileSync(recordingOf(world, 'OURS'), 'utf8')).toContain('proceed');
});

test('a JSON session asks the same question, and continues its conversation', async () => {
  const asked = await cbos.untilStatus('ASKS', 'waiting/permission');
  expect(asked.status.question?.tool?.name).toBe('Bash');
  expect((await json.answer('ASKS', { choice: 'yes' })).error).toBeNull();
  await cbos.untilStatus('ASKS', 'idle/waiting_input');
  const { claude_session_id } = await cbos.session('CHAT');
  expect((await cbos.call('POST', '/sessions/CHAT/send', { text: 'scene:hello again' })).error).toBeNull();
  expect((await cbos.untilStatus('CHAT', 'idle/waiting_input')).claude_session_id).toBe(claude_session_id);
  expect(world.promptsReceived().filter((prompt) => prompt === 'scene:hello again')).toHaveLength(1);
});

test('the start and the doctor report how many were listed again', async () => {
  expect((await cbos.cli(['up'])).stderr).toMatch(/the database lacked 4 sessions .*: ASKS, AUTH, CHAT, OURS/);
  expect((await cbos.cli(['doctor'])).stdout).toMatch(/Database: .* lacked 4 sessions .*: ASKS, AUTH, CHAT, OURS/);
});

test('a session that is removed afterwards stays removed', async () => {
  expect((await cbos.cli(['rm', '--yes', 'AUTH', 'CHAT'])).code).toBe(0);
  await cbos.stop('SIGTERM');
  cbos = await startCbos(world);
  expect((await list()).map(({ slug }) => slug).sort()).toEqual(['ASKS', 'OURS', 'theirs']);
});
