import { environmentOf, isRunning, listProcesses, mapProcesses, type ProcessInfo, readProcess } from './proc-file.ts';

/** An entry of a launch environment by which every process of a session can be found, orphans of a dead parent too. */
export interface ProcessMark {
  name: string;
  value: string;
}

/** All processes below the given ones (children, their children, …), the given ones left out; nearer ones first. */
export async function descendantsOf(pids: Iterable<number>): Promise<ProcessInfo[]> {
  return descendantsAmong(await listProcesses(), pids);
}

/** The same over a list that was read before. */
export function descendantsAmong(processes: readonly ProcessInfo[], pids: Iterable<number>): ProcessInfo[] {
  const children = new Map<number, ProcessInfo[]>();
  for (const info of processes) {
    const siblings = children.get(info.ppid);
    if (siblings) siblings.push(info);
    else children.set(info.ppid, [info]);
  }
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
 * Processes that were started with exactly `NAME=VALUE` in their environment. Only processes of the same user can be
 * seen so; a child that cleared its environment is found through {@link descendantsOf} alone.
 */
export async function findMarked(mark: ProcessMark): Promise<ProcessInfo[]> {
  const entry = `${mark.name}=${mark.value}`;
  const pids = await mapProcesses((pid) => (environmentOf(pid).includes(entry) ? pid : null));
  const marked = await Promise.all(pids.map(readProcess));
  return marked.filter((info): info is ProcessInfo => info !== null && isRunning(info));
}
