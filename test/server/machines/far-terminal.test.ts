import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectLocally } from '../../../src/cli/connect-locally.ts';
import { type Caller, createKeySender, followTerminal, withRemoteNames } from '../../../src/client/index.ts';
import { MAX_LAG_BYTES } from '../../../src/core/stream/index.ts';
import type { CatalogueError, TerminalPart } from '../../../src/protocol/index.ts';
import type { CuttingProxy } from '../../harness/cutting-proxy.ts';
import {
  connectThroughLink,
  found,
  hasNatsServer,
  invite,
  joinFleet,
  type MachineUnderTest,
  startMachine,
  stopMachines,
  untilConnected,
} from '../../harness/fleet.ts';
import { waitFor } from '../../harness/wait-for.ts';

let desk: MachineUnderTest;
let laptop: MachineUnderTest;
let guest: MachineUnderTest;
/** the laptop's link to NATS */
let link: CuttingProxy;

const callerOf = ({ world }: MachineUnderTest): Caller =>
  withRemoteNames(connectLocally(`${world.cbosHome}/cbos.sock`, async () => undefined));

/** Follows a terminal of the desk. */
function follow(machine: MachineUnderTest, slug: string, onPart: (part: TerminalPart) => Promise<void> | void) {
  let isLeft = false;
  const losses: string[] = [];
  const ended = followTerminal({
    ...{ client: callerOf(machine), slug: `desk/${slug}`, isLeft: () => isLeft, onPart },
    pause: (ms) => delay(Math.min(ms, 50)),
    onLost: ({ code }) => void losses.push(code),
  });
  // A failure is reported where the test waits for it.
  ended.catch(() => undefined);
  return {
    losses,
    ended,
    leave: async () => {
      isLeft = true;
      return ended;
    },
  };
}

describe.skipIf(!hasNatsServer)('a terminal over the fleet', () => {
  beforeAll(async () => {
    [desk, laptop, guest] = await Promise.all([startMachine('desk'), startMachine('laptop'), startMachine('guest')]);
    await found(desk);
    await desk.call('/fleet/allow', { method: 'PUT', body: { rights: ['see', 'type'] } });
    await joinFleet(laptop, await invite(desk, ['see', 'type', 'launch']), ['see']);
    await joinFleet(guest, await invite(desk, ['see']), ['see']);
    link = await connectThroughLink(laptop, desk);
  }, 60_000);
  afterAll(async () => {
    await link?.[Symbol.asyncDispose]();
    await stopMachines(guest, laptop, desk);
  });

  test('no byte is lost or comes twice while the link is cut and delayed, and each loss is reported', async () => {
    const recording = desk.sessions.add('BUSY');
    recording.write('begin');
    let expected: number | null = null;
    let text = '';
    const faults: string[] = [];
    const following = follow(laptop, 'BUSY', ({ data, offset, snapshot }) => {
      if (!snapshot) {
        const bytes = readFileSync(recording.file()).subarray(expected ?? 0, offset);
        if (bytes.toString() !== data) faults.push(`${expected}-${offset}: ${JSON.stringify(data)}`);
        text += data;
      }
      expected = offset;
    });
    await waitFor(() => expected !== null, { describe: 'the screen came' });
    let written = '';
    for (let round = 0; round < 6; round++) {
      for (let line = 0; line < 20; line++) {
        const said = `round ${round} line ${line} ✻é\r\n`;
        written += said;
        recording.write(said);
        await delay(2);
      }
      if (round % 2 === 0) link.cut();
      else link.hold(400);
      const losses = following.losses.length;
      await waitFor(() => round % 2 !== 0 || following.losses.length > losses, { describe: 'the loss is reported' });
    }
    await waitFor(() => expected === recording.end(), { describe: 'all has come', actual: () => following.losses });
    expect(faults).toEqual([]);
    expect(text).toBe(written);
    expect(following.losses.every((code) => code === 'machine_unreachable')).toBe(true);
    expect(await following.leave()).toBe('left');
    await waitFor(() => recording.listeners() === 0, { describe: 'nothing of it is left at the owner' });
  });

  test('a slow client fills memory nowhere: it gets the screen instead of what it missed', async () => {
    const recording = desk.sessions.add('FLOOD');
    let open = (): void => undefined;
    const room = new Promise<void>((resolve) => {
      open = resolve;
    });
    const parts: TerminalPart[] = [];
    const following = follow(laptop, 'FLOOD', (part) => {
      parts.push(part);
      return parts.length === 1 ? room : undefined;
    });
    await waitFor(() => parts.length === 1, { describe: 'the screen came' });
    for (let piece = 0; piece < 40; piece++) recording.write('flood '.repeat(50_000));
    recording.write('the end');
    // While the client does not read, nobody asks, and nobody keeps anything for it.
    expect(recording.listeners()).toBe(0);
    open();
    await waitFor(() => parts.at(-1)?.offset === recording.end(), { describe: 'the client has caught up' });
    expect(parts[1]).toMatchObject({ snapshot: true });
    expect(parts.reduce((sum, { data }) => sum + data.length, 0)).toBeLessThan(MAX_LAG_BYTES);
    expect(parts.map(({ data }) => data).join('')).toContain('the end');
    await following.leave();
  });

  test('keys arrive in order and at most once while the link is cut, and none is kept for later', async () => {
    desk.sessions.add('TYPED');
    desk.sessions.typed.delete('TYPED');
    const failures: (string | null)[] = [];
    const fail = (error: CatalogueError | null): void => void failures.push(error?.code ?? null);
    const broken: unknown[] = [];
    const sender = createKeySender({
      ...{ client: callerOf(laptop), slug: 'desk/TYPED', onFailed: fail },
      onBroken: (error) => void broken.push(error),
    });
    const typed = () => desk.sessions.typed.get('TYPED') ?? '';
    let count = 0;
    const type = (): void => sender.type(`<${count++}>`);
    for (let round = 0; round < 4; round++) {
      const arrived = typed();
      await waitFor(
        () => {
          type();
          return typed() !== arrived;
        },
        { describe: 'keys arrive', actual: () => failures },
      );
      for (let key = 0; key < 10; key++) {
        type();
        await delay(3);
      }
      link.cut();
      const before = failures.length;
      await waitFor(
        () => {
          type();
          return failures.length > before;
        },
        { describe: 'the loss is reported to the person who types' },
      );
      await untilConnected(laptop);
    }
    const numbers = [...typed().matchAll(/<(\d+)>/g)].map(([, number]) => Number(number));
    expect(numbers).toEqual([...new Set(numbers)].toSorted((one, other) => one - other));
    expect(numbers.length).toBeGreaterThanOrEqual(4);
    expect(numbers.length).toBeLessThan(count);
    expect(broken).toEqual([]);
    sender.type('x'.repeat(1_000_001));
    expect(failures.at(-1)).toBeNull();
  });

  test('the owner decides who may see, type, resize and wake, whatever the asker believes', async () => {
    desk.sessions.add('MINE', { cols: 80, rows: 24 }).write('secret');
    desk.sessions.typed.delete('MINE');
    for (const [route, body] of [
      ['keys', { keys: 'rm -rf /\r' }],
      ['resize', { cols: 100, rows: 30 }],
      ['wakeSession', undefined],
    ] as const) {
      const refused = await guest.ask('desk', route, 'MINE', body);
      expect({ route, code: refused.code() }).toEqual({ route, code: 'not_allowed_there' });
    }
    expect(desk.sessions.typed.get('MINE')).toBeUndefined();
    expect(desk.sessions.get('MINE')).toMatchObject({ cols: 80, rows: 24 });
    // The laptop was invited with the right to launch, but the desk does not allow it.
    expect((await laptop.ask('desk', 'wakeSession', 'MINE')).code()).toBe('not_allowed_there');
    expect((await laptop.ask('desk', 'resize', 'MINE', { cols: 100, rows: 30 })).status).toBe(200);
    expect((await guest.ask('desk', 'terminal', 'MINE')).json()).toMatchObject({
      value: { snapshot: true, data: 'secret', cols: 100, rows: 30 },
    });

    // An answer that no message can carry is refused, instead of failing at the owner.
    const { buffer } = desk.sessions;
    desk.sessions.buffer = async () => ({ buffer: 'x'.repeat(9_000_000), lines: 1, cols: 80, rows: 24, offset: 0 });
    expect((await guest.ask('desk', 'buffer', 'MINE')).code()).toBe('not_over_fleet');
    desk.sessions.buffer = buffer;

    const following = follow(guest, 'MINE', () => undefined);
    await desk.call('/fleet/allow', { method: 'PUT', body: { rights: [] } });
    await expect(following.ended).rejects.toMatchObject({ code: 'not_allowed_there' });
    await desk.call('/fleet/allow', { method: 'PUT', body: { rights: ['see', 'type'] } });
  });
});
