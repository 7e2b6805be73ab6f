import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Conversation, Delivery, Session } from '../../src/protocol/index.ts';
import { toolResults } from '../harness/answering.ts';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import { isRunning, renameByUser, secondHome, socketsOf, startByHand } from './harness/sockets.ts';

let world: ClaudeWorld;
let other: ClaudeWorld;
let cbos: Cbos;
let neighbour: Cbos;
let theirs: Session;

beforeAll(async () => {
  world = await claudeWorld({ agent: 'stand-in' });
  other = secondHome(world);
  cbos = await startCbos(world);
  neighbour = await startCbos(other);
  await Promise.all([
    cbos.call('POST', '/sessions', { slug: 'WORK', type: 'screen', path: world.projectDir }),
    neighbour.call('POST', '/sessions', { slug: 'WORK', type: 'screen', path: world.projectDir }),
  ]);
  await cbos.untilStatus('WORK', 'idle/ready');
  theirs = await neighbour.untilStatus('WORK', 'idle/ready');
});
afterAll(() => world.dispose());

const slugs = async (server: Cbos): Promise<string[]> =>
  (await server.call<Session[]>('GET', '/sessions')).body.map((one) => one.slug);

test("neither home lists the other's sessions, even after a restart", async () => {
  expect(await slugs(cbos)).toEqual(['WORK']);
  expect(await slugs(neighbour)).toEqual(['WORK']);
  await cbos.stop('SIGKILL');
  cbos = await startCbos(world);
  await cbos.untilStatus('WORK', 'idle/ready');
  expect(await slugs(cbos)).toEqual(['WORK']);
});

test('each home answers the question of its own session by a reply, even after a restart while both ask', async () => {
  await cbos.call('POST', '/sessions/WORK/send', { text: 'scene:ask for mine' });
  await neighbour.call('POST', '/sessions/WORK/send', { text: 'scene:ask for theirs' });
  for (const server of [cbos, neighbour]) await server.untilStatus('WORK', 'waiting/question');
  await cbos.stop('SIGKILL');
  cbos = await startCbos(world);
  await cbos.untilStatus('WORK', 'waiting/question');
  const waits = ({ cbosHome }: ClaudeWorld): string[] => readdirSync(join(cbosHome, 'hooks', 'waits'));
  expect([waits(world).length, waits(other).length]).toEqual([1, 1]);
  expect((await cbos.call('POST', '/sessions/WORK/answer', { text: 'SQLite' })).error).toBeNull();
  await cbos.untilStatus('WORK', 'idle/waiting_input');
  expect([waits(world).length, waits(other).length]).toEqual([0, 1]);
  expect((await neighbour.call('POST', '/sessions/WORK/answer', { text: 'PostgreSQL' })).error).toBeNull();
  await neighbour.untilStatus('WORK', 'idle/waiting_input');
  expect(toolResults(world, 'for mine')).toEqual([expect.stringContaining('SQLite')]);
  expect(toolResults(world, 'for theirs')).toEqual([expect.stringContaining('PostgreSQL')]);
});

test("an adoption of the other's session is refused, and names the home that has it", async () => {
  const refused = await cbos.call('POST', '/sessions/adopt', { screen_id: theirs.screen_id, slug: 'MINE' });
  expect(refused).toMatchObject({ status: 409, error: { code: 'other_home' } });
  expect(refused.error?.hint).toContain(`CBOS_HOME=${other.cbosHome}`);
  expect(await slugs(cbos)).toEqual(['WORK']);
});

test("a rename by its user gives the other's session to nobody else", async () => {
  const id = await renameByUser(other, theirs.screen_id ?? '', 'moved');
  theirs = await neighbour.until('WORK', (one) => one.screen_id === id, 'is followed');
  expect((await cbos.call('POST', '/sessions/adopt', { screen_id: 'moved' })).error?.code).toBe('other_home');
  expect(await slugs(cbos)).toEqual(['WORK']);
});

test("a session that the other has adopted is not adopted again, and stays in the other's recording", async () => {
  const id = await startByHand(world, 'byhand');
  await neighbour.until('byhand', (one) => one.status.primary === 'idle', 'is idle');
  expect((await neighbour.cli(['adopt', id, 'TAKEN'])).code).toBe(0);
  const refused = await cbos.call('POST', '/sessions/adopt', { screen_id: id, slug: 'MINE' });
  expect(refused).toMatchObject({ status: 409, error: { code: 'other_home' } });
  expect(refused.error?.message).toContain(join(other.streamDir, 'TAKEN.typescript'));
  expect((await neighbour.cli(['rm', 'TAKEN', '--yes'])).code).toBe(0);
});

test("whatever one home ends, removes and watches, the other's sessions are left alone", async () => {
  await cbos.cli(['kill', 'WORK']);
  await cbos.cli(['rm', 'WORK', '--yes']);
  expect(socketsOf(world)).toEqual([theirs.screen_id]);
  expect(isRunning(theirs.pid ?? 0)).toBe(true);
  const doctor = await cbos.cli(['doctor']);
  expect(doctor.stdout).not.toMatch(/kill \d/);
  const sent = await neighbour.call<Delivery>('POST', '/sessions/WORK/send', { text: 'scene:hello' });
  expect(sent.body).toMatchObject({ status: 'delivered' });
});

test('a conversation that runs in the other home is not offered, and a request for it gets the name of that home', async () => {
  await neighbour.until('WORK', (one) => one.status.primary === 'idle', 'is done');
  const { claude_session_id: id } = await neighbour.session('WORK');
  const conversations = (await cbos.call<Conversation[]>('GET', '/conversations')).body;
  expect(conversations.map((one) => one.claude_session_id)).not.toContain(id);
  const refused = await cbos.call('POST', '/sessions/adopt', { resume: id, slug: 'MINE' });
  expect(refused).toMatchObject({ status: 409, error: { code: 'session_in_use' } });
  expect(refused.error?.hint).not.toMatch(/kill \d/);
  expect(refused.error?.hint).toContain(`CBOS_HOME=${other.cbosHome}`);
});
