import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Emitter } from '../src/emitter/emitter.ts';
import { MACHINE_WIRE, RIGHTS, type Session } from '../src/protocol/index.ts';
import { createSystemClock } from '../src/server/clock.ts';
import { joinFleet, membershipFiles, openMachines } from '../src/server/machines/fleet-parts.ts';
import type { SessionEvent } from '../src/server/sessions.ts';
import { type Cbos, startCbos } from '../test/harness/cbos.ts';
import type { NatsNodes } from '../test/harness/nats-nodes.ts';
import { createWorld, type World } from '../test/harness/world.ts';
import { type WireAgents, wireAgents } from './wire-agents.ts';

/** A server that users run, with its own home. */
export interface RealMachine {
  name: string;
  world: World;
  cbos: Cbos;
  agents: WireAgents;
}

export async function startRealMachine(name: string): Promise<RealMachine> {
  const world = createWorld();
  const agents = wireAgents(world);
  return { name, world, agents, cbos: await startCbos(world, agents.env) };
}

/** Founds a fleet on the nodes with the first machine, and joins the others. */
export async function joinMachines(nodes: NatsNodes, machines: readonly RealMachine[]): Promise<void> {
  const [founder, ...others] = machines as [RealMachine, ...RealMachine[]];
  const credentials = nodes.users.fleet.seed;
  await required(founder.cbos, '/fleet/init', { name: founder.name, nats: nodes.address, credentials });
  for (const { name, cbos } of others) {
    const line = await invitation(founder);
    await required(cbos, '/fleet/join', { line, name, allow: RIGHTS, credentials });
  }
}

/**
 * A machine without a server: it is in this process, and has sessions that never change. It speaks the fleet's protocol
 * over NATS with the server's own code.
 */
export async function simulateMachine(
  world: World,
  options: { nodes: NatsNodes; founder: RealMachine; name: string; sessions: readonly Session[] },
): Promise<AsyncDisposable> {
  const { nodes, founder, name, sessions } = options;
  const home = join(world.dir, name);
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const files = membershipFiles(home);
  const joining = {
    home,
    files,
    name,
    wire: MACHINE_WIRE,
    allow: RIGHTS,
    labels: [],
    credentials: nodes.users.fleet.seed,
    authority: null,
  };
  const membership = await joinFleet({ ...joining, line: await invitation(founder) });
  const ignore = (): void => undefined;
  const machines = openMachines({
    ...{ home, files, membership, labels: [], ssh: ['ssh'], environment: {}, version: '0.1.0', wire: MACHINE_WIRE },
    sessions: {
      ...{ list: () => [...sessions], onEvent: new Emitter<[SessionEvent]>().on },
      ...{ get: notSimulated, stream: notSimulated, events: notSimulated },
    },
    carryOut: async () => null,
    clock: createSystemClock(),
    logger: { debug: ignore, info: ignore, warn: ignore, error: ignore },
  });
  if (!(await machines.connected(60_000))) throw new Error(`${name} cannot connect`);
  return { [Symbol.asyncDispose]: () => machines.close() };
}

function notSimulated(): never {
  throw new Error('a simulated session has nothing but its row');
}

async function invitation({ cbos }: RealMachine): Promise<string> {
  const invite = () => required<{ line: string }>(cbos, '/fleet/invitations', { rights: RIGHTS, valid_s: 600 });
  // The server may close a connection that was idle at the moment at which `fetch` uses it again.
  return (await invite().catch(invite)).line;
}

async function required<T>(cbos: Cbos, path: string, body: object): Promise<T> {
  const { error, body: answer } = await cbos.call<T>('POST', path, body);
  if (error !== null) throw new Error(`${path}: ${error.code}: ${error.message}`);
  return answer;
}
