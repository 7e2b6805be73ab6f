import { isClaudeItself } from '../../platform/gnu-screen/index.ts';
import { bytesReadBy, type ProcessId, processNow } from '../../platform/process/index.ts';
import type { TypedInput } from '../../platform/sqlite/session-store.ts';

/**
 * Reports whether the last input to a session's terminal has been read. A reader may be delayed: a hanging disk blocks
 * `script`, and a machine that is short of memory slows down both `script` and Claude Code. The terminal then keeps
 * what is typed, and later delivers everything in one piece. In this way, two prompts, each with its own Enter, became
 * one (2.1.329).
 */
export interface UnreadInput {
  /** Call this before something is typed. */
  expect(): Promise<void>;
  /**
   * Call this after the input has been typed, so that the next server also knows about it. Do not call it earlier: if
   * the input were then never typed, it would count as unread forever.
   */
  typed(): void;
  /** Call this if the input was not typed. */
  forget(): void;
  /**
   * Returns true if nothing has been read since the input was typed. False means only that the input has probably been
   * read, because any read counts.
   */
  isWaiting(): boolean;
}

/**
 * The program that passes a session's input on to Claude Code. While Claude Code draws nothing, this program reads
 * nothing but input.
 */
const RECORDER = 'script';

/** Returns the process that passes input on to this one, possibly through wrappers; null if there is none. */
function recorderAbove(pid: number): number | null {
  for (let at = processNow(pid); at !== null && at.ppid > 0; at = processNow(at.ppid)) {
    if (at.comm === RECORDER) return at.pid;
  }
  return null;
}

/**
 * Remembers the last input across restarts of the server, because a reader may be delayed for longer than a restart
 * takes.
 */
export interface TypedMemory {
  /** returns Claude Code's process; null if unknown, in which case no input counts as unread */
  agent(): ProcessId | null;
  typed(): TypedInput | null;
  remember(typed: TypedInput | null): void;
}

export function createUnreadInput({ agent, typed, remember }: TypedMemory): UnreadInput {
  let expected: TypedInput | null = null;
  return {
    expect: async () => {
      expected = null;
      const current = agent();
      if (current === null) return;
      const recorder = recorderAbove(current.pid);
      // A wrapper that waits for Claude Code to end reads nothing.
      const agents = recorder === null || isClaudeItself(current.pid) ? [current.pid] : [];
      const readers = [...(recorder === null ? [] : [recorder]), ...agents].flatMap((pid) => {
        const before = bytesReadBy(pid);
        return before === null ? [] : [{ pid, before }];
      });
      expected = { agent: current, readers };
    },
    typed: () => {
      remember(expected);
      expected = null;
    },
    forget: () => {
      expected = null;
    },
    isWaiting: () => {
      const last = expected ?? typed();
      if (last === null) return false;
      const current = agent();
      const isSame = current?.pid === last.agent.pid && current.startTime === last.agent.startTime;
      // Once a reader resumes, it reads everything that is waiting, so any read means that the input has been read.
      const isUnread = isSame && last.readers.some(({ pid, before }) => bytesReadBy(pid) === before);
      if (!isUnread && expected === null) remember(null);
      return isUnread;
    },
  };
}
