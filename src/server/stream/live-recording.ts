import { listParts } from '../../platform/recorder/index.ts';
import type { Dispose, RecordingStream } from '../sessions.ts';
import { type Output, outputOf, takeSnapshot } from './recording-tail.ts';

/**
 * A recording that clients follow as it grows. The recording's file is on this machine (`ownRecording`) or on another
 * one (`src/server/machines/far-recording.ts`). Offsets are byte positions in the file.
 */
export interface LiveRecording extends Output {
  /** the offset up to which `onBytes` has reported the output */
  end(): number;
  /** how often the file has been replaced */
  epoch(): number;
  /** Begins to report output. `start`, `end` and `epoch` are meaningless until the promise resolves. */
  follow(): Promise<void>;
  /** Returns the offset of the first output that can still be read. */
  availableFrom(): Promise<number>;
  /**
   * Returns escape codes that draw the screen, and an offset from which the output continues without splitting a
   * character or an escape sequence.
   */
  snapshot(): Promise<{ data: string; offset: number }>;
  onBytes(listener: (bytes: Uint8Array, offset: number) => void): Dispose;
  onReset(listener: (epoch: number) => void): Dispose;
  /** Called when a client can take output again, after `FarListener.isWanted` may have returned false. */
  goOn(): void;
  /** Called when the last client has left. */
  leave(): void;
}

/** Returns the recording of a session on this machine. Its file keeps everything, so nothing has to be paused. */
export function ownRecording(recording: RecordingStream): LiveRecording {
  return {
    ...outputOf(recording),
    end: () => recording.end(),
    epoch: () => recording.epoch(),
    follow: () => recording.follow(),
    availableFrom: async () => {
      const { availableFrom } = await listParts(recording.file());
      return Math.max(recording.start(), availableFrom);
    },
    snapshot: () => takeSnapshot(recording),
    onBytes: (listener) => recording.onBytes(listener),
    onReset: (listener) => recording.onReset(listener),
    goOn: () => undefined,
    leave: () => undefined,
  };
}
