import { followTiming, type TimingTail, watchLosses } from '../../platform/recorder/index.ts';

export interface TimesFollower {
  /** called with the size of the terminal, for each resize */
  resized(cols: number, rows: number): void;
  /** called when output is missing from the recording; null if losses cannot be noticed */
  onLost: (() => void) | null;
  /** called when the timing file's name now refers to another file or to none */
  onNameLost(): void;
  onFault(cause: unknown): void;
}

/**
 * Follows the timing file of a recording, which contains the resizes and counts the output. A log written by Screen has
 * no such file.
 */
export async function followTimes(
  { typescript, timing }: { typescript: string; timing: string | null },
  { resized, onLost, onNameLost, onFault }: TimesFollower,
): Promise<TimingTail> {
  if (timing === null) return { readNow: () => undefined, dispose: () => undefined };
  const losses = onLost === null ? null : watchLosses({ typescript, timing, onLost, onError: onFault });
  const tail = await followTiming(timing, {
    onSize: ({ cols, rows }) => resized(cols, rows),
    onRows: (outputBytes, end, readTo) => losses?.rows(outputBytes, end, readTo),
    onNameLost,
  });
  return {
    readNow: tail.readNow,
    dispose: () => {
      tail.dispose();
      losses?.dispose();
    },
  };
}
