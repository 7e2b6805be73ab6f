import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { waitFor } from '../test/harness/wait-for.ts';
import type { World } from '../test/harness/world.ts';
import { memoryMegabytes } from './growing-recordings.ts';
import { processorSeconds } from './processor-time.ts';

/**
 * A server counts as settled once it has used less than this share of a core for this long. By then, it has also
 * returned freed memory to the kernel (`src/server/return-memory-when-idle.ts`).
 */
const QUIET_SHARE = 0.1;
const QUIET_MS = 12_000;
/** After this time, a server that is still busy is measured as it is. Indexing what a flood wrote takes minutes. */
const LONGEST_MS = 600_000;

/** Waits until the server has finished what it was doing. */
export async function untilSettled(pid: number): Promise<void> {
  const deadline = performance.now() + LONGEST_MS;
  for (;;) {
    const before = processorSeconds(pid);
    const beganAt = performance.now();
    await delay(QUIET_MS);
    const share = (processorSeconds(pid) - before) / ((performance.now() - beganAt) / 1_000);
    if (share < QUIET_SHARE || performance.now() > deadline) return;
  }
}

export interface SettledMemory {
  /** resident, in MB, before anything was forced */
  residentMb: number;
  /** resident, in MB, after V8 has collected everything that it could */
  collectedMb: number;
  /** the live part of V8's heap, in MB */
  heapMb: number;
  /** buffers outside V8's heap, in MB */
  buffersMb: number;
}

/** The inspector of a server, which can force a collection from outside. */
export interface Inspected {
  /** for `startCbos` */
  env: Record<string, string>;
  /** waits until the server is settled, then measures its memory */
  settledMemory(pid: number): Promise<SettledMemory>;
}

/** Prepares a server that can be inspected. */
export async function inspected(world: World): Promise<Inspected> {
  const port = await world.freePort();
  return {
    env: { NODE_OPTIONS: `--inspect=127.0.0.1:${port}` },
    async settledMemory(pid) {
      await untilSettled(pid);
      const residentMb = memoryMegabytes(pid);
      const { heapUsed, external, arrayBuffers } = await collect(port);
      // The kernel takes pages back a moment after they were freed.
      await untilSettled(pid);
      return {
        residentMb,
        collectedMb: memoryMegabytes(pid),
        heapMb: heapUsed / 2 ** 20,
        buffersMb: (external + arrayBuffers) / 2 ** 20,
      };
    },
  };
}

/** Has V8 collect its garbage, and returns what `process.memoryUsage()` says afterwards. */
async function collect(port: number): Promise<NodeJS.MemoryUsage> {
  const [target] = (await (await fetch(`http://127.0.0.1:${port}/json`)).json()) as { webSocketDebuggerUrl: string }[];
  const socket = new WebSocket(target?.webSocketDebuggerUrl ?? '');
  const answers = new Map<number, { result?: { value?: string } }>();
  socket.on('message', (message: Buffer) => {
    const { id, result } = JSON.parse(message.toString()) as { id: number; result: { result?: { value?: string } } };
    answers.set(id, result);
  });
  await waitFor(() => socket.readyState === WebSocket.OPEN, { describe: 'the inspector is connected' });
  const ask = async (id: number, method: string, params = {}) => {
    socket.send(JSON.stringify({ id, method, params }));
    return waitFor(() => answers.get(id) ?? null, { describe: `the inspector answers ${method}`, timeoutMs: 60_000 });
  };
  try {
    // The second collection frees what finalizers of the first one let go.
    await ask(1, 'HeapProfiler.collectGarbage');
    await ask(2, 'HeapProfiler.collectGarbage');
    const usage = await ask(3, 'Runtime.evaluate', { expression: 'JSON.stringify(process.memoryUsage())' });
    return JSON.parse(usage.result?.value ?? '') as NodeJS.MemoryUsage;
  } finally {
    socket.terminate();
  }
}
