import { bytesReadBy, type ProcessId, readProcess } from '../../platform/process/index.ts';
import type { TypedInput } from '../../platform/sqlite/session-store.ts';

/**
 * Whether what was typed last into a session's terminal has been read. Where the one that reads it is held up (`script`
 * by a disk that hangs, either of them by a machine that is short of memory), the terminal keeps what is typed, and
 * gives it out in one piece later: two texts with their Enters became one prompt (2.1.329).
 */
export interface UnreadInput {
  /** something is about to be typed */
  expect(): Promise<void>;
  /** it was typed: from now on the next server knows of it too. Not before, for what was never typed is never read. */
  typed(): void;
  /** it was not typed */
  forget(): void;
  /** true: nothing was read since. That it has been read is likely only, for whatever is read counts. */
  isWaiting(): boolean;
}

/** What passes a session's input on to its Claude Code, and reads nothing else while that draws nothing. */
const RECORDER = 'script';

/** Where it is remembered, through restarts of the server: who holds the reader up does not know of those. */
export interface TypedMemory {
  /** Claude Code's process, null where it is not known: then nothing is ever unread */
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
      // One that reads again reads all there is.
      const isUnread = isSame && last.readers.some(({ pid, before }) => bytesReadBy(pid) === before);
      if (!isUnread && expected === null) remember(null);
      return isUnread;
    },
  };
}
