import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import pty, { type IPty } from '@lydell/node-pty';
import { PROGRAM } from '../test/harness/cbos.ts';
import { type FacesUnderTest, startFaces } from '../test/harness/faces.ts';
import { waitFor } from '../test/harness/wait-for.ts';
import type { Figure } from './figures.mjs';

export const about =
  'the terminal UI in 280×60: a live session of 200×50 that changes 30 times a second, the start, a hundred sessions scrolled through';

const [COLS, ROWS] = [280, 60];
const UPDATES_PER_SECOND = 30;
const MEASURED_MS = 15_000;
const STARTS = 7;
const SESSIONS = 100;
/** `getconf CLK_TCK` of every Linux that CBOS runs on. */
const TICKS_PER_SECOND = 100;

export async function measure(): Promise<Figure[]> {
  const starts: number[] = [];
  await using server = await startFaces();
  const live = server.sessions.add('LIVE', { cols: 200, rows: 50 });
  live.write(`${colourfulRows(0, 50)}\u001b[1;1Hthe first picture`);
  for (let count = 0; count < STARTS; count++) starts.push(await measureStart(server));
  const cpu = await measureLive(server, live);
  const [median, slowest] = await measureScrolling(server);
  return [
    { name: 'live session, processor', value: cpu, unit: '% of a core', limit: 5 },
    { name: 'start to first picture, median', value: medianOf(starts), unit: 'ms', limit: 300 },
    { name: 'key to picture among 100 sessions, median', value: median, unit: 'ms' },
    { name: 'key to picture among 100 sessions, slowest', value: slowest, unit: 'ms', limit: 100 },
  ];
}

interface Shown {
  pty: IPty;
  /** what was written since the last call */
  take(): string;
}

function open(server: FacesUnderTest): Shown {
  let written = '';
  const terminal = pty.spawn(process.execPath, [PROGRAM], {
    cols: COLS,
    rows: ROWS,
    env: server.world.env,
    cwd: server.world.dir,
  });
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

/** Until a text was written. */
async function shows(shown: Shown, text: string): Promise<void> {
  let all = '';
  await waitFor(
    () => {
      all += shown.take();
      return all.includes(text);
    },
    { describe: `${text} is shown` },
  );
}

async function measureStart(server: FacesUnderTest): Promise<number> {
  const started = performance.now();
  const shown = open(server);
  await shows(shown, 'the first picture');
  const took = performance.now() - started;
  await close(shown);
  return took;
}

/** As Claude Code writes: a spinner and its clock each time, often a new line of an answer that scrolls the rest. */
async function measureLive(
  server: FacesUnderTest,
  live: ReturnType<FacesUnderTest['sessions']['add']>,
): Promise<number> {
  const shown = open(server);
  await shows(shown, 'the first picture');
  let update = 0;
  const timer = setInterval(() => {
    update++;
    live.write(`\u001b[50;1H${colourfulRows(update, 1)}\u001b[3;1H\u001b[35m✻\u001b[39m Garnishing… (${update}s)`);
    shown.take();
  }, 1_000 / UPDATES_PER_SECOND);
  await delay(1_000);
  const before = cpuTicks(shown.pty.pid);
  await delay(MEASURED_MS);
  const ticks = cpuTicks(shown.pty.pid) - before;
  clearInterval(timer);
  await close(shown);
  return (ticks / TICKS_PER_SECOND / (MEASURED_MS / 1_000)) * 100;
}

async function measureScrolling(server: FacesUnderTest): Promise<[median: number, slowest: number]> {
  for (let number = 1; number < SESSIONS; number++) {
    server.sessions
      .add(`S-${number}`, { cols: 200, rows: 50 })
      .write(`${colourfulRows(number, 50)}this is S-${number}.`);
  }
  const shown = open(server);
  await shows(shown, 'the first picture');
  const took: number[] = [];
  // All are in their state for equally long, so they are listed by name.
  for (const slug of Array.from({ length: SESSIONS - 1 }, (_, index) => `S-${index + 1}`).sort()) {
    const pressed = performance.now();
    shown.pty.write('j');
    await shows(shown, `this is ${slug}.`);
    took.push(performance.now() - pressed);
  }
  await close(shown);
  return [medianOf(took), Math.max(...took)];
}

/** Rows of 200 columns, each with some words in colours. */
function colourfulRows(seed: number, count: number): string {
  const row = (number: number): string =>
    Array.from({ length: 20 }, (_, word) =>
      `\u001b[3${(number + word + seed) % 8}mword${(number * 7 + word + seed) % 1000}`.padEnd(14),
    ).join('');
  return Array.from({ length: count }, (_, number) => `${row(number)}\u001b[0m\r\n`).join('');
}

function medianOf(values: readonly number[]): number {
  return [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** User and system time of a process, in clock ticks. */
function cpuTicks(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return Number(fields[11]) + Number(fields[12]);
}
