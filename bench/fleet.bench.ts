import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { loadavg } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { Session } from '../src/protocol/index.ts';
import { PROGRAM, type Watcher } from '../test/harness/cbos.ts';
import { type NatsNodes, startNatsNodes } from '../test/harness/nats-nodes.ts';
import { waitFor } from '../test/harness/wait-for.ts';
import { createWorld, type World } from '../test/harness/world.ts';
import type { Took } from './command-time.ts';
import { type Figure, formatFigures, median } from './figures.mjs';
import { joinMachines, type RealMachine, simulateMachine, startRealMachine } from './fleet-machines.ts';
import { share } from './growing-recordings.ts';
import { processorSeconds } from './processor-time.ts';
import { untilSettled } from './settled-server.ts';
import { sizeFrom, sizesFrom } from './sizes.ts';
import { type Lags, lagsOf, type Shown } from './status-lags.ts';

export const about =
  'five servers and simulated machines on a NATS cluster of three nodes: how each cost of a fleet grows with its machines';

const SIZES = sizesFrom('BENCH_MACHINES', [5, 10, 50, 100]);
const REAL = 5;
/** Together, the servers have 100 sessions, and the 95 simulated machines 5,000. */
const SESSIONS = sizeFrom('BENCH_SESSIONS', 20);
const SIMULATED_SESSIONS = 53;
/** How many sessions of one server work at once while the lag is measured. */
const WORKING = sizeFrom('BENCH_WORKING', 5);
const TURNS = sizeFrom('BENCH_TURNS', 4);
const IDLE_MS = sizeFrom('BENCH_IDLE_SECONDS', 60) * 1_000;
const LISTS = 9;
/** Launches on a busy machine take this long at most. */
const LONG_MS = 10 * 60_000;

export async function measure(): Promise<Figure[]> {
  await using world = createWorld();
  const started: RealMachine[] = [];
  const simulated: AsyncDisposable[] = [];
  let outside: RealMachine | null = null;
  try {
    const nodes = await startNatsNodes(world, 3);
    for (let count = 1; count <= REAL; count++) started.push(await startRealMachine(`real-${count}`));
    outside = await startRealMachine('outside');
    for (const machine of [...started, outside]) await launch(machine);
    await joinMachines(nodes, started);
    const figures: Figure[] = [];
    for (const size of SIZES) {
      const sessions = await sessionsLike(started[0]);
      while (started.length + simulated.length < size) {
        const name = `simulated-${simulated.length + 1}`;
        simulated.push(await simulateMachine(world, { nodes, founder: started[0] as RealMachine, name, sessions }));
      }
      const measured = await measureFleet({ nodes, machines: started, outside });
      process.stdout.write(`  ${size} machines, load ${loadavg()[0]?.toFixed(1)}:\n${formatFigures(measured)}\n`);
      for (const figure of measured) {
        const cell = { row: figure.name, column: `${size} machines` };
        figures.push({ ...figure, name: `${size} machines: ${figure.name}`, cell });
      }
    }
    return figures;
  } finally {
    for (const machine of simulated) await machine[Symbol.asyncDispose]();
    for (const machine of started) await machine.world.dispose();
    await outside?.world.dispose();
  }
}

interface Fleet {
  nodes: NatsNodes;
  machines: readonly RealMachine[];
  /** a server that is not in the fleet, with as many sessions */
  outside: RealMachine;
}

async function measureFleet(fleet: Fleet): Promise<Figure[]> {
  const [owner, asker] = fleet.machines as [RealMachine, RealMachine];
  const { inFleet, outside, kbs } = await idle(fleet);
  const lists = await timeLists(asker);
  const { local, remote } = await measureLags(owner, asker);
  const lag = (lags: Lags, part: number): number => share(lags.lagsMs, part);
  return [
    {
      ...{ name: 'idle, processor, added to a server by the fleet, at most 0.3', unit: '% of a core', limit: 0.3 },
      value: inFleet - outside,
    },
    { name: 'idle, processor of a server outside the fleet', unit: '% of a core', value: outside },
    { name: 'idle, bytes to and from NATS for each machine, at most 10', unit: 'kB/s', value: kbs, limit: 10 },
    { name: 'cbos ls --fleet, sessions listed', unit: 'sessions', value: lists.sessions },
    { name: 'cbos ls --fleet, wall, at most 300', unit: 'ms', value: lists.wallMs, limit: 300 },
    { name: 'cbos ls --fleet, processor of the command', unit: 'ms', value: lists.commandMs },
    { name: 'cbos ls --fleet, processor of its server', unit: 'ms', value: lists.serverMs },
    { name: 'status lag at its own server, median', unit: 'ms', value: lag(local, 0.5) },
    { name: 'status lag at another server, median', unit: 'ms', value: lag(remote, 0.5) },
    { name: 'status lag at its own server, p99', unit: 'ms', value: lag(local, 0.99) },
    {
      ...{ name: 'status lag at another server, p99, above that, at most 50', unit: 'ms', limit: 50 },
      value: lag(remote, 0.99) - lag(local, 0.99),
    },
  ];
}

async function launch({ cbos, world, agents }: RealMachine): Promise<void> {
  for (const slug of slugs()) {
    const request = { slug, type: 'screen', path: world.projectDir, env: agents.envOf(slug) };
    const created = await cbos.call('POST', '/sessions', request);
    if (created.error !== null) throw new Error(`${slug}: ${created.error.message}`);
  }
  for (const slug of slugs()) await cbos.untilStatus(slug, 'idle/ready', LONG_MS);
}

const slugs = (): string[] => Array.from({ length: SESSIONS }, (_, index) => `S${index + 1}`);

/** Returns sessions whose rows are as long as those of a real session. */
async function sessionsLike(machine: RealMachine | undefined): Promise<Session[]> {
  const real = await machine?.cbos.session('S1');
  if (real === undefined) throw new Error('there is no machine');
  return Array.from({ length: SIMULATED_SESSIONS }, (_, index) => ({ ...real, slug: `SIMULATED-${index + 1}` }));
}

interface Idle {
  /** of one server in the fleet, in % of a core */
  inFleet: number;
  /** of the server outside the fleet, in % of a core, during the same time */
  outside: number;
  /** to and from NATS, for one machine */
  kbs: number;
}

async function idle({ nodes, machines, outside }: Fleet): Promise<Idle> {
  const pids = machines.map(({ cbos }) => cbos.pid);
  await Promise.all([...pids, outside.cbos.pid].map(untilSettled));
  const read = async () => ({
    at: performance.now(),
    inFleet: pids.reduce((sum, pid) => sum + processorSeconds(pid), 0) / pids.length,
    outside: processorSeconds(outside.cbos.pid),
    traffic: await traffic(nodes),
  });
  const before = await read();
  await delay(IDLE_MS);
  const after = await read();
  const seconds = (after.at - before.at) / 1_000;
  const bytes = [...after.traffic].map(([connection, count]) => count - (before.traffic.get(connection) ?? count));
  return {
    inFleet: ((after.inFleet - before.inFleet) / seconds) * 100,
    outside: ((after.outside - before.outside) / seconds) * 100,
    kbs: bytes.reduce((sum, count) => sum + count, 0) / Math.max(1, bytes.length) / seconds / 1_000,
  };
}

/** Returns how many bytes each connection has carried, according to the nodes' own monitoring. */
async function traffic(nodes: NatsNodes): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const monitor of nodes.monitors) {
    const { connections } = (await (await fetch(`${monitor}/connz?limit=1000`)).json()) as {
      connections: { cid: number; in_bytes: number; out_bytes: number }[];
    };
    for (const { cid, in_bytes, out_bytes } of connections) counts.set(`${monitor} ${cid}`, in_bytes + out_bytes);
  }
  return counts;
}

interface Lists {
  sessions: number;
  wallMs: number;
  /** processor time of the command, and of the server that it asks, for one list */
  commandMs: number;
  serverMs: number;
}

async function timeLists({ cbos, world }: RealMachine): Promise<Lists> {
  const sessions = await waitFor(
    async () => {
      const { body } = await cbos.call<{ reachable: boolean; sessions: unknown[] }[]>('GET', '/fleet/sessions');
      const isComplete = body.every(({ reachable }) => reachable);
      return isComplete ? body.reduce((sum, one) => sum + one.sessions.length, 0) : null;
    },
    { describe: 'all machines respond', timeoutMs: LONG_MS },
  );
  const before = processorSeconds(cbos.pid);
  const took: Took[] = [];
  for (let time = 0; time < LISTS; time++) took.push(await timeList(world));
  return {
    sessions,
    wallMs: median(took.map(({ wallMs }) => wallMs)),
    commandMs: median(took.map(({ processorMs }) => processorMs)),
    serverMs: ((processorSeconds(cbos.pid) - before) / LISTS) * 1_000,
  };
}

/** The simulated machines answer from this process, so it must not wait for the command. */
async function timeList({ env, projectDir: cwd }: World): Promise<Took> {
  const script = 'TIMEFORMAT="%R %U %S"; { time "$@" >/dev/null 2>&3; } 3>/dev/null';
  const child = spawn('bash', ['-c', script, 'bash', process.execPath, PROGRAM, 'ls', '--fleet'], { env, cwd });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  const [code] = (await once(child, 'close')) as [number];
  if (code !== 0) throw new Error(`cbos ls --fleet ended with ${code}`);
  const [wall = Number.NaN, user = Number.NaN, system = Number.NaN] = said.trim().split(' ').map(Number);
  return { wallMs: wall * 1_000, processorMs: (user + system) * 1_000 };
}

/** Has sessions of one server work, and compares when its own client and one of another server learn of each change. */
async function measureLags(owner: RealMachine, asker: RealMachine): Promise<{ local: Lags; remote: Lags }> {
  const near = await owner.cbos.watch();
  const far = await asker.cbos.watch();
  far.send({ type: 'follow_fleet' });
  await waitFor(() => farShown(far, owner.name).length > 0, { describe: 'the asker sees the owner' });
  const changes = await owner.agents.work(slugs().slice(0, WORKING), TURNS);
  for (const name of slugs().slice(0, WORKING)) await owner.cbos.untilStatus(name, 'idle/waiting_input');
  await untilSettled(owner.cbos.pid);
  for (const watcher of [near, far]) watcher.close();
  return { local: lagsOf(changes, nearShown(near)), remote: lagsOf(changes, farShown(far, owner.name)) };
}

const nearShown = ({ frames }: Watcher): Shown[] =>
  frames.flatMap((frame) =>
    frame.type === 'session_state'
      ? [{ session: frame.session, at: frame.receivedAt, status: `${frame.status.primary}/${frame.status.detail}` }]
      : [],
  );

const farShown = ({ frames }: Watcher, machine: string): Shown[] =>
  frames.flatMap((frame) =>
    frame.type === 'machine' && frame.machine === machine
      ? frame.sessions.map(({ slug, status: { primary, detail } }) => ({
          ...{ session: slug, at: frame.receivedAt, status: `${primary}/${detail}` },
        }))
      : [],
  );
