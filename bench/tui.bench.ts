import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pty, { type IPty } from '@lydell/node-pty';
import { type Cbos, PROGRAM, startCbos } from '../test/harness/cbos.ts';
import { waitFor } from '../test/harness/wait-for.ts';
import { createWorld, type World } from '../test/harness/world.ts';
import { type Figure, median } from './figures.mjs';

export const about =
  'the terminal UI in 280×60: a live session of 200×50 that changes 30 times a second, the start, a hundred sessions scrolled through';

const [COLS, ROWS] = [280, 60];
const UPDATES_PER_SECOND = 30;
const MEASURED_MS = 15_000;
const STARTS = 7;
const SESSIONS = 100;
/** `getconf CLK_TCK` on every Linux that CBOS runs on. */
const TICKS_PER_SECOND = 100;

export async function measure(): Promise<Figure[]> {
  await using world = createWorld();
  const agent = fileURLToPath(new URL('drawing-agent.sh', import.meta.url));
  const cbos = await startCbos(world, { CBOS_CLAUDE_COMMAND: agent });
  await launch(cbos, world, 'LIVE', { BENCH_LIVE: String(UPDATES_PER_SECOND) });
  const starts: number[] = [];
  for (let count = 0; count < STARTS; count++) starts.push(await measureStart(world));
  const live = await measureLive(world);
  await cbos.call('DELETE', '/sessions/LIVE');
  const slugs = Array.from({ length: SESSIONS }, (_, index) => `S-${index + 1}`).sort();
  for (const slug of slugs) await launch(cbos, world, slug, { BENCH_NAME: slug });
  const scrolling = await measureScrolling(world, slugs);
  return [
    { name: 'live session, processor', value: live.cpuPercent, unit: '% of a core', limit: 5 },
    { name: 'live session, updates that were not seen', value: live.unseenPercent, unit: '%', limit: 10 },
    { name: 'start to first picture, median', value: median(starts), unit: 'ms', limit: 300 },
    { name: 'key to picture among 100 sessions, median', value: median(scrolling), unit: 'ms' },
    { name: 'key to picture among 100 sessions, slowest', value: Math.max(...scrolling), unit: 'ms', limit: 50 },
  ];
}

async function launch(cbos: Cbos, world: World, slug: string, env: Record<string, string>): Promise<void> {
  const created = await cbos.call('POST', '/sessions', {
    slug,
    type: 'screen',
    path: world.projectDir,
    cols: 200,
    rows: 50,
    env,
  });
  if (created.error !== null) throw new Error(created.error.message);
}

interface Shown {
  pty: IPty;
  /** what has been written since the last call */
  take(): string;
}

function open(world: World): Shown {
  let written = '';
  const env = { ...world.env, CBOS_PORT: '0' };
  const terminal = pty.spawn(process.execPath, [PROGRAM], { cols: COLS, rows: ROWS, env, cwd: world.dir });
  terminal.onData((text) => {
    written += text;
  });
  return {
    pty: terminal,
    take() {
      const taken = written;
      written = '';
      return taken;
    },
  };
}

async function close({ pty: terminal }: Shown): Promise<void> {
  const ended = new Promise<void>((resolve) => terminal.onExit(() => resolve()));
  terminal.write('q');
  await ended;
}

/** Waits until the given text has been written. */
async function shows(shown: Shown, text: string): Promise<void> {
  let all = '';
  await waitFor(
    () => {
      all += shown.take();
      return all.includes(text);
    },
    { describe: `${text} is shown`, actual: () => all.slice(-2_000) },
  );
}

/** The word that the live session draws each time. */
const LIVE = 'Garnishing';

async function measureStart(world: World): Promise<number> {
  const started = performance.now();
  const shown = open(world);
  await shows(shown, LIVE);
  const took = performance.now() - started;
  await close(shown);
  return took;
}

/** What ends a picture. At this point, the terminal shows the picture. */
const PICTURE_END = '\u001b[?2026l';

async function measureLive(world: World): Promise<{ cpuPercent: number; unseenPercent: number }> {
  const shown = open(world);
  await shows(shown, LIVE);
  await delay(1_000);
  shown.take();
  const before = cpuTicks(shown.pty.pid);
  await delay(MEASURED_MS);
  const ticks = cpuTicks(shown.pty.pid) - before;
  const pictures = shown
    .take()
    .split(PICTURE_END)
    .filter((picture) => picture.includes(LIVE)).length;
  await close(shown);
  const seconds = MEASURED_MS / 1_000;
  return {
    cpuPercent: (ticks / TICKS_PER_SECOND / seconds) * 100,
    unseenPercent: Math.max(0, 1 - pictures / (UPDATES_PER_SECOND * seconds)) * 100,
  };
}

/**
 * @param slugs in list order, which is the order in which the sessions were launched
 */
async function measureScrolling(world: World, slugs: readonly string[]): Promise<number[]> {
  const shown = open(world);
  await shows(shown, `I am ${slugs[0]}.`);
  const took: number[] = [];
  for (const slug of slugs.slice(1)) {
    const pressed = performance.now();
    shown.pty.write('j');
    await shows(shown, `I am ${slug}.`);
    took.push(performance.now() - pressed);
  }
  await close(shown);
  return took;
}

/** Returns the user and system time of a process, in clock ticks. */
function cpuTicks(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return Number(fields[11]) + Number(fields[12]);
}
