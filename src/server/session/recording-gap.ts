import { endsAtBlock } from '../../platform/files/write-fault.ts';
import type { RecordingStop } from '../../protocol/index.ts';
import type { Clock } from '../clock.ts';
import type { DiskWatch } from '../disk-watch.ts';
import type { Dispose } from '../sessions.ts';
import type { SessionRecording } from './session-recording.ts';

/**
 * How long to wait for output after a hook has reported something. Claude Code draws within 150 ms (2.1.329), but takes
 * longer on a loaded machine.
 */
const DRAWN_MS = 2_000;

export interface RecordingGapOptions {
  clock: Clock;
  disk: DiskWatch;
  /** returns the session's current recording; null if there is none */
  recording: () => SessionRecording | null;
  /** called when the session's output is no longer recorded */
  onStop: (because: RecordingStop) => void;
  /** called when the session is recorded again after a gap, at which point nobody knows what its screen shows */
  onGoOn: () => void;
}

/**
 * Reports whether a session is being recorded. A recording can stop without an error, because `script` and Screen let
 * their program continue when the disk is full. There are three signs that this has happened. First, the timing file
 * counts output that is missing from the recording. Second, the disk is full, and so is the last block of the
 * recording's file. Third, the disk is full, and no output follows a hook after which Claude Code always draws. The
 * recording continues as soon as something can be written.
 */
export interface RecordingGap {
  /** Returns when the recording stopped, in Unix milliseconds, and why; null if the session is being recorded. */
  stopped(): { since: number; because: RecordingStop } | null;
  /** Call this when the files were removed and new ones could not be created. */
  seeRemoved(): void;
  /** Call this when the files exist again. */
  seeKept(): void;
  /** Call this when some output is missing from the recording. */
  seeLoss(): void;
  /**
   * Call this when Claude Code is certain to draw something. If nothing is recorded then, the recording may have
   * stopped.
   */
  expectOutput(): void;
  dispose(): void;
}

export function createRecordingGap({ clock, disk, recording, onStop, onGoOn }: RecordingGapOptions): RecordingGap {
  let stopped: { since: number; because: RecordingStop } | null = null;
  let expecting: Dispose | null = null;

  function stop(because: RecordingStop): void {
    if (stopped !== null) return;
    stopped = { since: clock.now(), because };
    onStop(because);
  }
  function goOn(): void {
    stopped = null;
    onGoOn();
  }
  const stopOnDisk = (): void => {
    if (recording() !== null) stop('disk');
  };

  const stopLooking = disk.onLook((fault) => {
    const current = recording();
    if (fault === null) {
      if (stopped?.because === 'disk') goOn();
    } else if (stopped === null && current !== null) {
      endsAtBlock(current.file()).then(
        (isFull) => isFull && disk.fault() !== null && stopOnDisk(),
        // The file no longer exists. The file's own reader will report that.
        () => undefined,
      );
    }
  });

  return {
    stopped: () => stopped,
    seeRemoved: () => stop('removed'),
    seeKept: () => {
      if (stopped?.because === 'removed') goOn();
    },
    seeLoss: () => {
      void disk.prove().then((fault) => {
        if (fault !== null) stopOnDisk();
        else if (stopped === null && recording() !== null) goOn();
      });
    },
    expectOutput: () => {
      const before = recording()?.end();
      if (before === undefined || stopped !== null || expecting !== null) return;
      expecting = clock.after(DRAWN_MS, () => {
        expecting = null;
        if (recording()?.end() !== before) return;
        void disk.prove().then((fault) => fault !== null && stopOnDisk());
      });
    },
    dispose: () => {
      stopLooking();
      expecting?.();
    },
  };
}
