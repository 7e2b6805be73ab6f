import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { z } from 'zod';
import { findOnPath } from '../../scripts/setup/system-programs.mjs';
import type { FleetView, Invitation, MachineSessions, Right } from '../../src/protocol/index.ts';
import { placeOf } from '../../src/server/machines/membership.ts';
import { type CuttingProxy, startCuttingProxy } from './cutting-proxy.ts';
import { type Answered, type FacesUnderTest, type StartOptions, startFaces } from './faces.ts';
import { waitFor } from './wait-for.ts';

/** Whether the fleet tests can run. Setup installs nats-server if that needs no password. */
export const hasNatsServer = findOnPath(['nats-server'], '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin') !== null;

/** A machine in a fleet under test: a server with its own home, with sessions in memory. */
export interface MachineUnderTest extends FacesUnderTest {
  name: string;
  fleet(): Promise<FleetView>;
  fleetSessions(): Promise<MachineSessions[]>;
  /** returns what this machine sees of another one */
  sees(machine: string): Promise<MachineSessions>;
  /** sends a request for a session on another machine */
  ask(machine: string, route: string, slug: string, body?: unknown): Promise<Answered>;
}

export async function startMachine(name: string, options: StartOptions = {}): Promise<MachineUnderTest> {
  const server = await startFaces(options);
  const fleetSessions = async (): Promise<MachineSessions[]> =>
    (await server.call('/fleet/sessions')).json() as MachineSessions[];
  return {
    ...server,
    name,
    fleet: async () => (await server.call('/fleet')).json() as FleetView,
    fleetSessions,
    sees: async (machine) => {
      const all = await fleetSessions();
      const found = all.find((one) => one.machine === machine);
      if (found === undefined) throw new Error(`${name} knows no machine ${machine}: ${JSON.stringify(all)}`);
      return found;
    },
    ask: (machine, route, slug, body) =>
      server.call('/fleet/calls', {
        body: { machine, call: { route, params: { slug }, ...(body === undefined ? {} : { body }) } },
      }),
  };
}

/** Removes the sessions of all machines, so that each test begins without any. */
export async function removeSessions(...machines: readonly MachineUnderTest[]): Promise<void> {
  for (const { sessions } of machines) {
    for (const { slug } of sessions.list()) await sessions.remove(slug);
  }
}

/** Stops machines in this order. A machine is undefined if starting it failed. */
export async function stopMachines(...machines: readonly (MachineUnderTest | undefined)[]): Promise<void> {
  for (const machine of machines) await machine?.[Symbol.asyncDispose]();
}

/** Founds a fleet on a free loopback port. */
export async function found(machine: MachineUnderTest): Promise<void> {
  const port = await machine.world.freePort();
  const body = { address: `127.0.0.1:${port}`, name: machine.name };
  const answer = await machine.call('/fleet/init', { body });
  if (answer.status !== 201) throw new Error(answer.text);
  await untilConnected(machine);
}

export async function invite(founder: MachineUnderTest, rights: readonly Right[], valid_s = 600): Promise<string> {
  const answer = await founder.call('/fleet/invitations', { body: { rights, valid_s } });
  if (answer.status !== 201) throw new Error(answer.text);
  return (answer.json() as z.output<typeof Invitation>).line;
}

/** Joins with an invitation, and waits until the founder is visible. */
export async function joinFleet(machine: MachineUnderTest, line: string, allow: readonly Right[]): Promise<void> {
  const answer = await machine.call('/fleet/join', { body: { line, name: machine.name, allow } });
  if (answer.status !== 200) throw new Error(answer.text);
  await untilConnected(machine);
}

export async function untilConnected(machine: MachineUnderTest): Promise<void> {
  let last: FleetView | null = null;
  await waitFor(
    async () => {
      last = await machine.fleet();
      return last.fleet?.connected === true;
    },
    { describe: `${machine.name} is connected to the fleet`, actual: () => last, timeoutMs: 30_000 },
  );
}

/** Lets a machine reach the founder's NATS server only through a link that a test can cut, and returns the link. */
export async function connectThroughLink(machine: MachineUnderTest, founder: MachineUnderTest): Promise<CuttingProxy> {
  const link = await startCuttingProxy(membershipOf(founder).port);
  await machine.stop();
  writeMembership(machine, { ...membershipOf(machine), port: link.port });
  await machine.startAgain();
  await untilConnected(machine);
  return link;
}

/**
 * Gives a machine the home of another one, as if its virtual machine had been cloned.
 * @param place where the copy claims to be; by default where it is, as a clone does
 */
export async function becomeCopyOf(
  original: MachineUnderTest,
  copy: MachineUnderTest,
  place = placeOf(copy.world.cbosHome),
): Promise<void> {
  await copy.stop();
  cpSync(join(original.world.cbosHome, 'fleet'), join(copy.world.cbosHome, 'fleet'), { recursive: true });
  writeMembership(copy, { ...membershipOf(original), place });
  await copy.startAgain();
}

/** Returns the pid of a founder's NATS server. */
export function natsPid(founder: MachineUnderTest): number {
  return Number(readFileSync(join(founder.world.cbosHome, 'fleet/nats/nats.pid'), 'utf8'));
}

/** Returns a machine's secret, and everything else that is needed to be admitted. */
export function membershipOf(machine: MachineUnderTest): {
  id: string;
  seed: string;
  host: string;
  port: number;
  authority: string;
} {
  return JSON.parse(readFileSync(membershipFile(machine), 'utf8'));
}

const membershipFile = ({ world }: MachineUnderTest): string => join(world.cbosHome, 'fleet/machine.json');
const writeMembership = (machine: MachineUnderTest, membership: object): void =>
  writeFileSync(membershipFile(machine), JSON.stringify(membership), { mode: 0o600 });
