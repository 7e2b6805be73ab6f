import { setTimeout as delay } from 'node:timers/promises';
import { waitFor } from '../../test/harness/wait-for.ts';
import { createWorld, type World } from '../../test/harness/world.ts';
import { timeCommand } from '../command-time.ts';
import { median } from '../figures.mjs';
import { appendOutput, share } from '../growing-recordings.ts';
import { processorSeconds } from '../processor-time.ts';
import { holders, type Peer, sharedMegabytes } from './peer.ts';

/** After this time, launches and first checks are over. */
const SETTLE_MS = 10_000;
/** Twenty writes a second, each as large as a redraw by Claude Code. */
const OUTPUT = { bytesPerSecond: 30_000, writeBytes: 1_500 };
const LISTS = 15;

export interface Sizes {
  idleSeconds: number;
  outputSeconds: number;
}

/** What a program needs to hold sessions that do nothing. */
export interface Idle {
  /** the processor time of all its processes, in percent of a core */
  processor: number;
  /** the memory of all its processes, in MB */
  memory: number;
}

export interface Held extends Idle {
  /** milliseconds from a write in a session until a client has it */
  median: number;
  p99: number;
  /** milliseconds, median; null if the program has no command that lists sessions */
  listMs: number | null;
}

/** Measures a program with sessions of the stub agent. */
export async function measureHeld(peer: Peer, sessions: number, sizes: Sizes): Promise<Held> {
  await using world = createWorld();
  const holding = await peer.hold(world, sessions);
  const idle = await idleOf(world, sizes);
  const listMs = holding.list === null ? null : listTime(world, holding.list);
  const client = await holding.follow();
  const before = client.ages.length;
  await appendOutput({ files: [client.terminal], ...OUTPUT, seconds: sizes.outputSeconds });
  const least = Math.floor((OUTPUT.bytesPerSecond / OUTPUT.writeBytes) * sizes.outputSeconds * 0.9);
  await waitFor(() => client.ages.length - before >= least, {
    describe: `the client of ${peer.name} has what was written`,
    actual: () => client.ages.length - before,
    timeoutMs: 60_000,
  });
  const ages = client.ages.slice(before);
  return { ...idle, listMs, median: share(ages, 0.5), p99: share(ages, 0.99) };
}

/** Measures only what a program needs while its sessions do nothing. */
export async function measureIdle(peer: Peer, sessions: number, sizes: Sizes): Promise<Idle> {
  await using world = createWorld();
  await peer.hold(world, sessions);
  return await idleOf(world, sizes);
}

async function idleOf(world: World, { idleSeconds }: Sizes): Promise<Idle> {
  await delay(SETTLE_MS);
  const pids = holders(world);
  const seconds = (): number => pids.reduce((sum, pid) => sum + processorSeconds(pid), 0);
  const before = seconds();
  await delay(idleSeconds * 1_000);
  return { processor: ((seconds() - before) / idleSeconds) * 100, memory: sharedMegabytes(pids) };
}

/** Returns how long a command takes until it ends, the median of several runs. */
export function listTime(world: Pick<World, 'env' | 'projectDir'>, command: readonly string[]): number {
  return median(Array.from({ length: LISTS }, () => timeCommand(world, command).wallMs));
}
