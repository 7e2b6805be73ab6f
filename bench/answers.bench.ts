import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay, setImmediate } from 'node:timers/promises';
import { processNow } from '../src/platform/process/index.ts';
import { type Answering, startAnswering } from '../test/harness/answering.ts';
import { waitFor } from '../test/harness/wait-for.ts';
import { type Figure, median } from './figures.mjs';
import { startSession } from './one-session.ts';
import { processorSeconds } from './processor-time.ts';

export const about =
  'real Claude Code on the stand-in, the same question answered by a reply and, in sessions whose hook cannot wait, by keys: from POST /sessions/S/answer to the end of the hook that waits, after which Claude Code continues, to the frame that reports that nothing is asked any more, and to the response; then 30 sessions for 30 s before they ask and for 30 s while they do';

const ANSWERS = 25;
const DIALOGS = 30;
/** How many sessions start at the same time. */
const BATCH = 3;
const MEASURED_MS = 30_000;
/** After this time, launching, the first checks, and drawing are over. */
const SETTLE_MS = 10_000;

export async function measure(): Promise<Figure[]> {
  const reply = await answerTimes({ byKeys: false });
  const keys = await answerTimes({ byKeys: true });
  const of = (what: string, values: readonly number[], limit?: number): Figure[] => [
    {
      name: `${what}, median of ${values.length}`,
      value: median(values),
      unit: 'ms',
      ...(limit === undefined ? {} : { limit }),
    },
    { name: 'the slowest of them', value: Math.max(...values), unit: 'ms' },
  ];
  return [
    ...of('by a reply: Claude Code has it', reply.taken, 40),
    ...of('by a reply: the status changes', reply.goneOn),
    ...of('by a reply: the response', reply.told),
    ...of('by keys: the status changes', keys.goneOn),
    ...of('by keys: the response', keys.told),
    ...(await idleCost()),
  ];
}

interface Times {
  /** the times when the hook ended, so that Claude Code has its output; with keypresses, nothing reports this */
  taken: number[];
  /** the times of the frames that no longer contain the question */
  goneOn: number[];
  told: number[];
}

async function answerTimes({ byKeys }: { byKeys: boolean }): Promise<Times> {
  const { world, cbos } = await startAnswering({ byKeys });
  try {
    await startSession(cbos, world, 'S');
    const times: Times = { taken: [], goneOn: [], told: [] };
    for (let count = 0; count < ANSWERS; count += 1) {
      await cbos.call('POST', '/sessions/S/send', { text: `scene:ask number ${count}` });
      await cbos.until('S', ({ status }) => (status.question?.options.length ?? 0) > 0, 'asks');
      const pids = byKeys
        ? []
        : await waitFor(() => (waitingHooks(world).length > 0 ? waitingHooks(world) : null), {
            describe: 'its hook waits',
          });
      const watcher = await cbos.watch();
      const from = performance.now();
      const fromAt = Date.now();
      const answered = cbos.call('POST', '/sessions/S/answer', { choice: 2 }).then((result) => {
        times.told.push(performance.now() - from);
        return result;
      });
      while (pids.some(isRunning)) await setImmediate();
      if (!byKeys) times.taken.push(performance.now() - from);
      const { error } = await answered;
      if (error !== null) throw new Error(error.message);
      const gone = await waitFor(
        () => watcher.frames.find((frame) => frame.type === 'session_state' && frame.status.question === null),
        { describe: 'the status changes' },
      );
      times.goneOn.push(gone.receivedAt - fromAt);
      watcher.close();
      await cbos.untilStatus('S', 'idle/waiting_input');
    }
    return times;
  } finally {
    await world.dispose();
  }
}

/** Measures the cost of sessions that ask, and of the same sessions before they asked. */
async function idleCost(): Promise<Figure[]> {
  const { world, cbos } = await startAnswering({});
  try {
    const slugs = Array.from({ length: DIALOGS }, (_, number) => `S${number}`);
    for (let at = 0; at < DIALOGS; at += BATCH) {
      await Promise.all(slugs.slice(at, at + BATCH).map((slug) => startSession(cbos, world, slug)));
    }
    await delay(SETTLE_MS);
    const before = await share([cbos.pid]);
    for (const slug of slugs) await cbos.call('POST', `/sessions/${slug}/send`, { text: `scene:ask for ${slug}` });
    for (const slug of slugs) await cbos.untilStatus(slug, 'waiting/question');
    await delay(SETTLE_MS);
    const hooks = waitingHooks(world);
    const wokenBefore = hooks.map(timesWoken);
    const [server, waiting] = await Promise.all([share([cbos.pid]), share(hooks)]);
    const woken = hooks.reduce((sum, pid, index) => sum + timesWoken(pid) - (wokenBefore[index] ?? 0), 0);
    return [
      { name: `the server, ${DIALOGS} sessions that ask nothing`, value: before, unit: '% of a core' },
      { name: `the server, ${DIALOGS} open dialogs`, value: server, unit: '% of a core' },
      { name: `their ${hooks.length} waiting processes`, value: waiting, unit: '% of a core', limit: 0 },
      { name: 'how often they were woken', value: woken, unit: 'times', limit: 0 },
      { name: 'what the dialogs cost', value: Math.max(0, server - before) + waiting, unit: '% of a core', limit: 0.5 },
    ];
  } finally {
    await world.dispose();
  }
}

/** Returns the processes of hooks that wait for a reply: each has a shell and the shell's reader. */
const waitingHooks = (world: Answering['world']): number[] =>
  world.processes().flatMap(({ pid, command }) => (command.includes('/fd/4') ? [pid] : []));

/** Returns the share of a core that processes use while they are idle. */
async function share(pids: readonly number[]): Promise<number> {
  const seconds = (): number => pids.reduce((sum, pid) => sum + processorSeconds(pid), 0);
  const before = seconds();
  await delay(MEASURED_MS);
  return ((seconds() - before) / (MEASURED_MS / 1_000)) * 100;
}

/** Returns how often the kernel has scheduled a process, in all its threads. */
function timesWoken(pid: number): number {
  return readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => {
    const status = readFileSync(`/proc/${pid}/task/${thread}/status`, 'utf8');
    return sum + Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(status)?.[1]);
  }, 0);
}

/** A process that has ended but has not been reaped yet does not count as running. */
function isRunning(pid: number): boolean {
  const now = processNow(pid);
  return now !== null && now.state !== 'Z';
}
