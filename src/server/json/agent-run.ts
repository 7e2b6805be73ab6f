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
 * How the process ended. Both fields are null if an earlier server started the process, because only the parent process
 * learns the exit status.
 */
export interface AgentEnd {
  code: number | null;
  signal: string | null;
}

/**
 * How often to check whether a process is alive that is not a child of this server, because nothing reports the end of
 * such a process. A check takes 20 µs.
 */
const LOOK_MS = 500;

export interface AgentRunOptions {
  launchId: string;
  files: JsonFiles;
  /** the position up to which the process's output has already been read */
  from: number;
  clock: Clock;
  onLines: (lines: ReadLines) => void;
  onError: (error: unknown) => void;
  /** called once, after the process has ended; some of its output may not have been read yet */
  onEnd: (end: AgentEnd) => void;
}

/** A single Claude Code process, from its start to its end, with its input and output files. */
export class AgentRun {
  readonly launchId: string;
  readonly files: JsonFiles;
  readonly tail: OutputTail;
  process: ProcessId | null = null;
  /**
   * whether rules check the process's tool calls before they run; false if an earlier server started the process,
   * because this is then unknown
   */
  isGuarded = false;
  /** whether the set-up of the worktree is still running, so Claude Code has not started yet */
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

  /** Watches for the end of a process that was found again after the server had restarted. */
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
   * @throws CatalogueError launch_failed, with Claude Code's own error message, if no process reads the input any more
   */
  async write(message: object): Promise<void> {
    try {
      await writeMessage(this.files, message);
    } catch (cause) {
      // Claude Code has probably just ended. Its own error message explains more than this error.
      const complaint = await lastComplaint(this.files);
      if (complaint === '') throw cause;
      throw new CatalogueError('launch_failed', `Claude Code exited: ${complaint}`, { cause });
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

/** Returns the text of the event which reports that a process ended in the middle of a turn. */
export function endWords({ code, signal: name }: AgentEnd, complaint: string): string {
  const how = name !== null ? ` (${name})` : code !== null && code !== 0 ? ` with exit code ${code}` : '';
  const said = complaint === '' ? '' : `: ${complaint}`;
  return `Claude Code exited${how} before the turn was over${said}; CBOS does not run the turn again`;
}

/**
 * Reports whether output cannot be read because an earlier server saw the process end, read all of its output, and
 * removed it. If a turn was unfinished, CBOS shows it as interrupted.
 */
export function wasReadBefore({ process }: Pick<AgentRun, 'process'>, cause: NodeJS.ErrnoException): boolean {
  return process === null && cause.code === 'ENOENT';
}
