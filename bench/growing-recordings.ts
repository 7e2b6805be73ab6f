import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { WebSocket } from 'ws';
import type { Session } from '../src/protocol/index.ts';
import { type Cbos, startCbos } from '../test/harness/cbos.ts';
import { waitFor } from '../test/harness/wait-for.ts';
import type { World } from '../test/harness/world.ts';

export interface Growing {
  cbos: Cbos;
  slugs: string[];
  files: string[];
  timings: string[];
}

/**
 * Starts a server with `count` sessions whose agents draw a prompt and are then silent. A benchmark appends output to
 * their recordings.
 */
export async function startGrowing(
  world: World,
  count: number,
  env: Record<string, string> = {},
  size: { cols?: number; rows?: number } = {},
): Promise<Growing> {
  const stub = fileURLToPath(new URL('stub-agent.sh', import.meta.url));
  const cbos = await startCbos(world, { CBOS_CLAUDE_COMMAND: stub, ...env });
  const slugs = Array.from({ length: count }, (_, index) => `GROW-${index + 1}`);
  for (const slug of slugs) {
    const created = await cbos.call('POST', '/sessions', { slug, type: 'screen', path: world.projectDir, ...size });
    if (created.error !== null) throw new Error(created.error.message);
  }
  const isIdle = async (): Promise<boolean> =>
    (await cbos.call<Session[]>('GET', '/sessions?state=idle')).body.length === count;
  await waitFor(isIdle, { describe: 'all sessions are idle', timeoutMs: 60_000 });
  const inStreams = (ending: string) => slugs.map((slug) => join(world.streamDir, `${slug}.${ending}`));
  return { cbos, slugs, files: inStreams('typescript'), timings: inStreams('timing') };
}

/** What a client that follows all sessions has received since `begin`. */
export interface Follower {
  ws: WebSocket;
  begin(): void;
  /** the age of each write when it arrived, in milliseconds */
  ages(): readonly number[];
  snapshots(): number;
  /** the sum of the offsets reached in all recordings */
  offset(): number;
}

/** Connects a client that follows everything and has received every screen. */
export async function followAll(world: World, { cbos, slugs }: Growing): Promise<Follower> {
  const ws = new WebSocket(`${cbos.url.replace('http', 'ws')}/ws/stream`, ['cbos', `bearer.${cbos.token}`]);
  world.onDispose(() => ws.terminate());
  let ages: number[] = [];
  let snapshots = 0;
  const offsets = new Map<string, number>();
  ws.on('open', () => ws.send(JSON.stringify({ type: 'subscribe', sessions: ['*'] })));
  ws.on('message', (message: Buffer) => {
    const frame = JSON.parse(message.toString()) as {
      type: string;
      session: string;
      data: string;
      offset: number;
      snapshot?: true;
    };
    if (frame.type !== 'stream') return;
    offsets.set(frame.session, frame.offset);
    if (frame.snapshot === true) snapshots++;
    else for (const age of agesIn(frame.data)) ages.push(age);
  });
  await waitFor(() => offsets.size === slugs.length, { describe: 'every session is shown' });
  const begin = (): void => {
    ages = [];
    snapshots = 0;
  };
  begin();
  const offset = (): number => [...offsets.values()].reduce((sum, one) => sum + one, 0);
  return { ws, begin, ages: () => ages, snapshots: () => snapshots, offset };
}

export interface Output {
  files: readonly string[];
  /** in the same order; rows are written as `script` writes them */
  timings?: readonly string[];
  /** for all files together */
  bytesPerSecond: number;
  seconds: number;
  writeBytes: number;
}

export interface Written {
  writtenBytes: number;
  seconds: number;
}

/** Appends output to files from a separate process. */
export async function appendOutput(output: Output): Promise<Written> {
  const program = fileURLToPath(new URL('append-output.mjs', import.meta.url));
  const child = spawn(process.execPath, [program, JSON.stringify(output)], { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`the writer ended with ${code}`);
  return JSON.parse(said) as Written;
}

const STAMP = /\]0;T(\d{16})(?:\u0007|\\007)/g;

/** Returns the age, in milliseconds, of each write that the text contains. */
export function agesIn(text: string): number[] {
  const now = Number(process.hrtime.bigint() / 1_000n);
  return [...text.matchAll(STAMP)].map(([, at]) => (now - Number(at)) / 1_000);
}

/** Returns the value that the given share of all values does not exceed. */
export function share(values: readonly number[], part: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? Number.NaN;
}

export function memoryMegabytes(pid: number): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024;
}

/**
 * Returns the user and system time of a process, in seconds; `getconf CLK_TCK` is 100 on every Linux that CBOS runs
 * on.
 */
export function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
