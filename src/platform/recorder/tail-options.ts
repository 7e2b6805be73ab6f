import type { RecordingStart } from './recording-files.ts';

export interface TailOptions {
  file: string;
  /** the position in the file to read from; at 0, `script`'s header line is skipped */
  from: number;
  /**
   * Receives the next bytes, which start at `offset`, and may keep them. If it returns a promise, reading pauses until
   * the promise is settled.
   */
  onBytes: (bytes: Buffer, offset: number) => void | Promise<void>;
  /**
   * called with the start of the output and the terminal size; when reading from 0, this happens right before the first
   * bytes, because `script` writes its header only together with the first output
   */
  onStart?: (start: Pick<RecordingStart, 'start' | 'size'>) => void;
  /**
   * called when the file was truncated or replaced; all earlier bytes become invalid, and offsets start at 0 again.
   * `epoch` counts from 1
   */
  onReset?: (epoch: number, cause: 'truncated' | 'replaced') => void;
  /**
   * Set this if the writer keeps its file open and continues at its own position, as `script` does. In that case, the
   * open file is read even if its name later refers to another file, and a truncation does not change any offset. If
   * this is not set, the name decides which file is read, as for a log written by Screen, which reopens its file.
   */
  keepsFile?: boolean;
  /**
   * called when the name refers to a file other than the open one, or to none; called again at every check as long as
   * that is the case
   */
  onNameLost?: () => void;
  /** with `keepsFile`: called when everything before this position was cut off */
  onCut?: (at: number) => void;
  /**
   * called when the file was deleted and another file is taking its name; until the promise is settled, the old file
   * can be read through this path
   */
  onDeleted?: (openPath: string) => Promise<void>;
  /** returns the least time between two reads, in milliseconds; 4 ms by default */
  intervalMs?: () => number;
  /**
   * called when reading has failed (a disk error) or a callback has thrown an error; reading is retried at the next
   * change. Without this callback, the error is unhandled
   */
  onError?: (error: unknown) => void;
}

export interface RecordingTail {
  /** the position at which reading continues */
  position(): number;
  /**
   * Delivers what has been written by now before it returns, however long ago the last read was. Does nothing while
   * reading waits for another thread.
   */
  readNow(): void;
  /** stops the tail; no callback is called afterwards */
  dispose(): void;
}
