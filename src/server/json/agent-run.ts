import {
  type JsonFiles,
  lastComplaint,
  type OutputTail,
  type ReadLines,
  tailOutput,
  writeMessage,
} from '../../platform/claude/json/index.ts';
import { isAlive, type ProcessId } from '../../platform/process/index.ts';
import { CatalogueError } from '../../protocol/index.ts';
import type { Clock } from '../clock.ts';
import type { Dispose } from '../sessions.ts';

/**
 * How the process ended. Both are null if another server started the process, because only the parent process learns
 * the exit status.
 */
export interface AgentEnd {
  code: number | null;
  signal: string | null;
}

/**
 * How often to check on a process that is not our child and whose end therefore nobody reports. A check costs 20 µs.
 */
const LOOK_MS = 500;

export interface AgentRunOptions {
  launchId: string;
  files: JsonFiles;
  /** how much of its output has already been read, as a position */
  from: number;
  clock: Clock;
  onLines: (lines: ReadLines) => void;
  onError: (error: unknown) => void;
  /** called once, after the process has ended; its output may contain more than was read */
  onEnd: (end: AgentEnd) => void;
}

/** One running Claude Code process, with its files, its output, and its end. */
export class AgentRun {
  readonly launchId: string;
  readonly files: JsonFiles;
  readonly tail: OutputTail;
  process: ProcessId | null = null;
  /**
   * whether rules check its calls before they run; false if another server started the process, because then nobody
   * knows
   */
  isGuarded = false;
  /** whether the set-up of its worktree is running and Claude Code has not started yet */
  isSettingUp = false;
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

  /** Watches for the end of a process that was found again after a server restart. */
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

  /**
   * @throws CatalogueError launch_failed with Claude Code's own error message, if nobody is reading its input any more
   */
  async write(message: object): Promise<void> {
    try {
      await writeMessage(this.files, message);
    } catch (cause) {
      // Claude Code has probably just ended, and its own error message explains more.
      const complaint = await lastComplaint(this.files);
      if (complaint === '') throw cause;
      throw new CatalogueError('launch_failed', `Claude Code ended: ${complaint}`, { cause });
    }
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

/** Returns the text of the event for a process that ended in the middle of a turn. */
export function endWords({ code, signal: name }: AgentEnd, complaint: string): string {
  const how = name !== null ? ` (${name})` : code !== null && code !== 0 ? ` with exit code ${code}` : '';
  const said = complaint === '' ? '' : `: ${complaint}`;
  return `Claude Code ended${how} before the turn was over${said}; CBOS does not run the turn again`;
}
