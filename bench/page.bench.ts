import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { Browser, CDPSession, Page } from 'playwright-core';
import { openBrowser } from '../test/harness/browser.ts';
import { measureLoad, type PageUnderTest, startPage } from '../test/harness/page.ts';
import { asking, DONE, WORKING } from '../test/harness/some-sessions.ts';
import { waitFor } from '../test/harness/wait-for.ts';
import { createWorld } from '../test/harness/world.ts';
import type { Figure } from './figures.mjs';

export const about =
  'the page in Chromium: 200 sessions that each change 20 times a second (the program that makes the changes has niceness 10, the page the default), 100 MB through one terminal, the first load';

const SESSIONS = 200;
const UPDATES_PER_SECOND = 20;
const LISTED_MS = 15_000;
/** One in this many changes moves a session to another group, so that rows move as well. */
const MOVES_EVERY = 50;

/**
 * The minimum share of changes that must reach the page. With fewer changes, this would no longer measure the page
 * under the intended load.
 */
const MIN_HEARD = 0.95;
/**
 * One process makes the changes, serves them, and watches, which takes most of a core. When a person looks at a page,
 * that work happens elsewhere.
 */
const GENERATOR_NICENESS = 10;

const MB = 1_000_000;
/** This fills the scrollback several times, so that later output should not need more memory. */
const WARM_UP_BYTES = 10 * MB;
const TERMINAL_BYTES = 100 * MB;
/** How much a program usually writes at once. */
const WRITE_BYTES = 16 * 1024;
/**
 * How far the output may be ahead of what the page has drawn. If it were further ahead, the server would send a
 * snapshot of the screen instead.
 */
const AHEAD_BYTES = 400 * 1024;

/** The page's promised limits, plus the garbage that a collector leaves behind. */
const LIMITS = { taskMs: 50, heapMb: 2, processMb: 20, withoutTerminalKb: 250, withTerminalKb: 450 };

export async function measure(): Promise<Figure[]> {
  await using world = createWorld();
  const browser = await openBrowser(world, { webgl: true, isWhole: true });
  return [...(await measureList(browser)), ...(await measureTerminal(browser)), ...(await measureSizes(browser))];
}

async function measureList(browser: Browser): Promise<Figure[]> {
  await using one = await startPage(browser, {
    prepare: ({ sessions }) => {
      for (let number = 1; number <= SESSIONS; number++) {
        sessions.addWithoutRecording(`S-${number}`, { ...WORKING, path: `/home/me/src/service-${number}` });
      }
    },
  });
  await one.page
    .locator('.session-row')
    .nth(SESSIONS - 1)
    .waitFor();
  const frames = countFrames(one.page);
  await one.page.reload();
  await one.page
    .locator('.session-row')
    .nth(SESSIONS - 1)
    .waitFor();
  await delay(1_000);
  const before = frames.count;
  const usualNiceness = getPriority();
  for (const pid of await renderersOf(browser)) setThreadPriorities(pid, usualNiceness);
  trySetPriority(usualNiceness + GENERATOR_NICENESS);
  const trace = await traceTasks(browser, one.page, () => changeAll(one, LISTED_MS));
  trySetPriority(usualNiceness);
  const perSecond = ((frames.count - before) / LISTED_MS) * 1_000;
  if (perSecond < SESSIONS * UPDATES_PER_SECOND * MIN_HEARD) throw new Error(`only ${perSecond} changes a second came`);
  return [
    { name: 'list: changes received', value: perSecond, unit: '/s' },
    { name: 'list: longest main-thread task', value: trace.longestMs, unit: 'ms', limit: LIMITS.taskMs },
    { name: 'list: tasks longer than 50 ms', value: trace.beyondLimit, unit: `of ${trace.count}`, limit: 0 },
    { name: 'list: the highest processor time of a task', value: trace.longestCpuMs, unit: 'ms', limit: LIMITS.taskMs },
    { name: 'list: main thread, processor', value: (trace.cpuMs / trace.tracedMs) * 100, unit: '% of a core' },
  ];
}

/** Changes every session as often as promised, spread evenly over the time. */
async function changeAll({ server: { sessions } }: PageUnderTest, durationMs: number): Promise<void> {
  const started = performance.now();
  let done = 0;
  for (let elapsed = 0; elapsed < durationMs; elapsed = performance.now() - started) {
    for (const due = (elapsed / 1_000) * SESSIONS * UPDATES_PER_SECOND; done < due; done++) {
      const now = new Date().toISOString();
      const some = done % MOVES_EVERY === 0 ? [asking({ id: `q${done}` }), DONE][(done / MOVES_EVERY) % 2] : WORKING;
      if (some?.status === undefined) throw new Error('no status');
      const because = { ...some.status.because, evidence: `Bash: npm test, for the ${done}th time` };
      sessions.change(`S-${(done % SESSIONS) + 1}`, { ...some, status: { ...some.status, because, since: now } });
    }
    await delay(2);
  }
}

async function measureTerminal(browser: Browser): Promise<Figure[]> {
  await using one = await startPage(browser, {
    prepare: ({ sessions }) => void sessions.add('BIG', { ...WORKING, cols: 120, rows: 40 }),
  });
  const { page } = one;
  const frames = countFrames(page);
  await page.reload();
  await one.visit('#/s/BIG');
  await page.locator('.xterm-screen').waitFor();
  await waitFor(() => frames.acked > 0, { describe: 'the first picture is drawn' });
  const cdp = await one.watched.context.newCDPSession(page);
  await send(one, frames, WARM_UP_BYTES);
  const before = await memoryOf(browser, cdp);
  const [receivedBefore, snapshotsBefore, started] = [frames.received, frames.snapshots, performance.now()];
  const trace = await traceTasks(browser, page, () => send(one, frames, TERMINAL_BYTES));
  const seconds = (performance.now() - started) / 1_000;
  const through = frames.received - receivedBefore;
  if (frames.snapshots !== snapshotsBefore || through < TERMINAL_BYTES) {
    throw new Error(`only ${through} bytes came, with ${frames.snapshots - snapshotsBefore} pictures instead of bytes`);
  }
  const after = await memoryOf(browser, cdp);
  return [
    { name: 'terminal: 100 MB drawn', value: through / MB / seconds, unit: 'MB/s' },
    { name: 'terminal: longest main-thread task', value: trace.longestMs, unit: 'ms' },
    { name: 'terminal: the highest processor time of a task', value: trace.longestCpuMs, unit: 'ms' },
    { name: 'terminal: JavaScript heap before', value: before.heap / MB, unit: 'MB' },
    { name: 'terminal: it grew by', value: (after.heap - before.heap) / MB, unit: 'MB', limit: LIMITS.heapMb },
    { name: 'terminal: process before', value: before.process / MB, unit: 'MB' },
    { name: 'terminal: it grew by', value: (after.process - before.process) / MB, unit: 'MB', limit: LIMITS.processMb },
  ];
}

/** Writes output as fast as the page draws it. */
async function send({ server }: PageUnderTest, frames: Frames, bytes: number): Promise<void> {
  const recording = server.sessions.stream('BIG');
  const goal = recording.end() + bytes;
  for (let at = 0; recording.end() < goal; at++) {
    recording.write(someOutput(at));
    await waitFor(() => recording.end() - frames.acked < AHEAD_BYTES, { describe: 'the page draws' });
  }
  await waitFor(() => frames.acked >= recording.end(), { describe: 'all is drawn' });
}

/** Returns coloured lines, as tools print them. */
function someOutput(seed: number): string {
  let text = '';
  for (let line = 0; text.length < WRITE_BYTES; line++) {
    const colour = 31 + ((seed + line) % 6);
    text += `\u001b[${colour}m● step ${seed}.${line}\u001b[0m \u001b[1mcompiled\u001b[22m src/module-${line}/index.ts → dist/module-${line}.js \u001b[2m(${seed * line} bytes)\u001b[0m\r\n`;
  }
  return text;
}

async function measureSizes(browser: Browser): Promise<Figure[]> {
  await using one = await startPage(browser, { prepare: ({ sessions }) => void sessions.add('DONE', DONE) });
  const { withoutTerminal, withTerminal } = await measureLoad(one, 'DONE');
  const size = (name: string, bytes: number, limit: number) => ({ name, value: bytes / 1_000, unit: 'kB', limit });
  return [
    size('first load, gzipped, without the terminal', withoutTerminal, LIMITS.withoutTerminalKb),
    size('first load, gzipped, with the terminal', withTerminal, LIMITS.withTerminalKb),
  ];
}

/** The traffic on the page's WebSocket. */
interface Frames {
  count: number;
  /** bytes of recordings, counted by their offsets */
  received: number;
  snapshots: number;
  /** the last offset that the page has acknowledged as drawn */
  acked: number;
}

function countFrames(page: Page): Frames {
  const frames: Frames = { count: 0, received: 0, snapshots: 0, acked: 0 };
  page.on('websocket', (socket) => {
    let end = 0;
    socket.on('framereceived', ({ payload }) => {
      frames.count++;
      if (!payload.includes('"type":"stream"')) return;
      const { offset, snapshot } = JSON.parse(String(payload)) as { offset: number; snapshot?: boolean };
      if (snapshot === true) frames.snapshots++;
      else frames.received += offset - end;
      end = offset;
    });
    socket.on('framesent', ({ payload }) => {
      if (!payload.includes('"type":"ack"')) return;
      frames.acked = (JSON.parse(String(payload)) as { offset: number }).offset;
    });
  });
  return frames;
}

interface TraceEvent {
  name: string;
  ph: string;
  pid: number;
  tid: number;
  /** microseconds */
  ts: number;
  dur?: number;
  /** its processor time in microseconds, without the time that other programs took */
  tdur?: number;
  args?: { name?: string };
}

/** Records every task on the page's main thread while something runs, using the browser's own trace. */
async function traceTasks(browser: Browser, page: Page, run: () => Promise<void>) {
  await browser.startTracing(page, { categories: ['toplevel', 'disabled-by-default-devtools.timeline'] });
  const started = performance.now();
  await run();
  const tracedMs = performance.now() - started;
  const trace = (await browser.stopTracing()).toString();
  // The trace can be opened in chrome://tracing.
  if (process.env.PAGE_TRACE !== undefined) writeFileSync(process.env.PAGE_TRACE, trace);
  const { traceEvents } = JSON.parse(trace) as { traceEvents: TraceEvent[] };
  const threads = traceEvents.filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain');
  const isOfPage = new Set(threads.map(({ pid, tid }) => `${pid} ${tid}`));
  const tasks = traceEvents.filter(
    ({ name, ph, pid, tid }) => ph === 'X' && name === 'RunTask' && isOfPage.has(`${pid} ${tid}`),
  );
  if (tasks.length < 100) throw new Error(`the trace has ${tasks.length} tasks only`);
  return {
    count: tasks.length,
    beyondLimit: tasks.filter(({ dur = 0 }) => dur / 1_000 > LIMITS.taskMs).length,
    longestMs: tasks.reduce((longest, { dur = 0 }) => Math.max(longest, dur / 1_000), 0),
    longestCpuMs: tasks.reduce((longest, { tdur = 0 }) => Math.max(longest, tdur / 1_000), 0),
    cpuMs: tasks.reduce((sum, { tdur = 0 }) => sum + tdur / 1_000, 0),
    tracedMs,
  };
}

/**
 * Returns the memory after a full garbage collection: the heap including external memory, and the private memory of the
 * page's process.
 */
async function memoryOf(browser: Browser, cdp: CDPSession): Promise<{ heap: number; process: number }> {
  for (let round = 0; round < 3; round++) await cdp.send('HeapProfiler.collectGarbage');
  const { usedSize, backingStorageSize = 0 } = (await cdp.send('Runtime.getHeapUsage')) as {
    usedSize: number;
    backingStorageSize?: number;
  };
  const sizes = (await renderersOf(browser)).map(privateBytes);
  return { heap: usedSize + backingStorageSize, process: Math.max(...sizes) };
}

/** Returns the process ids of the browser's pages. */
async function renderersOf(browser: Browser): Promise<number[]> {
  const whole = await browser.newBrowserCDPSession();
  const { processInfo } = await whole.send('SystemInfo.getProcessInfo');
  await whole.detach();
  return processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => id);
}

/**
 * Gives the page's process the priority that a visible page has. A browser without a window treats its pages as hidden
 * and runs them at a lower priority (niceness 5).
 */
function setThreadPriorities(pid: number, niceness: number): void {
  for (const thread of readdirSync(`/proc/${pid}/task`)) trySetPriority(niceness, Number(thread));
}

/**
 * Only root may raise a priority, and a thread may have ended by now. If this fails, the figures become worse, never
 * better.
 */
function trySetPriority(niceness: number, pid = 0): void {
  try {
    setPriority(pid, niceness);
  } catch (error) {
    const { info } = error as { info?: { code?: string } };
    if (!['EACCES', 'EPERM', 'ESRCH'].includes(info?.code ?? '')) throw error;
  }
}

function privateBytes(pid: number): number {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  const of = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(rollup)?.[1] ?? 0);
  return (of('Private_Clean') + of('Private_Dirty')) * 1024;
}
