import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { waitFor } from '../test/harness/wait-for.ts';
import { createWorld, type World } from '../test/harness/world.ts';
import type { Figure } from './figures.mjs';
import {
  agesIn,
  appendOutput,
  cpuSeconds,
  followAll,
  type Growing,
  memoryMegabytes,
  share,
  startGrowing,
} from './growing-recordings.ts';

export const about =
  '20 sessions: from the write into the recording to the frame at a WebSocket client; in the same run from the write into the terminal to a client of tmux in control mode';

const SESSIONS = 20;
/** The size of a redraw by Claude Code, and the largest piece that `script` reads from a terminal at once. */
const QUIET = { bytesPerSecond: 1_000_000, writeBytes: 1_500, seconds: 10 };
const FLOOD = { bytesPerSecond: 30_000_000, writeBytes: 4_096, seconds: 8 };
const WARM_UP = { ...QUIET, seconds: 3 };

export async function measure(): Promise<Figure[]> {
  const withSearch = await measureCbos();
  const withoutSearch = await measureCbos({ isSearchOff: true });
  const tmux = await measureTmux();
  const figures = (who: string, { quiet, flood }: Measured): Figure[] => [
    ...latencies(`${who}, 1 MB/s`, quiet),
    ...latencies(`${who}, 30 MB/s`, flood),
    { name: `${who}, 30 MB/s: reached`, value: flood.rate, unit: 'MB/s' },
  ];
  return [
    { name: 'CBOS, 1 MB/s: median', value: share(withSearch.quiet.ages, 0.5), unit: 'ms', limit: 3 },
    { name: 'CBOS, 1 MB/s: p99', value: share(withSearch.quiet.ages, 0.99), unit: 'ms', limit: 20 },
    { name: 'CBOS, 1 MB/s: processor', value: withSearch.quiet.cpu, unit: '% of a core' },
    ...latencies('CBOS, 30 MB/s', withSearch.flood),
    { name: 'CBOS, 30 MB/s: written', value: withSearch.flood.rate, unit: 'MB/s' },
    {
      name: 'CBOS, 30 MB/s: all output received after the last write within',
      value: withSearch.flood.restMs,
      unit: 'ms',
      limit: 1_000,
    },
    {
      name: 'CBOS, 30 MB/s: snapshots instead of bytes',
      value: withSearch.flood.snapshots,
      unit: 'snapshots',
    },
    { name: 'CBOS, 30 MB/s: processor', value: withSearch.flood.cpu, unit: '% of a core' },
    { name: 'CBOS, memory above the start, at most', value: withSearch.memory, unit: 'MB' },
    ...figures('CBOS without its search index', withoutSearch),
    ...figures('tmux in control mode', tmux),
    {
      name: 'median at 1 MB/s, CBOS against tmux',
      value: share(withSearch.quiet.ages, 0.5) / share(tmux.quiet.ages, 0.5),
      unit: 'times',
    },
    {
      name: 'p99 at 1 MB/s, CBOS against tmux',
      value: share(withSearch.quiet.ages, 0.99) / share(tmux.quiet.ages, 0.99),
      unit: 'times',
    },
  ];
}

interface Run {
  /** milliseconds from each write to its frame */
  ages: readonly number[];
  /** how many MB/s were written */
  rate: number;
  /** milliseconds from the last write until everything had arrived */
  restMs: number;
  /** frames that replaced skipped bytes */
  snapshots: number;
  /** the server's processor time, in percent of a core */
  cpu: number;
}

interface Measured {
  quiet: Run;
  flood: Run;
  /** the largest increase over the start, in MB */
  memory: number;
}

function latencies(what: string, { ages }: Run): Figure[] {
  return [
    { name: `${what}: median`, value: share(ages, 0.5), unit: 'ms' },
    { name: `${what}: p99`, value: share(ages, 0.99), unit: 'ms' },
  ];
}

async function measureCbos({ isSearchOff = false } = {}): Promise<Measured> {
  await using world = createWorld();
  // A folder where the index expects its database disables the index, just as a damaged database would.
  if (isSearchOff) mkdirSync(join(world.cbosHome, 'search.db'), { recursive: true, mode: 0o700 });
  const growing = await startGrowing(world, SESSIONS);
  const { pid } = growing.cbos;
  const client = await connect(world, growing);
  await client.follow({ ...WARM_UP, pid });
  const before = memoryMegabytes(pid);
  let peak = before;
  const watch = setInterval(() => {
    peak = Math.max(peak, memoryMegabytes(pid));
  }, 100);
  const quiet = await client.follow({ ...QUIET, pid });
  const flood = await client.follow({ ...FLOOD, pid });
  clearInterval(watch);
  return { quiet, flood, memory: peak - before };
}

/** Connects a client that follows everything, and starts the output. */
async function connect(world: World, growing: Growing) {
  const { files, timings } = growing;
  const client = await followAll(world, growing);
  return {
    async follow({
      pid,
      ...output
    }: {
      pid: number;
      bytesPerSecond: number;
      seconds: number;
      writeBytes: number;
    }): Promise<Run> {
      client.begin();
      const before = client.offset();
      const cpuBefore = cpuSeconds(pid);
      const { writtenBytes, seconds } = await appendOutput({ files, timings, ...output });
      const cpu = ((cpuSeconds(pid) - cpuBefore) / seconds) * 100;
      const endedAt = performance.now();
      await waitFor(() => client.offset() - before === writtenBytes, {
        describe: `${writtenBytes} bytes are there`,
        actual: () => client.offset() - before,
        timeoutMs: 60_000,
      });
      const restMs = performance.now() - endedAt;
      return { ages: client.ages(), snapshots: client.snapshots(), restMs, cpu, rate: writtenBytes / seconds / 1e6 };
    },
  };
}

/** Writes the same output to the same number of tmux terminals. */
async function measureTmux(): Promise<Measured> {
  await using world = createWorld();
  const tmux = (...args: string[]) => {
    const { stdout, status, stderr } = spawnSync('tmux', ['-S', join(world.dir, 'tmux'), '-f', '/dev/null', ...args], {
      env: world.env,
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`tmux ${args.join(' ')}: ${stderr}`);
    return stdout;
  };
  tmux('new-session', '-d', '-x', '80', '-y', '24', 'sleep infinity');
  world.onDispose(() => void tmux('kill-server'));
  for (let count = 1; count < SESSIONS; count++) tmux('new-window', '-d', 'sleep infinity');
  const files = tmux('list-panes', '-s', '-F', '#{pane_tty}').trim().split('\n');
  const pid = Number(tmux('display-message', '-p', '#{pid}'));
  const client = spawn('tmux', ['-S', join(world.dir, 'tmux'), '-C', 'attach'], {
    env: world.env,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let ages: number[] = [];
  let rest = '';
  client.stdout.setEncoding('latin1').on('data', (text: string) => {
    rest += text;
    const end = rest.lastIndexOf('\n') + 1;
    for (const age of agesIn(rest.slice(0, end))) ages.push(age);
    rest = rest.slice(end);
  });
  const follow = async (output: { bytesPerSecond: number; seconds: number; writeBytes: number }): Promise<Run> => {
    ages = [];
    const cpuBefore = cpuSeconds(pid);
    const { writtenBytes, seconds } = await appendOutput({ files, ...output });
    const cpu = ((cpuSeconds(pid) - cpuBefore) / seconds) * 100;
    await delay(1_000);
    return { ages, snapshots: 0, restMs: 0, cpu, rate: writtenBytes / seconds / 1e6 };
  };
  await follow(WARM_UP);
  return { quiet: await follow(QUIET), flood: await follow(FLOOD), memory: 0 };
}
