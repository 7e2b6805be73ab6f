import { setTimeout as delay } from 'node:timers/promises';
import type { Session } from '../src/protocol/index.ts';
import { type Cbos, PROGRAM, startCbos } from '../test/harness/cbos.ts';
import { waitFor } from '../test/harness/wait-for.ts';
import { createWorld, type World } from '../test/harness/world.ts';
import { timeCommand } from './command-time.ts';
import { type Figure, median } from './figures.mjs';
import { memoryMegabytes, share } from './growing-recordings.ts';
import { processorSeconds } from './processor-time.ts';
import { untilSettled } from './settled-server.ts';
import { sizeFrom, sizesFrom } from './sizes.ts';
import { lagsOf } from './status-lags.ts';
import { type WireAgents, wireAgents } from './wire-agents.ts';

export const about =
  '10 to 200 live sessions of an agent that behaves like Claude Code on the wire: how each cost of the server grows';

const SIZES = sizesFrom('BENCH_SESSIONS', [10, 50, 100, 200]);
/** How many of the sessions work at once. Fewer, if there are fewer sessions. */
const WORKING = sizeFrom('BENCH_WORKING', 20);
const TURNS = sizeFrom('BENCH_TURNS', 5);
const IDLE_MS = sizeFrom('BENCH_IDLE_SECONDS', 30) * 1_000;
const LISTS = 15;
/** How many sessions are created at once. */
const BATCH = 4;
/** Launches on a busy machine take this long at most. */
const LONG_MS = 10 * 60_000;

export async function measure(): Promise<Figure[]> {
  await using world = createWorld();
  const agents = wireAgents(world);
  const figures: Figure[] = [];
  let cbos = await startCbos(world, agents.env);
  const names: string[] = [];
  for (const size of SIZES) {
    await launch({ cbos, world, agents, names: moreNames(names, size) });
    const measured = [
      ...(await measureIdle(cbos)),
      ...measureList(world),
      ...(await measureWork({ cbos, agents, names })),
    ];
    const restarted = await restart({ cbos, world, agents });
    cbos = restarted.cbos;
    for (const figure of [...measured, ...restarted.figures]) {
      const cell = { row: figure.name, column: String(size) };
      figures.push({ ...figure, name: `${size} sessions: ${figure.name}`, cell });
    }
    process.stdout.write(`  ${size} sessions are measured\n`);
  }
  return figures;
}

/** Adds names until there are as many as `size`, and returns those that were added. */
function moreNames(names: string[], size: number): string[] {
  const added = Array.from({ length: size - names.length }, (_, index) => `S${names.length + index + 1}`);
  names.push(...added);
  return added;
}

interface Fleet {
  cbos: Cbos;
  world: World;
  agents: WireAgents;
}

async function launch({ cbos, world, agents, names }: Fleet & { names: readonly string[] }): Promise<void> {
  const waiting = [...names];
  const launchInTurn = async (): Promise<void> => {
    for (let slug = waiting.shift(); slug !== undefined; slug = waiting.shift()) {
      const request = { slug, type: 'screen', path: world.projectDir, env: agents.envOf(slug) };
      const created = await cbos.call('POST', '/sessions', request);
      if (created.error !== null) throw new Error(`${slug}: ${created.error.message}`);
      await cbos.untilStatus(slug, 'idle/ready', LONG_MS);
    }
  };
  await Promise.all(Array.from({ length: BATCH }, launchInTurn));
}

async function measureIdle(cbos: Cbos): Promise<Figure[]> {
  await untilSettled(cbos.pid);
  const before = processorSeconds(cbos.pid);
  await delay(IDLE_MS);
  const cpu = ((processorSeconds(cbos.pid) - before) / (IDLE_MS / 1_000)) * 100;
  return [
    { name: 'idle, processor', value: cpu, unit: '% of a core' },
    { name: 'idle, memory', value: memoryMegabytes(cbos.pid), unit: 'MB' },
  ];
}

function measureList(world: World): Figure[] {
  const bare = [];
  const listed = [];
  for (let time = 0; time < LISTS; time++) {
    bare.push(timeCommand(world, [process.execPath, '-e', '0']));
    listed.push(timeCommand(world, [process.execPath, PROGRAM, 'ls']));
  }
  const processorMs = median(listed.map((took) => took.processorMs));
  return [
    { name: 'cbos ls, wall', value: median(listed.map(({ wallMs }) => wallMs)), unit: 'ms' },
    { name: 'cbos ls, processor', value: processorMs, unit: 'ms' },
    {
      name: 'cbos ls, processor against bare Node',
      value: processorMs / median(bare.map((took) => took.processorMs)),
      unit: 'times',
    },
  ];
}

async function measureWork(fleet: { cbos: Cbos; agents: WireAgents; names: readonly string[] }): Promise<Figure[]> {
  const { cbos, agents } = fleet;
  const names = fleet.names.slice(0, WORKING);
  const watcher = await cbos.watch();
  const before = processorSeconds(cbos.pid);
  const beganAt = performance.now();
  const changes = await agents.work(names, TURNS);
  const cpu = ((processorSeconds(cbos.pid) - before) / ((performance.now() - beganAt) / 1_000)) * 100;
  for (const name of names) await cbos.untilStatus(name, 'idle/waiting_input');
  await untilSettled(cbos.pid);
  watcher.close();
  const shown = watcher.frames.flatMap((frame) =>
    frame.type === 'session_state'
      ? [{ session: frame.session, at: frame.receivedAt, status: `${frame.status.primary}/${frame.status.detail}` }]
      : [],
  );
  const { lagsMs, missed } = lagsOf(changes, shown);
  return [
    { name: 'status lag, median', value: share(lagsMs, 0.5), unit: 'ms' },
    { name: 'status lag, p99', value: share(lagsMs, 0.99), unit: 'ms' },
    { name: 'changes shown only after the next one', value: (missed / changes.length) * 100, unit: '%' },
    { name: 'at work, processor', value: cpu, unit: '% of a core' },
  ];
}

/** Stops the server and measures how long the next one takes until every session has the status that it had. */
async function restart({ cbos, world, agents }: Fleet): Promise<{ cbos: Cbos; figures: Figure[] }> {
  const before = await statuses(cbos);
  await cbos.stop();
  const beganAt = performance.now();
  const started = await startCbos(world, agents.env);
  const answersMs = performance.now() - beganAt;
  await waitFor(async () => (await statuses(started)) === before, {
    describe: 'all sessions have their statuses again',
    actual: async () => `${before}\n${await statuses(started)}`,
    timeoutMs: LONG_MS,
  });
  return {
    cbos: started,
    figures: [
      { name: 'start until it answers', value: answersMs / 1_000, unit: 's' },
      { name: 'start to right statuses', value: (performance.now() - beganAt) / 1_000, unit: 's' },
      { name: 'start, processor', value: processorSeconds(started.pid), unit: 's' },
    ],
  };
}

async function statuses(cbos: Cbos): Promise<string> {
  const { body } = await cbos.call<Session[]>('GET', '/sessions');
  return body
    .map(({ slug, status }) => `${slug} ${status.primary}/${status.detail}`)
    .sort()
    .join('\n');
}
