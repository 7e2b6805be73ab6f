import { bytesReadBy, type ProcessId, readProcess } from '../../platform/process/index.ts';
import type { TypedInput } from '../../platform/sqlite/session-store.ts';

/**
 * Reports whether the last input to a session's terminal has been read. A reader may be delayed: `script` by a disk
 * that hangs, both `script` and Claude Code by a machine that is short of memory. The terminal then keeps what is
 * typed, and later delivers it in one piece. This is how two prompts, each with its Enter, became one (2.1.329).
 */
export interface UnreadInput {
  /** Call this before something is typed. */
  expect(): Promise<void>;
  /**
   * Call this after the input has been typed, so that the next server also knows about it. An earlier call would be
   * wrong: the input might then never be typed, and would count as unread forever.
   */
  typed(): void;
  /** Call this if the input was not typed. */
  forget(): void;
  /**
   * True if nothing has been read since. False means only that the input has probably been read, because any read
   * counts.
   */
  isWaiting(): boolean;
}

/**
 * The program that passes a session's input on to its Claude Code. While Claude Code draws nothing, this program reads
 * nothing else.
 */
const RECORDER = 'script';

/**
 * Where the last input is remembered across restarts of the server, because a reader may be delayed for longer than a
 * restart.
 */
export interface TypedMemory {
  /** Claude Code's process; null if unknown, in which case no input counts as unread */
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
      const parent = await readProcess((await readProcess(current.pid))?.ppid ?? 0);
      const readers = (parent?.comm === RECORDER ? [parent.pid, current.pid] : [current.pid]).flatMap((pid) => {
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
      // When a reader resumes, it reads everything that is there.
      const isUnread = isSame && last.readers.some(({ pid, before }) => bytesReadBy(pid) === before);
      if (!isUnread && expected === null) remember(null);
      return isUnread;
    },
  };
}
