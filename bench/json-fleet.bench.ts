import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { Session, StreamFrame } from '../src/protocol/index.ts';
import { startCbos } from '../test/harness/cbos.ts';
import { claudeWorld } from '../test/harness/claude.ts';
import { jsonSessions } from '../test/harness/json-session.ts';
import { waitFor } from '../test/harness/wait-for.ts';
import { type Figure, median } from './figures.mjs';

export const about =
  '200 JSON sessions that have each had a turn and are idle, for 20 s: what the server uses; and how soon a resumed turn of the real Claude Code sends its first event';

const SESSIONS = 200;
/** How many turns run at once in the first round. Each Claude Code takes 250 MB and most of a core to start. */
const BATCH = 8;
const MEASURED_MS = 20_000;
/**
 * How many sessions are resumed, each only once. A second resume would find data in caches, and a user who comes back
 * does not have that advantage.
 */
const RESUMES = 7;
/** `getconf CLK_TCK` on every Linux that CBOS runs on. */
const TICKS_PER_SECOND = 100;

export async function measure(): Promise<Figure[]> {
  await using world = await claudeWorld({ pace: 0 });
  const cbos = await startCbos(world, { CBOS_JSON_IDLE_TIMEOUT: '1' });
  const json = jsonSessions(world, () => cbos);
  const slugs = Array.from({ length: SESSIONS }, (_, index) => `IDLE-${index}`);
  const watcher = await cbos.watch();
  const untilComplete = (slug: string, from: number): Promise<unknown> =>
    waitFor(() => watcher.frames.slice(from).some((frame) => isComplete(frame, slug)), {
      describe: `the turn of ${slug} is over`,
      timeoutMs: 60_000,
    });
  for (let at = 0; at < SESSIONS; at += BATCH) {
    await Promise.all(
      slugs.slice(at, at + BATCH).map(async (slug) => {
        await json.create(slug);
        const from = watcher.frames.length;
        await json.invoke(slug, 'scene:read');
        await untilComplete(slug, from);
      }),
    );
  }
  const list = async (): Promise<Session[]> => (await cbos.call<Session[]>('GET', '/sessions')).body;
  const sessions = await waitFor(
    async () => {
      const found = await list();
      return found.every(({ pid }) => pid === null) ? found : null;
    },
    { describe: 'the server has let go of all processes' },
  );
  const quiet = sessions.filter((one) => one.json_state === 'complete' && (one.cost_usd ?? 0) > 0);
  if (quiet.length < SESSIONS) throw new Error(`only ${quiet.length} sessions have had their turn`);
  watcher.close();

  const before = cpuTicks(cbos.pid);
  await delay(MEASURED_MS);
  const cpu = ((cpuTicks(cbos.pid) - before) / TICKS_PER_SECOND / (MEASURED_MS / 1_000)) * 100;
  const memory = memoryMegabytes(cbos.pid);
  const agents = json.agents();

  const firsts: number[] = [];
  const answers: number[] = [];
  const starts: number[] = [];
  for (let time = 0; time < RESUMES; time++) {
    const slug = slugs[Math.floor((time * SESSIONS) / RESUMES)] ?? '';
    const follower = await cbos.watch();
    const first = (isIt: (frame: StreamFrame) => boolean) =>
      waitFor(() => follower.frames.find(isIt), { describe: `${slug} says something`, timeoutMs: 20_000 });
    follower.send({ type: 'subscribe', sessions: [slug], after: { [slug]: (await json.events(slug)).length } });
    await first(({ type }) => type === 'subscribed');
    const sentAt = Date.now();
    await json.invoke(slug, 'scene:hello');
    const { receivedAt } = await first(({ type }) => type === 'claude_event');
    firsts.push(receivedAt - sentAt);
    starts.push(receivedAt - startedAt(await cbos.session(slug)));
    answers.push((await first(isAnswer)).receivedAt - sentAt);
    await json.untilNoAgent();
    follower.close();
  }
  return [
    { name: 'Claude Code processes of 200 idle sessions', value: agents, unit: 'processes', limit: 0 },
    { name: 'server, processor', value: cpu, unit: '% of a core', limit: 1 },
    { name: 'server, memory', value: memory, unit: 'MB', limit: 250 },
    { name: 'prompt to first event of a resumed turn, median', value: median(firsts), unit: 'ms', limit: 1_500 },
    { name: 'prompt to first event of a resumed turn, slowest', value: Math.max(...firsts), unit: 'ms' },
    { name: "Claude Code's own start within that, median", value: median(starts), unit: 'ms' },
    { name: 'prompt to the first piece of the answer, median', value: median(answers), unit: 'ms' },
  ];
}

function isComplete(frame: StreamFrame, slug: string): boolean {
  return frame.type === 'session_state' && frame.session === slug && frame.json_state === 'complete';
}

/** The stand-in answers immediately, so only the round trip is measured. */
function isAnswer(frame: StreamFrame): boolean {
  return frame.type === 'claude_event' && frame.event.type === 'stream_event';
}

/** Returns when a session's process was started, in Unix milliseconds, exact to 10 ms. */
function startedAt({ pid }: Session): number {
  const startTicks = Number(statFields(pid ?? 0)[19]);
  const uptimeSeconds = Number(readFileSync('/proc/uptime', 'utf8').split(' ')[0]);
  return Date.now() - (uptimeSeconds - startTicks / TICKS_PER_SECOND) * 1_000;
}

/** Returns the user and system time of a process, in clock ticks. */
function cpuTicks(pid: number): number {
  const fields = statFields(pid);
  return Number(fields[11]) + Number(fields[12]);
}

function statFields(pid: number): string[] {
  return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
}

function memoryMegabytes(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) / 1_024;
}
