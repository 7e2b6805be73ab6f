import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Delivery, Session, StashedResponse } from '../../src/protocol/index.ts';
import { runCbos, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import { mountSmallDisk, type SmallDisk } from './harness/disk.ts';

let world: ClaudeWorld;
let disk: SmallDisk | null;
beforeEach(async () => {
  world = await claudeWorld({ agent: 'stand-in' });
  disk = mountSmallDisk(world, world.cbosHome, '3m');
});
afterEach(() => world.dispose());

/** Changes the database of a home without a running server. */
function inDatabase(sql: string): void {
  const database = new DatabaseSync(join(world.cbosHome, 'cbos.db'));
  database.exec(sql);
  database.close();
}

const NO_ROOM = expect.objectContaining({
  code: 1,
  stderr: expect.stringContaining('disk that holds the home directory'),
});

test('a server that was killed on a full home starts again, shows what it had shown, and continues when there is room', async (context) => {
  if (disk === null) return context.skip('nothing may be mounted here');
  let cbos = await startCbos(world);
  expect((await cbos.cli(['new', 'AUTH', '--cols', '100', '--rows', '30'])).code).toBe(0);
  expect((await cbos.cli(['new', 'J', '--type', 'json'])).code).toBe(0);
  await cbos.untilStatus('AUTH', 'idle/ready');
  const sent = await cbos.call<Delivery>('POST', '/sessions/AUTH/send', { text: 'scene:permission' });
  expect(sent.body.status).toBe('delivered');
  await cbos.untilStatus('AUTH', 'waiting/permission');
  expect((await cbos.call('POST', '/stash', { session_slug: 'J', response: 'later' })).error).toBe(null);
  await cbos.stop('SIGKILL');
  // A text that a former server had typed but not seen confirmed.
  inDatabase("UPDATE deliveries SET status = 'sent', phase = 'entering'");
  disk.fill();

  // The first start must not use up room that the second one needs.
  for (const time of [1, 2]) {
    cbos = await startCbos(world);
    expect((await cbos.call<Session[]>('GET', '/sessions')).body.map(({ slug }) => slug).sort()).toEqual(['AUTH', 'J']);
    const asking = await cbos.untilStatus('AUTH', 'waiting/permission');
    expect(asking.claude_session_id, `start ${time}`).not.toBe(null);
    expect((await cbos.call<StashedResponse[]>('GET', '/stash')).body).toHaveLength(1);
    // The note reports that the server is looking for the text, although this could not be saved.
    const [delivery] = (await cbos.call<Delivery[]>('GET', '/sessions/AUTH/deliveries')).body;
    expect(delivery).toMatchObject({ status: 'sent', note: expect.any(String) });
    if (time === 1) await cbos.stop('SIGKILL');
  }
  // The server does nothing that it cannot save. A reply to a waiting hook needs no disk space.
  expect(await cbos.cli(['send', 'J', 'scene:hello'])).toEqual(NO_ROOM);
  expect(await cbos.cli(['answer', 'AUTH', 'yes'])).toMatchObject({ code: 0 });

  disk.free();
  await cbos.untilStatus('AUTH', 'idle/waiting_input');
  expect(await cbos.cli(['send', 'AUTH', 'scene:hello'])).toMatchObject({ code: 0 });
  expect(await cbos.cli(['send', 'J', 'scene:hello'])).toMatchObject({ code: 0 });
  await cbos.untilStatus('J', 'idle/waiting_input');
});

test('up, down and the doctor work on a full home; a new home on a full disk is refused in one line', async (context) => {
  if (disk === null) return context.skip('nothing may be mounted here');
  const env = { CBOS_PORT: String(await world.freePort()) };
  const cbos = await startCbos(world, env);
  expect((await cbos.cli(['new', 'J', '--type', 'json'])).code).toBe(0);
  await cbos.stop();
  disk.fill();
  const run = (...args: string[]) => runCbos(world, args, { env });

  expect(await run('up')).toMatchObject({ code: 0, stdout: expect.stringContaining(env.CBOS_PORT) });
  expect(await run('up')).toMatchObject({ code: 0, stdout: expect.stringContaining('it was already running') });
  expect((await run('ls')).stdout).toMatch(/\bJ\b/);
  expect((await run('doctor')).stdout).toMatch(/✓ Server: /);
  expect(await run('down')).toMatchObject({ code: 0, stdout: expect.stringContaining('stopped') });
  expect(await run('down')).toMatchObject({ code: 0, stdout: expect.stringContaining("CBOS isn't running") });

  const fresh = { ...env, CBOS_HOME: join(world.cbosHome, 'fresh') };
  for (const command of ['up', 'serve']) {
    const refused = await runCbos(world, [command], { env: fresh });
    expect(refused.stderr).toMatch(/disk that holds the home directory/);
    expect(
      refused.stderr
        .trim()
        .split('\n')
        .filter((line) => !line.includes('starting')),
      command,
    ).toHaveLength(1);
    expect(refused.code).toBe(1);
  }
});
