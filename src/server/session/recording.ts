import type { ScreenFrame } from '../../core/status/index.ts';
import { createEmulator, type Emulator } from '../../platform/emulator/index.ts';
import { followSize, type RecordingTail, readStart, tailRecording } from '../../platform/recorder/index.ts';
import type { Clock } from '../clock.ts';
import type { Dispose, RecordingStream } from '../sessions.ts';

/**
 * So much of a recording's end is fed into the emulator when it is opened. Claude Code redraws its window often enough that
 * this always holds a whole picture; at 40 MB/s it takes 50 ms.
 */
const REPLAY_BYTES = 2_000_000;
/** Lines above the window that are kept in memory (2 MB per session with 1,000); everything older is in the recording. */
const SCROLLBACK_LINES = 1_000;
/** The screen is read at most so often while output flows. The first byte after silence is read at once. */
const FRAME_INTERVAL_MS = 40;

export interface RecordingFiles {
  typescript: string;
  /** null: a log that Screen itself writes, which keeps no times */
  timing: string | null;
}

export interface SessionRecordingOptions {
  slug: () => string;
  files: RecordingFiles;
  /** used where the recording itself does not say */
  size: { cols: number; rows: number };
  clock: Clock;
  /** the screen as it is now. `at` is when it came to look so: for what was recorded before, the file's last change */
  onFrame: (frame: ScreenFrame, at: number) => void;
  onResize: (cols: number, rows: number) => void;
}

/** A session's recording: its bytes as a stream, and the terminal that they draw. Nothing is read before `follow` or the first question for its screen. */
export interface SessionRecording extends RecordingStream {
  /** reads what is there and goes on reading as it grows; resolves when the screen is as the recording has it now */
  follow(): Promise<void>;
  /** the window's rows */
  lines(): readonly string[];
  size(): { cols: number; rows: number };
  /** the last `count` lines of scrollback and window */
  text(count: number, format: 'text' | 'ansi' | 'html'): string;
  /** the files were renamed */
  moved(files: RecordingFiles): Promise<void>;
  /** another recording takes its place: a reset for whoever listens */
  replace(files: RecordingFiles, size: { cols: number; rows: number }): Promise<void>;
  resized(cols: number, rows: number): void;
  close(): Promise<void>;
}

export function createSessionRecording(options: SessionRecordingOptions): SessionRecording {
  const { clock, slug, onFrame, onResize } = options;
  let { files, size } = options;
  let emulator: Emulator | null = null;
  let tail: RecordingTail | null = null;
  let following: Promise<void> | null = null;
  let start = 0;
  let end = 0;
  let epoch = 0;
  let frameDue: Dispose | null = null;
  let frameAt = 0;
  /** while what was recorded before is fed in: only the picture at its end counts */
  let isCatchingUp = false;
  let stopSize: Dispose | null = null;
  const byteListeners = new Set<(bytes: Uint8Array, offset: number) => void>();
  const resetListeners = new Set<(epoch: number) => void>();

  const readFrame = (at: number): void => {
    if (emulator === null) return;
    frameAt = clock.now();
    onFrame(emulator.frame(), at);
  };
  /** Reads the screen now when it was quiet, else at the end of the interval: a burst of output is read a few times, not a thousand. */
  const frameSoon = (): void => {
    if (frameDue !== null || isCatchingUp) return;
    const wait = Math.max(0, frameAt + FRAME_INTERVAL_MS - clock.now());
    if (wait === 0) {
      readFrame(clock.now());
      return;
    }
    frameDue = clock.after(wait, () => {
      frameDue = null;
      readFrame(clock.now());
    });
  };

  const take = (bytes: Uint8Array, offset: number): void => {
    end = offset + bytes.length;
    emulator?.write(bytes, frameSoon);
    for (const listener of [...byteListeners]) listener(bytes, offset);
  };
  const reset = (): void => {
    epoch += 1;
    start = 0;
    end = 0;
    emulator?.dispose();
    emulator = createEmulator({ ...size, scrollback: SCROLLBACK_LINES });
    for (const listener of [...resetListeners]) listener(epoch);
  };

  const begin = (found: { start: number; size: { cols: number; rows: number } | null }): void => {
    start = found.start;
    end = found.start;
    if (found.size !== null) resized(found.size.cols, found.size.rows);
  };
  function resized(cols: number, rows: number): void {
    if (cols === size.cols && rows === size.rows) return;
    size = { cols, rows };
    emulator?.resize(cols, rows);
    onResize(cols, rows);
    if (emulator !== null) frameSoon();
  }

  /** Bytes after this position are handed out by the tail; at 0 it tells where the header line ends. */
  async function followFrom(position: number): Promise<void> {
    end = position;
    tail = await tailRecording({
      file: files.typescript,
      from: position,
      onBytes: take,
      onStart: begin,
      onReset: reset,
    });
  }

  async function open(): Promise<void> {
    const found = await readStart(files.typescript);
    start = found.start;
    if (found.size !== null) size = found.size;
    emulator = createEmulator({ ...size, scrollback: SCROLLBACK_LINES });
    if (files.timing !== null) stopSize = await followSize(files.timing, (now) => resized(now.cols, now.rows));
    isCatchingUp = true;
    await followFrom(found.length - found.start > REPLAY_BYTES ? found.length - REPLAY_BYTES : found.start);
    await emulator.flush();
    isCatchingUp = false;
    if (end > start) readFrame(found.changedAt);
  }
  async function resume(): Promise<void> {
    if (files.timing !== null) stopSize = await followSize(files.timing, (now) => resized(now.cols, now.rows));
    await followFrom(end);
  }
  function follow(): Promise<void> {
    following ??= open();
    return following;
  }
  async function stop(): Promise<void> {
    const running = following;
    following = null;
    await running;
    tail?.dispose();
    tail = null;
    stopSize?.();
    stopSize = null;
    frameDue?.();
    frameDue = null;
  }

  return {
    get slug() {
      return slug();
    },
    file: () => files.typescript,
    start: () => start,
    end: () => end,
    epoch: () => epoch,
    snapshot: async () => {
      await follow();
      if (emulator === null) throw new Error('a followed recording has an emulator');
      // Bytes that come while the emulator works are flushed along, so `end` is read after it and belongs to the picture.
      await emulator.flush();
      return { data: emulator.serialize(), offset: end };
    },
    onBytes: (listener) => {
      byteListeners.add(listener);
      return () => byteListeners.delete(listener);
    },
    onReset: (listener) => {
      resetListeners.add(listener);
      return () => resetListeners.delete(listener);
    },
    follow,
    lines: () => emulator?.frame().lines ?? [],
    size: () => size,
    text: (count, format) => emulator?.text(count, format) ?? '',
    moved: async (next) => {
      files = next;
      if (following === null) return;
      // The files stay the same, only their names change: reading goes on where it was.
      await stop();
      following = resume();
      await following;
    },
    replace: async (next, nextSize) => {
      await stop();
      files = next;
      size = nextSize;
      reset();
      await follow();
    },
    resized,
    close: async () => {
      await stop();
      emulator?.dispose();
      emulator = null;
    },
  };
}
