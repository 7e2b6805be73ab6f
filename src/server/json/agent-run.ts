import { type JsonFiles, type OutputTail, type ReadLines, tailOutput } from '../../platform/claude/json/index.ts';
import { isAlive, type ProcessId } from '../../platform/process/index.ts';
import type { Clock } from '../clock.ts';
import type { Dispose } from '../sessions.ts';

/** How it ended; both null where another server started it, for only a parent is told. */
export interface AgentEnd {
  code: number | null;
  signal: string | null;
}

/** How often to look for a process that is not our child: nobody reports its end. A look costs 20 µs. */
const LOOK_MS = 500;

export interface AgentRunOptions {
  launchId: string;
  files: JsonFiles;
  /** position in its output that was read before */
  from: number;
  clock: Clock;
  onLines: (lines: ReadLines) => void;
  onError: (error: unknown) => void;
  /** called once, with the process gone; its output may hold more than was read */
  onEnd: (end: AgentEnd) => void;
}

/** One process of Claude Code while it lives: its files, its output, its end. */
export class AgentRun {
  readonly launchId: string;
  readonly files: JsonFiles;
  readonly tail: OutputTail;
  process: ProcessId | null = null;
  readonly #options: AgentRunOptions;
  #stopLooking: Dispose | null = null;
  #isOver = false;

  constructor(options: AgentRunOptions) {
    this.#options = options;
    this.launchId = options.launchId;
    this.files = options.files;
    this.tail = tailOutput({
      file: options.files.output,
      from: options.from,
      onLines: options.onLines,
      onError: options.onError,
    });
  }

  /** Found again after a restart of the server: its end is looked for. */
  lookAfter(process: ProcessId): void {
    this.process = process;
    const look = (): void => {
      isAlive(process).then((lives) => {
        if (!lives) this.ended({ code: null, signal: null });
        else if (!this.#isOver) this.#stopLooking = this.#options.clock.after(LOOK_MS, look);
      }, this.#options.onError);
    };
    look();
  }

  ended(end: AgentEnd): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#options.onEnd(end);
  }

  dispose(): void {
    this.#isOver = true;
    this.#stopLooking?.();
    this.tail.dispose();
  }
}

/** What an end in the middle of a turn is called among the session's events. */
export function endWords({ code, signal: name }: AgentEnd, complaint: string): string {
  const how = name !== null ? ` (${name})` : code !== null && code !== 0 ? ` with exit code ${code}` : '';
  const said = complaint === '' ? '' : `: ${complaint}`;
  return `Claude Code ended${how} before the turn was over${said}; the turn was interrupted and is not run again by itself`;
}
