import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Session } from '../src/protocol/index.ts';
import { startCbos } from '../test/harness/cbos.ts';
import { waitFor } from '../test/harness/wait-for.ts';
import { createWorld } from '../test/harness/world.ts';
import type { Figure } from './figures.mjs';
import { processorSeconds } from './processor-time.ts';

export const about =
  '30 idle sessions of a stub agent for 30 s: what the server uses, compared with a Node process that does nothing';

const SESSIONS = 30;
const MEASURED_MS = 30_000;
/** After this time, launching, replaying, and the first checks are over. */
const SETTLE_MS = 5_000;

export async function measure(): Promise<Figure[]> {
  await using world = createWorld();
  const stub = fileURLToPath(new URL('stub-agent.sh', import.meta.url));
  const cbos = await startCbos(world, { CBOS_CLAUDE_COMMAND: stub });
  const bare = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1e9)'], {
    env: world.env,
    stdio: 'ignore',
  });
  for (let number = 1; number <= SESSIONS; number += 1) {
    const created = await cbos.call('POST', '/sessions', {
      slug: `STUB-${number}`,
      type: 'screen',
      path: world.projectDir,
    });
    if (created.error !== null) throw new Error(created.error.message);
  }
  const isIdle = async (): Promise<boolean> => {
    const { body } = await cbos.call<Session[]>('GET', '/sessions?state=idle');
    return body.length === SESSIONS;
  };
  await waitFor(isIdle, {
    describe: 'all sessions are idle',
    timeoutMs: 20_000,
  });

  await delay(SETTLE_MS);
  const before = processorSeconds(cbos.pid);
  const bareBefore = processorSeconds(bare.pid ?? 0);
  await delay(MEASURED_MS);
  const share = (seconds: number): number => (seconds / (MEASURED_MS / 1_000)) * 100;
  const cpu = share(processorSeconds(cbos.pid) - before);
  const bareCpu = share(processorSeconds(bare.pid ?? 0) - bareBefore);
  const memory = memoryMegabytes(cbos.pid);
  const bareMemory = memoryMegabytes(bare.pid ?? 0);
  bare.kill();
  return [
    { name: 'server, processor', value: cpu, unit: '% of a core', limit: 1 },
    { name: 'server, memory', value: memory, unit: 'MB', limit: 200 },
    { name: 'bare Node, processor', value: bareCpu, unit: '% of a core' },
    { name: 'bare Node, memory', value: bareMemory, unit: 'MB' },
    { name: 'memory, server against bare Node', value: memory / bareMemory, unit: 'times' },
  ];
}

function memoryMegabytes(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) / 1_024;
}
