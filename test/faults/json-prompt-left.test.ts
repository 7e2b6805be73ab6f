import { closeSync, constants, openSync, readdirSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Session } from '../../src/protocol/index.ts';
import { waitFor } from '../harness/wait-for.ts';
import { type Machine, startMachine } from '../torture-fleet/machines.ts';

/** Fills the input of the machine's only agent with empty lines, until the agent reads again. */
function fillInput({ world }: Machine): void {
  const dir = join(world.cbosHome, 'json');
  const [input = ''] = readdirSync(dir).filter((name) => name.endsWith('.in'));
  const fifo = openSync(join(dir, input), constants.O_WRONLY | constants.O_NONBLOCK);
  try {
    for (;;) writeSync(fifo, '\n'.repeat(4_096));
  } catch (error) {
    expect((error as NodeJS.ErrnoException).code).toBe('EAGAIN');
  } finally {
    closeSync(fifo);
  }
}

test('a prompt that a killed server did not hand over does not stop a JSON session', async () => {
  const machine = await startMachine('desk');
  try {
    const send = (body: object) => machine.call('POST', '/sessions/ONE/send', body);
    expect((await send({ text: 'say 1' })).body).toMatchObject({ status: 'delivered' });
    const { pid } = (await machine.call<Session>('GET', '/sessions/ONE')).body;
    if (pid === null) throw new Error('the session has no agent');
    process.kill(pid, 'SIGSTOP');
    fillInput(machine);
    const cut = send({ text: 'say 2' }).catch(() => 'cut');
    await waitFor(() => machine.journal().get('say 2') === 'sent', {
      describe: 'the server begins to hand it over',
      timeoutMs: 110_000,
    });
    await machine.stop('SIGKILL');
    expect(await cut).toBe('cut');
    process.kill(pid, 'SIGCONT');
    await machine.startAgain();
    expect((await send({ text: 'say 3', queue: true })).error).toBeNull();
    await waitFor(() => machine.journal().get('say 3') === 'delivered', {
      describe: 'the next prompt is delivered',
      timeoutMs: 110_000,
    });
    await waitFor(() => machine.journal().get('say 2') === 'unknown', {
      describe: 'the outcome of the lost prompt is unknown',
      timeoutMs: 110_000,
    });
    expect(machine.witness().map(({ text }) => text)).toEqual(['say 1', 'say 3']);
  } finally {
    await machine.world.dispose();
  }
}, 600_000);
