import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { Session, StreamFrame } from '../src/protocol/index.ts';
import { startCbos } from '../test/harness/cbos.ts';
import { claudeWorld } from '../test/harness/claude.ts';
import { jsonSessions } from '../test/harness/json-session.ts';
import { waitFor } from '../test/harness/wait-for.ts';
import type { Figure } from './figures.mjs';

export const about =
  '200 idle JSON sessions for 20 s: what the server takes; and how soon a resumed turn of the real Claude Code says something';

const SESSIONS = 200;
const MEASURED_MS = 20_000;
const RESUMES = 5;
/** `getconf CLK_TCK` of every Linux that CBOS runs on. */
const TICKS_PER_SECOND = 100;

export async function measure(): Promise<Figure[]> {
  await using world = await claudeWorld();
  const cbos = await startCbos(world, { CBOS_JSON_IDLE_TIMEOUT: '1' });
  const json = jsonSessions(world, () => cbos);
  for (let number = 1; number <= SESSIONS; number += 1) await json.create(`IDLE-${number}`);
  const talked = 'IDLE-1';
  await json.invoke(talked, 'scene:hello');
  await cbos.until(talked, (one) => one.json_state === 'complete', 'is complete');
  await json.untilNoAgent();

  const before = cpuTicks(cbos.pid);
  await delay(MEASURED_MS);
  const cpu = ((cpuTicks(cbos.pid) - before) / TICKS_PER_SECOND / (MEASURED_MS / 1_000)) * 100;
  const memory = memoryMegabytes(cbos.pid);
  const agents = json.agents();

  const watcher = await cbos.watch();
  watcher.send({ type: 'subscribe', sessions: [talked] });
  await waitFor(() => watcher.frames.some(({ type }) => type === 'subscribed'), { describe: 'the client follows' });
  const firsts: number[] = [];
  const starts: number[] = [];
  for (let time = 0; time < RESUMES; time++) {
    const known = watcher.frames.length;
    const sentAt = Date.now();
    await json.invoke(talked, 'scene:hello');
    const first = await waitFor(() => watcher.frames.slice(known).find(isEvent), { describe: 'the first event comes' });
    const session = await cbos.session(talked);
    firsts.push(first.receivedAt - sentAt);
    starts.push(first.receivedAt - startedAt(session));
    await cbos.until(talked, (one) => one.json_state === 'complete', 'is complete');
    await json.untilNoAgent();
    await cbos.until(talked, ({ pid }) => pid === null, 'has no process');
  }
  return [
    { name: 'Claude Code processes of 200 idle sessions', value: agents, unit: 'processes', limit: 0 },
    { name: 'server, processor', value: cpu, unit: '% of a core', limit: 1 },
    { name: 'server, memory', value: memory, unit: 'MB', limit: 250 },
    { name: 'prompt to first event of a resumed turn, median', value: median(firsts), unit: 'ms', limit: 1_500 },
    { name: 'prompt to first event of a resumed turn, slowest', value: Math.max(...firsts), unit: 'ms' },
    { name: "of which Claude Code's own start, median", value: median(starts), unit: 'ms' },
  ];
}

function isEvent(frame: StreamFrame): boolean {
  return frame.type === 'claude_event';
}

function median(values: readonly number[]): number {
  return [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** When a session's process was started, Unix milliseconds, to 10 ms. */
function startedAt({ pid }: Session): number {
  const startTicks = Number(statFields(pid ?? 0)[19]);
  const uptimeSeconds = Number(readFileSync('/proc/uptime', 'utf8').split(' ')[0]);
  return Date.now() - (uptimeSeconds - startTicks / TICKS_PER_SECOND) * 1_000;
}

/** User and system time of a process, in clock ticks. */
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
