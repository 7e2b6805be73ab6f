import { bytesReadBy, type ProcessId, readProcess } from '../../platform/process/index.ts';

/**
 * Whether what was typed last into a session's terminal has been read. Where the one that reads it is held up (`script` by a disk that hangs,
 * either of them by a machine that is short of memory), the terminal keeps what is typed, and gives it out in one piece later: two
 * texts with their Enters became one prompt (2.1.329).
 */
export interface UnreadInput {
  /** so many bytes are about to be typed */
  expect(sizeBytes: number): Promise<void>;
  /** true: not all of them have been read. That they have is likely only, for what is read of files counts as well. */
  isWaiting(): boolean;
}

/** What passes a session's input on to its Claude Code, and reads nothing else while that draws nothing. */
const RECORDER = 'script';

/** @param agent Claude Code's process, null where it is not known: then nothing is ever unread */
export function createUnreadInput(agent: () => ProcessId | null): UnreadInput {
  let expected: { agent: ProcessId; readers: { pid: number; bytes: number }[] } | null = null;
  const isRead = ({ pid, bytes }: { pid: number; bytes: number }): boolean => (bytesReadBy(pid) ?? bytes) >= bytes;
  return {
    expect: async (sizeBytes) => {
      expected = null;
      const current = agent();
      if (current === null) return;
      const parent = await readProcess((await readProcess(current.pid))?.ppid ?? 0);
      const readers = (parent?.comm === RECORDER ? [parent.pid, current.pid] : [current.pid]).flatMap((pid) => {
        const before = bytesReadBy(pid);
        return before === null ? [] : [{ pid, bytes: before + sizeBytes }];
      });
      expected = { agent: current, readers };
    },
    isWaiting: () => {
      if (expected !== null && (agent() !== expected.agent || expected.readers.every(isRead))) expected = null;
      return expected !== null;
    },
  };
}
