import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DatabaseSync } from '@photostructure/sqlite';
import { statusOf } from '../../src/core/delivery/record.ts';
import type {
  DeliveryPhase,
  DeliveryStatus,
  FleetView,
  MachineCall,
  MachineSessions,
  Right,
  Session,
} from '../../src/protocol/index.ts';
import { type ApiResult, type Cbos, startCbos } from '../harness/cbos.ts';
import type { NatsNodes } from '../harness/nats-nodes.ts';
import { waitFor } from '../harness/wait-for.ts';
import { createWorld, type World } from '../harness/world.ts';
import type { Random } from '../torture/random.ts';
import { type Link, startLink } from './links.ts';
import { type GivenAnswer, readWitness, type Seen } from './verdict.ts';

const RIGHTS: readonly Right[] = ['see', 'answer', 'type'];
/** The sessions that get prompts. `COUNT` gets none, and has a tag that counts its changes. */
export const SLUGS = ['ONE', 'TWO'] as const;
export const COUNT = 'COUNT';

/** A real server, whose sessions run `wire-claude.mjs`. */
export interface Machine {
  name: string;
  world: World;
  /** null for the founder of a fleet on its own NATS server, which reaches that server directly */
  link: Link | null;
  /** throws if the server is killed during the request */
  call<T = unknown>(method: string, path: string, body?: unknown): Promise<ApiResult<T>>;
  /** sends a request for a session on another machine */
  ask<T = unknown>(machine: string, call: MachineCall): Promise<ApiResult<{ value: T }>>;
  sees(machine: string): Promise<MachineSessions | null>;
  stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
  startAgain(): Promise<void>;
  /** what its sessions got */
  witness(): Seen[];
  /** what became of each text, according to the server's own journal */
  journal(): Map<string, DeliveryStatus>;
}

export async function startMachine(name: string): Promise<Machine> {
  const world = createWorld();
  return startIn(world, name).catch(async (error: unknown) => {
    await world.dispose();
    throw error;
  });
}

async function startIn(world: World, name: string): Promise<Machine> {
  const agent = fileURLToPath(new URL('wire-claude.mjs', import.meta.url));
  const trusted = { projects: { [world.projectDir]: { hasTrustDialogAccepted: true } } };
  writeFileSync(join(world.home, '.claude.json'), JSON.stringify(trusted));
  const env = { CBOS_CLAUDE_COMMAND: agent, CBOS_PORT: String(await world.freePort()) };
  const witnessOf = (slug: string): string => join(world.dir, `${slug}.witness`);
  let cbos: Cbos = await startCbos(world, env);
  const machine: Machine = {
    name,
    world,
    link: null,
    call: (method, path, body) => cbos.call(method, path, body),
    ask: (other, call) => cbos.call('POST', '/fleet/calls', { machine: other, call }),
    sees: async (other) => {
      const { error, body } = await cbos.call<MachineSessions[]>('GET', '/fleet/sessions');
      return error === null ? (body.find((one) => one.machine === other) ?? null) : null;
    },
    stop: (signal) => cbos.stop(signal),
    startAgain: async () => {
      cbos = await startCbos(world, env);
    },
    witness: () => SLUGS.flatMap((slug) => readWitness(`${name}/${slug}`, readIfThere(witnessOf(slug)))),
    journal: () => readJournal(join(world.cbosHome, 'cbos.db')),
  };
  for (const slug of [...SLUGS, COUNT]) {
    const body = { slug, path: world.projectDir, type: 'json', env: { TORTURE_WITNESS: witnessOf(slug) } };
    await required(machine.call('POST', '/sessions', body));
  }
  return machine;
}

/** Joins machines to a fleet on a NATS server of the first machine, or on the given nodes. */
export async function joinAll(
  machines: readonly [Machine, ...Machine[]],
  nodes: NatsNodes | null,
  random: Random,
): Promise<void> {
  const [founder, ...others] = machines;
  const port = await founder.world.freePort();
  const credentials = nodes === null ? {} : { credentials: nodes.users.fleet.seed };
  const where = nodes === null ? { address: `127.0.0.1:${port}` } : { nats: nodes.address, ...credentials };
  await required(founder.call('POST', '/fleet/init', { name: founder.name, ...where }));
  await required(founder.call('PUT', '/fleet/allow', { rights: RIGHTS }));
  for (const machine of others) {
    const { line } = await required<{ line: string }>(
      founder.call('POST', '/fleet/invitations', { rights: RIGHTS, valid_s: 600 }),
    );
    await required(machine.call('POST', '/fleet/join', { line, name: machine.name, allow: RIGHTS, ...credentials }));
  }
  for (const machine of nodes === null ? others : machines) {
    const ports = nodes === null ? [port] : nodes.address.split(',').map((one) => Number(one.split(':').at(-1)));
    machine.link = await startLink(ports, { isPlain: nodes !== null, random });
    await goThrough(machine, machine.link);
  }
  for (const machine of machines) await untilConnected(machine);
}

export async function untilConnected(machine: Machine): Promise<void> {
  let last: unknown = null;
  const isConnected = async (): Promise<boolean> => {
    const { body } = await machine.call<FleetView>('GET', '/fleet');
    last = body;
    return body.fleet?.connected === true && body.machines.every(({ reachable }) => reachable);
  };
  await waitFor(isConnected, {
    ...{ describe: `${machine.name} reaches all machines`, actual: () => last, timeoutMs: 120_000 },
  });
}

/**
 * Waits until each session has done everything that it was asked to, and answers what it still asks. A prompt to one
 * session says nothing about another: it may be behind a question there, which nobody has answered yet.
 */
export async function untilQuiet(machine: Machine, onAnswer: (answer: GivenAnswer) => void): Promise<void> {
  for (const slug of SLUGS) {
    let last: unknown = null;
    const isQuiet = async (): Promise<boolean> => {
      const { status } = (await machine.call<Session>('GET', `/sessions/${slug}`)).body;
      const open = [...machine.journal()].filter(
        ([text, phase]) => text.includes(`/${slug} `) && (phase === 'queued' || phase === 'sent'),
      );
      last = { status, open };
      const { question } = status;
      if (question !== null) {
        const text = (question.tool?.input as { command?: string } | undefined)?.command ?? '';
        const body = { choice: 'no', question_id: question.id };
        const { error } = await machine.call('POST', `/sessions/${slug}/answer`, body);
        onAnswer({ text, session: `${machine.name}/${slug}`, choice: 'no', told: error === null ? 'done' : 'refused' });
      }
      return status.primary === 'idle' && open.length === 0;
    };
    await waitFor(isQuiet, { describe: `${machine.name}/${slug} is quiet`, actual: () => last, timeoutMs: 120_000 });
  }
}

async function goThrough(machine: Machine, link: Link): Promise<void> {
  await machine.stop('SIGTERM');
  const file = join(machine.world.cbosHome, 'fleet/machine.json');
  const membership = JSON.parse(readFileSync(file, 'utf8')) as { shared: object | null };
  const servers = link.ports.map((port) => `127.0.0.1:${port}`);
  const changed = membership.shared === null ? { port: link.ports[0] } : { shared: { ...membership.shared, servers } };
  writeFileSync(file, JSON.stringify({ ...membership, ...changed }), { mode: 0o600 });
  await machine.startAgain();
}

async function required<T>(result: Promise<ApiResult<T>>): Promise<T> {
  const { error, body } = await result;
  if (error !== null) throw new Error(`${error.code}: ${error.message}`);
  return body;
}

function readJournal(file: string): Map<string, DeliveryStatus> {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const rows = database.prepare('SELECT text, phase FROM deliveries').all() as {
      text: string;
      phase: DeliveryPhase;
    }[];
    return new Map(rows.map(({ text, phase }) => [text, statusOf({ phase })]));
  } finally {
    database.close();
  }
}

const readIfThere = (file: string): string => (existsSync(file) ? readFileSync(file, 'utf8') : '');
