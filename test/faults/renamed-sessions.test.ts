import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Delivery, Session } from '../../src/protocol/index.ts';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import { isRunning, renameByUser, socketsOf, startByHand } from './harness/sockets.ts';

let world: ClaudeWorld;
let cbos: Cbos;
let id: string;

beforeAll(async () => {
  world = await claudeWorld({ agent: 'stand-in' });
  cbos = await startCbos(world);
  await cbos.call('POST', '/sessions', { slug: 'WORK', type: 'screen', path: world.projectDir });
  id = (await cbos.untilStatus('WORK', 'idle/ready')).screen_id ?? '';
});
afterAll(() => world.dispose());

const listed = async (): Promise<Session[]> => (await cbos.call<Session[]>('GET', '/sessions')).body;

async function expectFollowed(): Promise<void> {
  await cbos.until('WORK', (one) => one.screen_id === id, `is known as ${id}`);
  expect((await listed()).map((one) => one.slug)).toEqual(['WORK']);
}

async function expectToTakeText(text: string): Promise<void> {
  expect((await cbos.call<Delivery>('POST', '/sessions/WORK/send', { text })).body).toMatchObject({
    status: 'delivered',
  });
  await cbos.until('WORK', (one) => one.status.primary === 'idle', 'is done');
}

test('a session that its user renames in Screen keeps its slug, is followed and accepts texts', async () => {
  id = await renameByUser(world, id, 'mine');
  await expectToTakeText('scene:hello one');
  await expectFollowed();
});

test('even while no server ran', async () => {
  await cbos.stop('SIGKILL');
  id = await renameByUser(world, id, 'two words');
  cbos = await startCbos(world);
  await expectFollowed();
  await expectToTakeText('scene:hello two');
});

test('it cannot be adopted under its new name', async () => {
  for (const name of [id, 'two words']) {
    const refused = await cbos.call('POST', '/sessions/adopt', { screen_id: name, slug: 'TWICE' });
    expect(refused).toMatchObject({ status: 409, error: { code: 'already_adopted' } });
    expect(refused.error?.message).toContain('WORK');
  }
  expect((await listed()).map((one) => one.slug)).toEqual(['WORK']);
});

test('it gets a new slug', async () => {
  expect((await cbos.cli(['rename', 'WORK', 'NAMED'])).code).toBe(0);
  id = `${Number.parseInt(id, 10)}.NAMED`;
  expect(socketsOf(world)).toEqual([id]);
  expect(await cbos.session('NAMED')).toMatchObject({ screen_id: id });
});

test('one that is only observed, and one that was adopted, are followed in the same way', async () => {
  let theirs = await startByHand(world, 'theirs');
  await cbos.until('theirs', (one) => one.status.primary === 'idle', 'is idle');
  theirs = await renameByUser(world, theirs, 'changed');
  await cbos.until('theirs', (one) => one.screen_id === theirs, 'is followed');
  expect((await cbos.cli(['adopt', theirs, 'TAKEN'])).code).toBe(0);
  theirs = await renameByUser(world, theirs, 'again');
  await cbos.until('TAKEN', (one) => one.screen_id === theirs, 'is followed');
  expect((await listed()).map((one) => one.slug)).toEqual(['NAMED', 'TAKEN']);
});

test('the end of one session ends only that one, whatever it was called', async () => {
  const [named, taken] = await Promise.all([cbos.session('NAMED'), cbos.session('TAKEN')]);
  await renameByUser(world, id, 'last');
  expect((await cbos.cli(['kill', 'NAMED'])).code).toBe(0);
  expect(isRunning(named.pid ?? 0)).toBe(false);
  expect(isRunning(taken.pid ?? 0)).toBe(true);
  expect(socketsOf(world)).toEqual([taken.screen_id]);
});
