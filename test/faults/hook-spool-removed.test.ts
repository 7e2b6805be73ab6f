import { readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Delivery } from '../../src/protocol/index.ts';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import { waitFor } from '../harness/wait-for.ts';
import { logOf } from './harness/files.ts';

let world: ClaudeWorld;
let cbos: Cbos;
let spool: string;
beforeAll(async () => {
  world = await claudeWorld({ agent: 'stand-in' });
  cbos = await startCbos(world);
  spool = join(world.cbosHome, 'hooks');
  expect((await cbos.cli(['new', 'AUTH', '--cols', '100', '--rows', '30'])).code).toBe(0);
  await cbos.untilStatus('AUTH', 'idle/ready');
});
afterAll(() => world.dispose());

/** Expects that a text is delivered, that a hook reports its permission, and that the permission can be answered. */
async function worksByHooks(): Promise<void> {
  const sent = await cbos.call<Delivery>('POST', '/sessions/AUTH/send', { text: 'scene:permission' });
  expect(sent.error).toBeNull();
  expect(sent.body.status).toBe('delivered');
  await untilAsks();
  await answer();
}

/** Waits until the hook has reported the tool and the dialog is drawn. */
const untilAsks = () =>
  cbos.until('AUTH', ({ status: { question } }) => question?.tool != null && question.options.length === 3, 'asks');

async function answer(): Promise<void> {
  const answered = await cbos.cli(['answer', 'AUTH', 'yes']);
  expect(answered.stderr).toBe('');
  await cbos.untilStatus('AUTH', 'idle/waiting_input');
}

const untilRemade = (before: number) =>
  waitFor(() => statSync(spool, { throwIfNoEntry: false })?.birthtimeMs !== before && statSync(spool).isDirectory(), {
    describe: 'the spool is created again',
  });

test.each([
  ['removed', () => rmSync(spool, { recursive: true })],
  ['moved away', () => renameSync(spool, `${spool}.old`)],
])(
  'a hook spool that is %s while the server runs is created again, hooks work again, and the loss is reported',
  async (_, lose) => {
    await worksByHooks();
    const { birthtimeMs } = statSync(spool);
    lose();
    await untilRemade(birthtimeMs);
    expect(statSync(spool).mode & 0o777).toBe(0o700);
    await worksByHooks();
    const doctor = await cbos.cli(['doctor']);
    expect(doctor.stdout).toMatch(/hooks was removed while the server was running/);
    expect(logOf(world)).toContain('the hook spool was removed and recreated');
  },
);

test('a question that a session asks while its hooks are lost is seen on its screen, and answered', async () => {
  expect((await cbos.cli(['send', 'AUTH', 'scene:permission'])).code).toBe(0);
  await untilAsks();
  const { birthtimeMs } = statSync(spool);
  rmSync(spool, { recursive: true });
  await untilRemade(birthtimeMs);
  await cbos.until(
    'AUTH',
    ({ status }) => status.detail === 'permission' && status.because.source === 'screen',
    'is read from its screen',
  );
  await answer();
});

test('a gate that alone is removed while a text is typed is created again', async () => {
  const gate = (): string | undefined => readdirSync(spool).find((name) => name.startsWith('.gate.'));
  const sending = cbos.call<Delivery>('POST', '/sessions/AUTH/send', { text: `scene:hello ${'long '.repeat(4_000)}` });
  const name = await waitFor(gate, { describe: 'the turn is held' });
  rmSync(join(spool, name));
  await waitFor(() => gate() === name, { describe: 'it is held again' });
  expect((await sending).body.status).toBe('delivered');
  expect(gate()).toBeUndefined();
  await cbos.untilStatus('AUTH', 'idle/waiting_input');
});

test('the hooks of a session continue when its settings file is removed', async () => {
  rmSync(join(world.cbosHome, 'claude-hooks'), { recursive: true });
  await worksByHooks();
  // The next launch writes the file again.
  expect((await cbos.cli(['new', 'NEXT'])).code).toBe(0);
  expect(readdirSync(join(world.cbosHome, 'claude-hooks'))).toHaveLength(1);
  await cbos.untilStatus('NEXT', 'idle/ready');
});
