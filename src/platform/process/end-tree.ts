import { isAlive, listProcesses, type ProcessId, type ProcessInfo, readProcess } from './proc-file.ts';
import { descendantsAmong, findMarked, type ProcessMark } from './tree.ts';
import { waitUntil } from './wait-until.ts';

export interface EndTreeOptions {
  /** processes to end together with all their descendants, for example Screen's daemon */
  roots: readonly ProcessId[];
  /**
   * the process that is asked first and is given time to end before all others; during that time, Claude Code fires
   * SessionEnd and writes its transcript
   */
  first?: ProcessId | null;
  /**
   * every process that has this mark in its launch environment is also ended, including the orphans of a dead daemon
   */
  mark?: ProcessMark | null;
  /** how long to wait for `first` to end */
  graceMs?: number;
}

export interface EndTreeResult {
  /** all processes that were found and have ended */
  ended: ProcessId[];
  /** the processes that could not be ended, because they belong to another user or are hanging in the kernel */
  left: ProcessInfo[];
}

/** Claude Code 2.1.329 takes 0.1 s to end, or 1.6 s while a tool is running. */
const GRACE_MS = 4_000;
/**
 * After Claude Code has ended, `script` writes its last line and Screen closes the window. That takes about 20 ms and
 * needs no signal.
 */
const SETTLE_MS = 400;
/** How long to wait for processes that react to TERM at all. `script` (util-linux 2.38) ignores it. */
const TERM_MS = 600;
/** KILL takes effect immediately, except on a process that is hanging in the kernel. */
const KILL_MS = 1_000;
/**
 * How many rounds to make. Each round finds the processes that have been forked since the previous one. Processes that
 * survive all rounds are reported as left.
 */
const KILL_ROUNDS = 10;

/**
 * Ends a whole set of processes and verifies that they have ended. `first` receives TERM before the others and is given
 * time to finish. Then the others receive TERM and finally KILL. Each step begins by looking for children that have
 * been forked in the meantime. Start times are compared before each signal, so a process that reuses a pid never
 * receives one. The calling process is never ended, even if it has the mark.
 */
export async function endTree(options: EndTreeOptions): Promise<EndTreeResult> {
  const census = new Census(options);
  await census.look();

  const { first } = options;
  if (first && (await isAlive(first))) {
    await signal(first, 'SIGTERM');
    await waitUntil(async () => ((await isAlive(first)) ? null : true), { timeoutMs: options.graceMs ?? GRACE_MS });
    await census.waitForEnd(SETTLE_MS);
  }

  for (const info of await census.look()) await signal(info, 'SIGTERM');
  await census.waitForEnd(TERM_MS);

  for (let round = 0; round < KILL_ROUNDS; round++) {
    const running = await census.look();
    if (running.length === 0) break;
    for (const info of running) await signal(info, 'SIGKILL');
    await census.waitForEnd(KILL_MS);
  }
  const left = await census.look();
  const leftPids = new Set(left.map((info) => info.pid));
  return { ended: census.seen().filter((id) => !leftPids.has(id.pid)), left };
}

/**
 * All processes that have ever belonged to the tree. This set only grows, because a child whose parent has died becomes
 * a child of pid 1 and can then no longer be found through its parents.
 */
class Census {
  private readonly known = new Map<string, ProcessId>();
  private readonly mark: ProcessMark | null;

  constructor(options: EndTreeOptions) {
    this.mark = options.mark ?? null;
    for (const id of [...options.roots, ...(options.first ? [options.first] : [])]) this.add(id);
  }

  /** Returns the members that are running now, including new children. */
  async look(): Promise<ProcessInfo[]> {
    if (this.mark) for (const info of await findMarked(this.mark)) this.add(info);
    const processes = await listProcesses();
    const running = processes.filter((info) => this.known.has(keyOf(info)));
    const below = descendantsAmong(
      processes,
      running.map((info) => info.pid),
    );
    for (const info of below) this.add(info);
    return [...running, ...below].filter((info) => info.pid !== process.pid);
  }

  /** Waits until every known process has ended, or until the timeout. */
  async waitForEnd(timeoutMs: number): Promise<void> {
    await waitUntil(
      async () => {
        const alive = await Promise.all(this.seen().map(isAlive));
        return alive.includes(true) ? null : true;
      },
      { timeoutMs },
    );
  }

  seen(): ProcessId[] {
    return [...this.known.values()];
  }

  private add(id: ProcessId): void {
    if (id.pid !== process.pid) this.known.set(keyOf(id), { pid: id.pid, startTime: id.startTime });
  }
}

function keyOf(id: ProcessId): string {
  return `${id.pid}@${id.startTime}`;
}

/**
 * Sends a signal to exactly this process. After a TERM, a suspended process is also continued, because otherwise it
 * would not act on the signal.
 * @returns whether the signal was sent; false if the process has ended or belongs to another user
 */
export async function signal(id: ProcessId, name: 'SIGTERM' | 'SIGKILL' | 'SIGHUP' | 'SIGCHLD'): Promise<boolean> {
  const now = await readProcess(id.pid);
  if (now === null || now.startTime !== id.startTime) return false;
  try {
    process.kill(id.pid, name);
    if (name === 'SIGTERM' && now.state === 'T') process.kill(id.pid, 'SIGCONT');
    return true;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ESRCH' || code === 'EPERM') return false;
    throw error;
  }
}
