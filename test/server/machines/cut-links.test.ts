import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Session } from '../../../src/protocol/index.ts';
import { type CuttingProxy, startCuttingProxy } from '../../harness/cutting-proxy.ts';
import {
  found,
  hasNatsServer,
  invite,
  joinFleet,
  type MachineUnderTest,
  membershipOf,
  natsPid,
  startMachine,
  untilConnected,
} from '../../harness/fleet.ts';
import { asking, DONE } from '../../harness/some-sessions.ts';
import { createRandom, seedOf } from '../../torture/random.ts';

/**
 * `npm test` runs some operations, `npm run torture-fleet` 2,000. The sessions are in memory. The servers, NATS, and
 * the links are real.
 */
const OPERATIONS = Number(process.env.FLEET_OPS ?? 60);
const SEED = seedOf(process.env, 55);
/** How many requests are in progress at once. */
const AT_ONCE = 4;
/** One operation in this many comes with a fault. */
const FAULT_EVERY = 10;
/** The tolerance for ages. Their clock has steps of 10 ms, and a row is read some time after the request. */
const TOLERANCE_MS = 100;

type Kind = 'send' | 'answer';
interface Asked {
  kind: Kind;
  mark: string;
  owner: string;
  slug: string;
  /** the outcome that the asker learned: done, certainly not done, or unknown */
  told: 'done' | 'refused' | 'unknown';
}

test.skipIf(!hasNatsServer)(
  'nothing is lost, doubled or done elsewhere, and no row is older than its age, while links, NATS and owners fail',
  async () => {
    const random = createRandom(SEED);
    const pick = <T>(from: readonly T[]): T => random.pick(from as readonly [T, ...T[]]);
    const machines = await Promise.all(['desk', 'laptop', 'tower'].map((name) => startMachine(name)));
    const [desk, ...others] = machines as [MachineUnderTest, ...MachineUnderTest[]];
    const proxies: CuttingProxy[] = [];
    try {
      const rights = ['see', 'answer', 'type'] as const;
      await found(desk);
      await desk.call('/fleet/allow', { method: 'PUT', body: { rights } });
      for (const machine of others) {
        await joinFleet(machine, await invite(desk, rights), rights);
        const proxy = await startCuttingProxy(membershipOf(desk).port);
        proxies.push(proxy);
        await throughPort(machine, proxy.port);
      }
      for (const { sessions, name } of machines) {
        sessions.add('ASKS', asking({ id: `${name}-0` }));
        sessions.add('READY', DONE);
        sessions.add('COUNT', { path: '/0' });
      }

      const asked: Asked[] = [];
      const lies: string[] = [];
      const written = new Map(machines.map(({ name }) => [name, [{ at: performance.now(), count: 0 }]]));
      const busy = new Set<string>();
      let restarts = Promise.resolve();

      const countUp = ({ name, sessions }: MachineUnderTest): void => {
        const log = written.get(name) ?? [];
        const count = log.length;
        sessions.change('COUNT', { path: `/${count}` });
        log.push({ at: performance.now(), count });
      };
      const lookForLies = async (asker: MachineUnderTest, owner: MachineUnderTest): Promise<void> => {
        const before = performance.now();
        const seen = await asker.sees(owner.name).catch(() => null);
        const row = seen?.sessions.find(({ slug }: Session) => slug === 'COUNT');
        if (seen?.age_ms == null || row === undefined) return;
        const since = before - seen.age_ms - TOLERANCE_MS;
        const then = written.get(owner.name)?.findLast(({ at }) => at <= since)?.count ?? 0;
        const shown = Number(row.path?.slice(1));
        if (shown < then)
          lies.push(`${asker.name} shows ${shown} of ${owner.name}, ${seen.age_ms} ms old: it was ${then}`);
      };
      const operate = async (index: number): Promise<void> => {
        const asker = pick(machines);
        const owner = pick(machines.filter((one) => one !== asker));
        countUp(owner);
        if (random.next() < 0.3) return lookForLies(asker, owner);
        const kind: Kind = random.next() < 0.5 ? 'send' : 'answer';
        const slug = kind === 'send' ? 'READY' : 'ASKS';
        const mark = `${owner.name} ${slug} ${index}`;
        const body = kind === 'send' ? { text: mark } : { choice: 'yes', question_id: mark };
        if (kind === 'answer') owner.sessions.change('ASKS', asking({ id: mark }));
        const { status, code } = await asker
          .ask(owner.name, kind, slug, body)
          .then((answer) => ({ status: answer.status, code: answer.status === 200 ? '' : answer.code() }))
          .catch(() => ({ status: 0, code: 'the asker itself was stopped' }));
        const isUnknown = status === 0 || code === 'machine_silent' || code === 'no_server';
        asked.push({
          kind,
          mark,
          owner: owner.name,
          slug,
          told: status === 200 ? 'done' : isUnknown ? 'unknown' : 'refused',
        });
      };
      const fail = (): void => {
        const [first, second] = proxies as [CuttingProxy, CuttingProxy];
        const what = pick(['cut', 'hold', 'cut both', 'kill nats', 'stop owner'] as const);
        if (what === 'cut') pick(proxies).cut();
        else if (what === 'hold') pick(proxies).hold(1_500);
        else if (what === 'cut both') {
          first.cut();
          second.cut();
        } else if (what === 'kill nats') killNats(desk);
        else {
          const owner = pick(others);
          if (busy.has(owner.name)) return;
          busy.add(owner.name);
          restarts = restarts.then(async () => {
            await owner.stop();
            // Other machines cannot know this change, so they must show the row as old.
            countUp(owner);
            await delay(3 * TOLERANCE_MS);
            await lookForLies(desk, owner);
            await owner.startAgain();
            busy.delete(owner.name);
          });
        }
      };

      let next = 0;
      const work = async (): Promise<void> => {
        while (next < OPERATIONS) {
          const index = next++;
          if (index % FAULT_EVERY === FAULT_EVERY - 1) fail();
          await operate(index);
          // Without a pause, all operations would hit the same fault.
          await delay(20);
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, work));
      await restarts;
      for (const machine of machines) await untilConnected(machine);
      for (const asker of machines) for (const owner of machines) if (asker !== owner) await lookForLies(asker, owner);

      const faults = asked.flatMap(({ kind, mark, owner, slug, told }) => {
        const machine = machines.find(({ name }) => name === owner);
        const done =
          kind === 'send'
            ? machine?.sessions.deliveries(slug).filter(({ text }) => text === mark).length
            : machine?.sessions.answers.filter(({ question_id: id }) => id === mark).length;
        const isRight = told === 'done' ? done === 1 : told === 'refused' ? done === 0 : (done ?? 2) <= 1;
        return isRight ? [] : [`${kind} ${mark}: told ${told}, done ${done} times`];
      });
      for (const { name, sessions } of machines) {
        for (const { slug } of sessions.list()) {
          for (const { text } of sessions.deliveries(slug)) {
            if (!text.startsWith(`${name} ${slug} `)) faults.push(`${name}/${slug} got ${text}`);
          }
        }
        for (const { question_id: id } of sessions.answers) {
          if (id?.startsWith(`${name} ASKS `) !== true) faults.push(`${name} took an answer to ${id}`);
        }
      }
      const count = (told: Asked['told']): number => asked.filter((one) => one.told === told).length;
      process.stdout.write(
        `FLEET_OPS=${OPERATIONS} seed ${SEED}: ${count('done')} done, ${count('refused')} refused, ${count('unknown')} not known\n`,
      );
      expect([...faults, ...lies], `seed ${SEED}`).toEqual([]);
      // Otherwise the test would prove nothing.
      expect(count('done')).toBeGreaterThan(OPERATIONS / 10);
    } finally {
      for (const proxy of proxies) await proxy[Symbol.asyncDispose]();
      for (const machine of machines.toReversed()) await machine[Symbol.asyncDispose]();
    }
  },
  3_600_000,
);

/** Lets a machine reach the fleet's NATS server through another port. */
async function throughPort(machine: MachineUnderTest, port: number): Promise<void> {
  await machine.stop();
  const file = join(machine.world.cbosHome, 'fleet/machine.json');
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), port }));
  await machine.startAgain();
  await untilConnected(machine);
}

function killNats(desk: MachineUnderTest): void {
  try {
    process.kill(natsPid(desk), 'SIGKILL');
  } catch {
    // The NATS server was just killed, and the founder has not restarted it yet.
  }
}
