import type { RecordingStream } from '../sessions.ts';

export interface RecordingFiles {
  typescript: string;
  /** the path of the timing file; null for a log written by Screen itself, which contains no times */
  timing: string | null;
}

/**
 * A session's recording, with its bytes as a stream and the terminal into which they are drawn. Nothing is read before
 * `follow` is called or the screen is first requested.
 */
export interface SessionRecording extends RecordingStream {
  /**
   * Reads the existing output, and then continues to read new output. Resolves when all existing output has been drawn.
   */
  follow(): Promise<void>;
  /**
   * Reports the current screen if it has changed since the last report. Call this before making a decision that depends
   * on the screen.
   */
  look(): void;
  /** Returns the rows of the window. */
  lines(): readonly string[];
  size(): { cols: number; rows: number };
  /** Returns the last `count` lines of the scrollback and the window. */
  text(count: number, format: 'text' | 'ansi' | 'html'): Promise<string>;
  /** Call this when the files have been renamed. */
  moved(files: RecordingFiles): void;
  /** Replaces the recording with another one, and sends all listeners a reset. */
  replace(files: RecordingFiles, size: { cols: number; rows: number }): void;
  resized(cols: number, rows: number): void;
  /**
   * Empties the screen and sends all listeners a reset, but offsets continue. Call this when the terminal no longer
   * matches what the session shows.
   */
  renew(): void;
  close(): void;
}

/** What somebody did to a recording's files. */
export type RecordingDamage =
  /**
   * the file was deleted or moved, so its path now refers to another file or to none; the open file is still being read
   */
  | { kind: 'misnamed' }
  /**
   * the file was truncated, and everything before this position is lost; what is recorded from there on does not draw a
   * whole screen
   */
  | { kind: 'cut'; at: number }
  /** Screen has begun a new file at the same path, which does not draw a whole screen either */
  | { kind: 'begun' };
