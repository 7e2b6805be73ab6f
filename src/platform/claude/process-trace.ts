import { createHash } from 'node:crypto';
import {
  childrenAmong,
  descendantsIn,
  limitLocks,
  listProcesses,
  lockLimitOf,
  type ProcessId,
  processNow,
} from '../process/index.ts';
import { type LaunchMark, readLaunchMark } from './launch-mark.ts';

/**
 * How many digits of a session's number are used. The number is set as the lock limit of the session's processes. It
 * must be short enough for a JavaScript number to represent it exactly, and long enough that two sessions are very
 * unlikely to share one.
 */
const NUMBER_HEX_DIGITS = 12;

/**
 * How many rounds are used to mark a process tree. Children that are forked during one round are found in the next.
 * Processes that are still unmarked after all rounds can be identified only by their environment.
 */
const MARK_ROUNDS = 5;

/** Where a process comes from: the launch marks of the process and of its ancestors. */
export interface ProcessTrace {
  /** the process itself, then its parent, and so on */
  processes: ProcessId[];
  /** the marks in the environments with which the processes were started */
  marks: LaunchMark[];
  /** null if there is none, as for processes outside sessions */
  lockLimit: number | null;
}

/**
 * Determines where a process comes from. An environment can be cleared and a parent can exit, but the lock limit
 * remains.
 * @returns null if the process has ended
 */
export function traceProcess(pid: number): ProcessTrace | null {
  const processes: ProcessId[] = [];
  const marks: LaunchMark[] = [];
  const lockLimit = lockLimitOf(pid);
  for (let at = pid; at > 0 && !processes.some((seen) => seen.pid === at); ) {
    const info = processNow(at);
    if (info === null) break;
    processes.push({ pid: at, startTime: info.startTime });
    const mark = readLaunchMark(at);
    if (mark !== null) marks.push(mark);
    at = info.ppid;
  }
  return processes.length === 0 ? null : { processes, marks, lockLimit };
}

/**
 * Returns the lock limit for a session's processes. @param ceiling the server's own limit, which the result must not
 * exceed
 */
export function lockLimitFor(sessionId: string, ceiling: number | null): number {
  const number = Number.parseInt(createHash('sha256').update(sessionId).digest('hex').slice(0, NUMBER_HEX_DIGITS), 16);
  return ceiling === null ? number : number % ceiling;
}

/** The processes of one session: those at the top, and all their descendants. */
export interface ProcessTree {
  roots: readonly ProcessId[];
  /** the lock limit that identifies the session's processes */
  lockLimit: number;
}

/**
 * Sets the lock limit of each tree's processes. From then on, the limit identifies these processes and everything that
 * they start. All trees share each pass over /proc, because a starting server marks all its sessions at once.
 */
export async function markTrees(trees: readonly ProcessTree[]): Promise<void> {
  let left = trees;
  for (let round = 0; round < MARK_ROUNDS && left.length > 0; round += 1) {
    const processes = await listProcesses();
    const starts = new Map(processes.map(({ pid, startTime }) => [pid, startTime]));
    const children = childrenAmong(processes);
    left = left.filter(({ roots, lockLimit }) => {
      const tops = roots.filter(({ pid, startTime }) => starts.get(pid) === startTime).map(({ pid }) => pid);
      const pids = [...tops, ...descendantsIn(children, tops).map(({ pid }) => pid)];
      const marked = pids.filter((pid) => lockLimitOf(pid) !== lockLimit && limitLocks(pid, lockLimit));
      return marked.length > 0;
    });
  }
}
