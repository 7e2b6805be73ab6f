import { readdirSync, readFileSync, statSync } from 'node:fs';
import { markOfProcess } from '../marked-processes.mjs';

/** The kernel's unit for processor time, on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;

/** Processor time in seconds: a process's own, and that of its descendants that have been waited for. */
export interface Times {
  own: number;
  reaped: number;
}

interface Seen extends Times {
  pid: number;
  parent: number;
  /** when the process started, in ticks since boot; a pid may be used again */
  startedAt: number;
  mark: string;
  isClaude: boolean;
  hasEnded: boolean;
}

interface Stat extends Times {
  parent: number;
  startedAt: number;
}

/** Reads the times of a process. Returns null if it has ended. */
export function readTimes(pid: number | 'self'): Stat | null {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    return null;
  }
  // The name of the program is in brackets, and may contain blanks and brackets.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const seconds = (index: number): number => Number(fields[index]) / TICKS_PER_SECOND;
  return {
    parent: Number(fields[1]),
    own: seconds(11) + seconds(12),
    reaped: seconds(13) + seconds(14),
    startedAt: Number(fields[19]),
  };
}

export interface Used {
  cpuSeconds: number;
  launches: number;
}

/** A worker's part: its pid, and what it used itself during the file, with the processes that it has waited for. */
export interface WorkerTimes extends Times {
  pid: number;
}

/**
 * Adds up the processor time of the processes in worlds, and counts how often Claude Code is started there. Call
 * `look()` several times a second.
 *
 * What a process used between the last look and its end is known if a process that is looked at waits for it. It is
 * lost for daemons (Screen, and what outlives its parent): less than the time between two looks for each. A Claude Code
 * that starts and ends between two looks is not counted.
 */
export class ProcessTimes {
  readonly #seen: Seen[] = [];
  readonly #living = new Map<number, Seen>();
  /** processes that belong to no world; each is looked at twice, because it may have been about to execute a program */
  readonly #others = new Map<number, number>();
  readonly #isClaude: (pid: number) => boolean;
  readonly #isMarked: (mark: string) => boolean;

  constructor(options: { isMarked: (mark: string) => boolean; isClaude: (pid: number) => boolean }) {
    this.#isMarked = options.isMarked;
    this.#isClaude = options.isClaude;
  }

  look(): void {
    const pids = new Set(
      readdirSync('/proc')
        .map(Number)
        .filter((pid) => pid > 0),
    );
    for (const [pid, one] of this.#living) if (!pids.has(pid)) this.#end(one);
    for (const pid of this.#others.keys()) if (!pids.has(pid)) this.#others.delete(pid);
    // A parent has the smaller pid, except once in 32,768 processes.
    for (const pid of [...pids].sort((one, other) => one - other)) this.#lookAt(pid);
  }

  /** Returns what the worlds with these marks have used, and the worker that ran the file. */
  used(marks: ReadonlySet<string>, worker: WorkerTimes): Used {
    const mine = this.#seen.filter(({ mark }) => marks.has(mark));
    const reapedBy = new Map<number, number>();
    for (const { hasEnded, parent, own, reaped } of mine)
      if (hasEnded) reapedBy.set(parent, (reapedBy.get(parent) ?? 0) + own + reaped);
    // What a parent has waited for and nobody saw: short programs, and the last moments of those that were seen.
    const unseen = ({ pid, reaped }: WorkerTimes): number => Math.max(0, reaped - (reapedBy.get(pid) ?? 0));
    const cpuSeconds = [worker, ...mine].reduce((sum, one) => sum + one.own + unseen(one), 0);
    return { cpuSeconds, launches: mine.filter((one) => one.isClaude).length };
  }

  #end(one: Seen): void {
    one.hasEnded = true;
    this.#living.delete(one.pid);
  }

  #lookAt(pid: number): void {
    const looks = this.#others.get(pid) ?? 0;
    if (looks >= 2) return;
    const stat = readTimes(pid);
    if (stat === null) return;
    const known = this.#living.get(pid);
    if (known !== undefined && known.startedAt === stat.startedAt) {
      Object.assign(known, { parent: stat.parent, own: stat.own, reaped: stat.reaped });
      known.isClaude ||= this.#isStart(pid, stat.parent);
      return;
    }
    if (known !== undefined) this.#end(known);
    // Chromium overwrites its environment, so a process without a mark belongs to the world of its parent.
    const mark = markOfProcess(pid) ?? this.#living.get(stat.parent)?.mark;
    if (mark === undefined || !this.#isMarked(mark)) {
      this.#others.set(pid, looks + 1);
      return;
    }
    this.#others.delete(pid);
    const one = { pid, mark, hasEnded: false, isClaude: this.#isStart(pid, stat.parent), ...stat };
    this.#seen.push(one);
    this.#living.set(pid, one);
  }

  /** A process that Claude Code has forked, to execute another program, still looks like Claude Code for a moment. */
  #isStart(pid: number, parent: number): boolean {
    return this.#living.get(parent)?.isClaude !== true && this.#isClaude(pid);
  }
}

/**
 * Returns a function that reports whether a process runs this Claude Code, or a copy of it, for more than to print its
 * version.
 */
export function recognizeClaude(program: string): (pid: number) => boolean {
  const { size } = statSync(program);
  return (pid) => {
    try {
      if (statSync(`/proc/${pid}/exe`).size !== size) return false;
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')[1] !== '--version';
    } catch {
      return false;
    }
  };
}
