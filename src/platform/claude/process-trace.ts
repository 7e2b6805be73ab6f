import { createHash } from 'node:crypto';
import {
  descendantsAmong,
  limitLocks,
  listProcesses,
  lockLimitOf,
  type ProcessId,
  processNow,
} from '../process/index.ts';
import { type LaunchMark, readLaunchMark } from './launch-mark.ts';

/**
 * How many digits of a session's number are used. The number serves as the lock limit of the session's processes. A
 * JavaScript number must represent it exactly, and it is very unlikely that two sessions share one.
 */
const NUMBER_HEX_DIGITS = 12;

/**
 * How many rounds are used to mark a tree. Children forked during one round are found in the next. Processes still
 * unmarked after all rounds can be identified only by their environment.
 */
const MARK_ROUNDS = 5;

/** Where a process comes from: the launch marks of the process and its ancestors. */
export interface ProcessTrace {
  /** the process itself first, then its parent, and so on */
  processes: ProcessId[];
  /** the marks in the environments that they were started with */
  marks: LaunchMark[];
  /** null if there is none, as outside sessions */
  lockLimit: number | null;
}

/**
 * Determines the origin of a process. An environment can be cleared and a parent can exit, but the lock limit remains.
 * @returns null if the process is gone
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

/** Returns the lock limit for a session's processes. @param ceiling the server's own limit, which cannot be exceeded */
export function lockLimitFor(sessionId: string, ceiling: number | null): number {
  const number = Number.parseInt(createHash('sha256').update(sessionId).digest('hex').slice(0, NUMBER_HEX_DIGITS), 16);
  return ceiling === null ? number : number % ceiling;
}

/**
 * Sets a lock limit for processes and all their descendants. The limit then identifies them and everything that they
 * start.
 */
export async function markTree(roots: readonly ProcessId[], lockLimit: number): Promise<void> {
  for (let round = 0; round < MARK_ROUNDS; round += 1) {
    const processes = await listProcesses();
    const tops = processes.filter(({ pid, startTime }) =>
      roots.some((root) => root.pid === pid && root.startTime === startTime),
    );
    const below = descendantsAmong(
      processes,
      tops.map(({ pid }) => pid),
    );
    const unmarked = [...tops, ...below].filter(({ pid }) => lockLimitOf(pid) !== lockLimit);
    const marked = unmarked.filter(({ pid }) => limitLocks(pid, lockLimit));
    if (marked.length === 0) return;
  }
}
