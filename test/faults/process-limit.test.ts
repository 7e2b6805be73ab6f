import { expect, test } from 'vitest';
import type { Delivery, Session } from '../../src/protocol/index.ts';
import { startCbos } from '../harness/cbos.ts';
import { claudeWorld } from '../harness/claude.ts';
import { makeLimitedGroup } from './harness/cgroups.ts';

test('if no further process can start, each command reports it and leaves nothing half done; the rest works, and everything works afterwards', async ({
  skip,
}) => {
  await using world = await claudeWorld({ agent: 'stand-in' });
  const group = makeLimitedGroup(world, 'pids');
  if (group === null) return skip('no control group may be made here');
  const cbos = await startCbos(world);
  const create = (slug: string, type: 'screen' | 'json') =>
    cbos.call<Session>('POST', '/sessions', { slug, type, path: world.projectDir });
  const post = <T>(path: string, body?: object) => cbos.call<T>('POST', `/sessions/${path}`, body);
  expect((await create('RUNS', 'screen')).error).toBeNull();
  expect((await create('ENDS', 'screen')).error).toBeNull();
  await cbos.untilStatus('RUNS', 'idle/ready');
  await cbos.untilStatus('ENDS', 'idle/ready');
  group.add(cbos.pid);
  group.limit(1);

  const refused = [
    await create('NEW', 'screen'),
    await post('RUNS/send', { text: 'scene:hello refused', idempotency_key: 'one' }),
    await post('RUNS/resize', { cols: 100, rows: 30 }),
    await cbos.call('PATCH', '/sessions/RUNS', { slug: 'RENAMED' }),
  ];
  expect(refused.map(({ status, error }) => [status, error?.code])).toEqual(refused.map(() => [503, 'process_limit']));
  expect(refused[0]?.error?.hint).toContain('ulimit -u');
  // A JSON session needs a process only with its first prompt.
  expect((await create('JSON', 'json')).error).toBeNull();
  expect((await post('JSON/send', { text: 'scene:hello refused' })).error?.code).toBe('process_limit');
  expect((await post('ENDS/kill')).status).toBe(200);
  const listed = (await cbos.call<Session[]>('GET', '/sessions')).body;
  expect(listed.map(({ slug, state }) => `${slug} ${state}`)).toEqual(['RUNS idle', 'ENDS dead', 'JSON idle']);
  expect((await cbos.call<Delivery[]>('GET', '/sessions/RUNS/deliveries')).body).toMatchObject([
    { status: 'failed', note: 'The system does not allow another process to start' },
  ]);

  group.limit(null);
  for (const slug of ['RUNS', 'JSON']) {
    expect((await post<Delivery>(`${slug}/send`, { text: `scene:hello ${slug}` })).body.status).toBe('delivered');
    await cbos.untilStatus(slug, 'idle/waiting_input');
  }
  expect((await create('NEW', 'screen')).error).toBeNull();
  expect(world.promptsReceived().sort()).toEqual(['scene:hello JSON', 'scene:hello RUNS']);
});
