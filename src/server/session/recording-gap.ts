import { endsAtBlock } from '../../platform/files/write-fault.ts';
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
  /** from now on what the session shows is lost */
  onStop: () => void;
  /** it is recorded again, and something between is missing: nobody knows what its screen shows */
  onGoOn: () => void;
}

/**
 * Notices when a session's recording silently stops: `script` and Screen let their program run on when the disk is full. Three things
 * show it: the timing counts output that the recording does not have; the disk is full and the file's last block as well; or the disk is full
 * and what a hook told of was never drawn. It goes on as soon as something can be written.
 */
export interface RecordingGap {
  /** Unix milliseconds; null: it is recorded */
  since(): number | null;
  /** the recording has less than was shown */
  seeLoss(): void;
  /** something is drawn now; where nothing of it is recorded, something is wrong */
  expectOutput(): void;
  dispose(): void;
}

export function createRecordingGap({ clock, disk, recording, onStop, onGoOn }: RecordingGapOptions): RecordingGap {
  let since: number | null = null;
  let expecting: Dispose | null = null;

  function stop(): void {
    if (since !== null || recording() === null) return;
    since = clock.now();
    onStop();
  }
  function goOn(): void {
    since = null;
    onGoOn();
  }

  const stopLooking = disk.onLook((fault) => {
    const current = recording();
    if (fault === null) {
      if (since !== null) goOn();
    } else if (since === null && current !== null) {
      endsAtBlock(current.file()).then(
        (isFull) => isFull && disk.fault() !== null && stop(),
        // The file has gone, and is missed by its reader.
        () => undefined,
      );
    }
  });

  return {
    since: () => since,
    seeLoss: () => {
      void disk.prove().then((fault) => {
        if (fault !== null) stop();
        else if (since === null && recording() !== null) goOn();
      });
    },
    expectOutput: () => {
      const before = recording()?.end();
      if (before === undefined || since !== null || expecting !== null) return;
      expecting = clock.after(DRAWN_MS, () => {
        expecting = null;
        if (recording()?.end() !== before) return;
        void disk.prove().then((fault) => fault !== null && stop());
      });
    },
    dispose: () => {
      stopLooking();
      expecting?.();
    },
  };
}
