import { endsAtBlock } from '../../platform/files/write-fault.ts';
import type { RecordingStop } from '../../protocol/index.ts';
import type { Clock } from '../clock.ts';
import type { DiskWatch } from '../fleet/disk-watch.ts';
import type { Dispose } from '../sessions.ts';
import type { SessionRecording } from './recording.ts';

/** What a hook tells of is drawn within 150 ms (2.1.329); a loaded machine takes longer. */
const DRAWN_MS = 2_000;

export interface RecordingGapOptions {
  clock: Clock;
  disk: DiskWatch;
  /** what is recorded of it now, null: nothing */
  recording: () => SessionRecording | null;
  /** from now on what the session shows is not recorded */
  onStop: (because: RecordingStop) => void;
  /** it is recorded again, and something between is missing: nobody knows what its screen shows */
  onGoOn: () => void;
}

/**
 * Whether a session is recorded. Notices when its recording silently stops: `script` and Screen let their program run
 * on when the disk is full. Three things show it: the timing counts output that the recording does not have; the disk
 * is full and the file's last block as well; or the disk is full and what a hook told of was never drawn. It goes on as
 * soon as something can be written.
 */
export interface RecordingGap {
  /** since when, in Unix milliseconds, and why; null: it is recorded */
  stopped(): { since: number; because: RecordingStop } | null;
  /** its files were removed, and no others could be begun */
  seeRemoved(): void;
  /** they are there again */
  seeKept(): void;
  /** the recording has less than was shown */
  seeLoss(): void;
  /** something is drawn now; where nothing of it is recorded, something is wrong */
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
        // The file has gone, and is missed by its reader.
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
