import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** How many threads and descriptors must be left over, because other programs take some at the same time. */
const SPARE = 64;
/** If this many are left, they are not counted again for a while, because they cannot run out that quickly. */
const PLENTY = 1_000;
const PLENTY_FOR_MS = 100;
/** How often to count the threads of the whole machine. This process's own usage is checked every time. */
const COUNT_EVERY_MS = 500;

/**
 * Creates a function that checks whether a thread and some descriptors are certainly available. Without them, code in
 * V8 that starts a thread aborts the whole process (Node 20). If /proc is not available, the check returns true.
 */
export function createSpareRoom(now: () => number): () => boolean {
  let countedAt = Number.NEGATIVE_INFINITY;
  let threads = 0;
  let hadPlentyAt = Number.NEGATIVE_INFINITY;
  return () => {
    if (now() - hadPlentyAt < PLENTY_FOR_MS) return true;
    const limits = read('/proc/self/limits');
    if (limits === null) return true;
    if (now() - countedAt >= COUNT_EVERY_MS) {
      countedAt = now();
      // This counts all the threads on the machine, and the user cannot have more than that.
      threads = Number(/\/(\d+) /.exec(read('/proc/loadavg') ?? '')?.[1] ?? 0);
    }
    const descriptors = limitOf(limits, 'open files') - countDescriptors();
    const left = Math.min(descriptors, limitOf(limits, 'processes') - threads, ...ownGroups().map(leftIn));
    if (left >= PLENTY) hadPlentyAt = now();
    return left >= SPARE;
  };
}

function limitOf(limits: string, name: string): number {
  const soft = new RegExp(`^Max ${name} +(\\S+)`, 'm').exec(limits)?.[1];
  return soft === undefined || soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft);
}

function countDescriptors(): number {
  try {
    return readdirSync('/proc/self/fd').length;
  } catch {
    // In this case, no descriptor is left with which to count.
    return Number.POSITIVE_INFINITY;
  }
}

/**
 * Returns the control groups of this process that may limit its number of threads: those of version 2 and version 1,
 * and their parents.
 */
function ownGroups(): string[] {
  return (read('/proc/self/cgroup') ?? '').split('\n').flatMap((line) => {
    const [, controllers, path] = /^\d+:([^:]*):(\/.*)$/.exec(line) ?? [];
    if (path === undefined || (controllers !== '' && controllers !== 'pids')) return [];
    const root = controllers === '' ? '/sys/fs/cgroup' : '/sys/fs/cgroup/pids';
    const parts = path.split('/').filter((part) => part !== '');
    return parts.map((_, index) => join(root, ...parts.slice(0, index + 1)));
  });
}

function leftIn(cgroup: string): number {
  const most = read(join(cgroup, 'pids.max'))?.trim() ?? 'max';
  if (most === 'max') return Number.POSITIVE_INFINITY;
  return Number(most) - Number(read(join(cgroup, 'pids.current')) ?? 0);
}

function read(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}
