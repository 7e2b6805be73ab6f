import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import { waitFor } from '../harness/wait-for.ts';
import { recordingOf } from './harness/recordings.ts';
import { socketsOf } from './harness/sockets.ts';

let world: ClaudeWorld;
let cbos: Cbos;
let claudePid: number;
beforeAll(async () => {
  world = await claudeWorld({ agent: 'stand-in' });
  cbos = await startCbos(world);
  expect((await cbos.cli(['new', 'AUTH', '--cols', '100', '--rows', '30'])).code).toBe(0);
  const { pid } = await cbos.until('AUTH', (one) => one.status.primary === 'idle', 'is idle');
  if (pid === null) throw new Error('AUTH has no process');
  claudePid = pid;
});
afterAll(async () => {
  process.kill(claudePid, 'SIGCONT');
  await world.dispose();
});

/** Reports whether anybody is attached. Screen shows that by the mode of the socket. */
const isAttached = (): boolean =>
  socketsOf(world).some((id) => (statSync(join(world.screenDir, id)).mode & 0o100) !== 0);

/**
 * Kills the server while its hidden terminal is attached. Claude Code is stopped, because its next output would end
 * the terminal.
 */
async function killAttached(): Promise<void> {
  process.kill(claudePid, 'SIGSTOP');
  for (let cols = 90; ; cols += 1) {
    const resizing = cbos.call('POST', '/sessions/AUTH/resize', { cols, rows: 30 }).catch(() => null);
    await waitFor(() => isAttached(), { describe: 'a terminal is attached' });
    await cbos.stop('SIGKILL');
    await resizing;
    // The server may have been about to detach the terminal.
    await delay(200);
    if (isAttached()) return;
    cbos = await startCbos(world);
  }
}

describe('a server that is killed while it changes the size of a session', () => {
  test('leaves no key in the session, and its successor detaches the hidden terminal', async () => {
    await killAttached();
    cbos = await startCbos(world);
    await waitFor(() => !isAttached(), { describe: 'no terminal is attached' });
    process.kill(claudePid, 'SIGCONT');
    const sent = await cbos.call('POST', '/sessions/AUTH/send', { text: 'what is one and one?' });
    expect(sent.error).toBeNull();
    await cbos.until('AUTH', (one) => one.status.primary === 'idle', 'has answered');
    // The text that Claude Code shows after a first Ctrl-D.
    expect(readFileSync(recordingOf(world, 'AUTH'), 'utf8')).not.toContain('Press Ctrl-D again');
  });
});
