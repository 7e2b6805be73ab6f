import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** How many threads and descriptors must be left: others take some at the same moment. */
const SPARE = 64;
/** How often to count what the whole machine uses; what is this process's own is looked at each time. */
const COUNT_EVERY_MS = 500;

/**
 * Whether a thread and some descriptors can be had for sure. What starts one inside of V8 aborts the whole process
 * where they cannot (Node 20). True where there is no /proc to ask.
 */
export function createSpareRoom(now: () => number): () => boolean {
  let countedAt = Number.NEGATIVE_INFINITY;
  let threads = 0;
  return () => {
    const limits = read('/proc/self/limits');
    if (limits === null) return true;
    if (now() - countedAt >= COUNT_EVERY_MS) {
      countedAt = now();
      // Of the whole machine: as many as the user has at most.
      threads = Number(/\/(\d+) /.exec(read('/proc/loadavg') ?? '')?.[1] ?? 0);
    }
    const left = Math.min(limitOf(limits, 'processes') - threads, ...ownGroups().map(leftIn));
    return left >= SPARE && limitOf(limits, 'open files') - countDescriptors() >= SPARE;
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
    // There is none left to count them with.
    return Number.POSITIVE_INFINITY;
  }
}

/**
 * The own control groups that may hold a process to a number of threads: of version 2, of version 1, and those above
 * them.
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
