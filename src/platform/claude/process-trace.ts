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
 * Of a session's number: the lock limit of its processes. It is read as a number again, and hardly two sessions have
 * the same.
 */
const NUMBER_HEX_DIGITS = 12;

/**
 * Children that are forked while a tree is marked are found in the next round; what outruns these is marked by its
 * environment alone.
 */
const MARK_ROUNDS = 5;

/** Where a process comes from: what it and its ancestors carry of launches. */
export interface ProcessTrace {
  /** itself first, then its parent, and so on */
  processes: ProcessId[];
  /** in the environments they were started with */
  marks: LaunchMark[];
  /** null: none, as outside of sessions */
  lockLimit: number | null;
}

/**
 * Looks where a process comes from. An environment can be cleared and a parent can end; the lock limit stays.
 * @returns null where it has gone
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

/** The lock limit of a session's processes. @param ceiling what the server itself may not exceed */
export function lockLimitFor(sessionId: string, ceiling: number | null): number {
  const number = Number.parseInt(createHash('sha256').update(sessionId).digest('hex').slice(0, NUMBER_HEX_DIGITS), 16);
  return ceiling === null ? number : number % ceiling;
}

/** Gives processes and everything below them a lock limit, by which they and what they start are known from then on. */
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
