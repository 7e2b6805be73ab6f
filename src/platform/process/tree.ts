import { environmentOf, isRunning, listProcesses, mapProcesses, type ProcessInfo, readProcess } from './proc-file.ts';

/**
 * An entry in a launch environment that identifies every process of a session, including the orphans of a dead parent.
 */
export interface ProcessMark {
  name: string;
  value: string;
}

/**
 * Returns all descendants of the given processes (children, their children, …), nearest first. The given processes are
 * not included.
 */
export async function descendantsOf(pids: Iterable<number>): Promise<ProcessInfo[]> {
  return descendantsAmong(await listProcesses(), pids);
}

/** Works like {@link descendantsOf}, but on a list that has already been read. */
export function descendantsAmong(processes: readonly ProcessInfo[], pids: Iterable<number>): ProcessInfo[] {
  return descendantsIn(childrenAmong(processes), pids);
}

/** The children of each process, keyed by the pid of the parent. */
export type ProcessChildren = ReadonlyMap<number, readonly ProcessInfo[]>;

/** Sorts a list of processes by their parents, for callers that look for the descendants of many processes. */
export function childrenAmong(processes: readonly ProcessInfo[]): ProcessChildren {
  const children = new Map<number, ProcessInfo[]>();
  for (const info of processes) {
    const siblings = children.get(info.ppid);
    if (siblings) siblings.push(info);
    else children.set(info.ppid, [info]);
  }
  return children;
}

/** Works like {@link descendantsOf}, but on processes that have already been sorted by their parents. */
export function descendantsIn(children: ProcessChildren, pids: Iterable<number>): ProcessInfo[] {
  const roots = new Set(pids);
  const found = new Map<number, ProcessInfo>();
  const pending = [...roots];
  for (const pid of pending) {
    for (const child of children.get(pid) ?? []) {
      if (roots.has(child.pid) || found.has(child.pid)) continue;
      found.set(child.pid, child);
      pending.push(child.pid);
    }
  }
  return [...found.values()];
}

/**
 * Returns the processes that started with exactly `NAME=VALUE` in their environment. Only processes of the same user
 * can be found in this way. A child that has cleared its environment can be found only through {@link descendantsOf}.
 */
export async function findMarked(mark: ProcessMark): Promise<ProcessInfo[]> {
  const entry = `${mark.name}=${mark.value}`;
  const pids = await mapProcesses((pid) => (environmentOf(pid).includes(entry) ? pid : null));
  const marked = await Promise.all(pids.map(readProcess));
  return marked.filter((info): info is ProcessInfo => info !== null && isRunning(info));
}
