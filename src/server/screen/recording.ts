import type { ScreenFrame } from '../../core/status/index.ts';
import { Emitter } from '../../emitter/emitter.ts';
import { type RecordingTail, readStart, type TimingTail, tailRecording } from '../../platform/recorder/index.ts';
import type { Clock } from '../clock.ts';
import type { RecordingDamage, RecordingFiles, SessionRecording } from '../session/session-recording.ts';
import type { Dispose } from '../sessions.ts';
import { createDrawing, type Drawing } from './drawing.ts';
import { followTimes } from './follow-times.ts';
import { createFramePace } from './frame-pace.ts';
import { readIntervalMs } from './read-interval.ts';

/**
 * How much of a recording's end is drawn when the recording is opened. This much always contains a whole screen,
 * because Claude Code redraws its window often. Drawing it takes 50 ms, at 40 MB/s.
 */
const REPLAY_BYTES = 2_000_000;

export interface SessionRecordingOptions {
  slug: () => string;
  files: RecordingFiles;
  /** the terminal's size, used if the recording itself does not contain one */
  size: { cols: number; rows: number };
  clock: Clock;
  /**
   * called with the current screen; `at` is when the screen began to look like this or, for output from before the
   * server started, when the file last changed
   */
  onFrame: (frame: ScreenFrame, at: number) => void;
  onResize: (cols: number, rows: number) => void;
  /** called when the recording cannot be read at the moment */
  onFault: (cause: unknown) => void;
  /**
   * called when the recording takes too long to draw, so that the terminal stays empty from now on; called with null
   * when the recording is being drawn again
   */
  onAside: (cause: unknown) => void;
  /**
   * called when output is missing from the recording because the disk was full; null if `script` does not flush each
   * write, because the recording and its timing file then cannot be compared
   */
  onLost: (() => void) | null;
  onDamage: (damage: RecordingDamage) => void;
  /**
   * called when the file was deleted and replaced by another one; the deleted file can be read at `openPath` until the
   * promise settles
   */
  onDeleted: (openPath: string) => Promise<void>;
}

/** The reading of one set of files. When a recording is replaced or renamed, a new reading begins. */
interface Reading {
  /** resolves when the existing output has been read */
  ready: Promise<void>;
  stop(): void;
}

export function createSessionRecording(options: SessionRecordingOptions): SessionRecording {
  const { clock, slug, onFrame, onResize, onFault, onDamage } = options;
  let { files, size } = options;
  let drawing: Drawing | null = null;
  let reading: Reading | null = null;
  let tail: RecordingTail | null = null;
  let lastFrame: ScreenFrame | null = null;
  let start = 0;
  let end = 0;
  /** whether existing output is still being read, of which only the last screen matters */
  let isCatchingUp = false;
  /** whether the recording cannot be drawn; if so, the terminal is empty and does not show the session */
  let isAside = false;
  let epoch = 0;
  const taken = new Emitter<[bytes: Uint8Array, offset: number]>();
  const gathered = new Emitter<[bytes: Uint8Array, offset: number]>();
  const resets = new Emitter<[epoch: number]>();

  const readFrame = (at: number): void => {
    if (drawing === null || isAside) return;
    lastFrame = drawing.emulator().frame();
    onFrame(lastFrame, at);
  };
  const pace = createFramePace(clock, readFrame);

  /** Creates an empty terminal that draws from the given offset onwards. */
  function drawFrom(from: number): void {
    end = from;
    drawing?.dispose();
    const onDrawn = () => isCatchingUp || pace.readSoon();
    const onAside = (cause: unknown): void => {
      isAside = cause !== null;
      lastFrame = null;
      options.onAside(cause);
    };
    if (isAside) onAside(null);
    const file = () => files.typescript;
    drawing = createDrawing({ ...size, from, file, clock, beforeDrawing: readNow, onDrawn, onFault, onAside });
  }
  function readNow(): void {
    if (!isCatchingUp) tail?.readNow();
  }
  function reset(offset = 0): void {
    epoch += 1;
    if (offset === 0) start = 0;
    drawFrom(offset);
    resets.tell(epoch);
  }
  function resized(cols: number, rows: number): void {
    if (cols === size.cols && rows === size.rows) return;
    size = { cols, rows };
    drawing?.resize(cols, rows);
    onResize(cols, rows);
    if (lastFrame !== null) pace.readSoon();
  }

  /** Reads the files from the given position or, if it is null, from a point from which a whole screen can be drawn. */
  function read(from: number | null): Reading {
    const disposers: Dispose[] = [];
    let times: TimingTail | null = null;
    let isStopped = false;
    isCatchingUp = true;
    const keep = (dispose: Dispose): void => {
      if (isStopped) dispose();
      else disposers.push(dispose);
    };
    const take = (bytes: Uint8Array, offset: number): void | Promise<void> => {
      if (isStopped) return;
      // Output for a new size of the terminal must not be drawn in the old size.
      if (!isCatchingUp) times?.readNow();
      end = offset + bytes.length;
      drawing?.take(bytes, offset);
      taken.tell(bytes, offset);
      gathered.tell(bytes, offset);
      // Existing output is read only as fast as it can be drawn, because a starting server reads the end of every
      // recording.
      if (isCatchingUp) return drawing?.flush();
    };
    const run = async (): Promise<void> => {
      const found = await readStart(files.typescript);
      if (isStopped) return;
      if (from === null) {
        start = found.start;
        if (found.size !== null) size = found.size;
        drawFrom(found.length - found.start > REPLAY_BYTES ? found.length - REPLAY_BYTES : found.start);
      }
      const onNameLost = () => onDamage({ kind: 'misnamed' });
      times = await followTimes(files, { ...options, resized, onNameLost });
      keep(times.dispose);
      const opened = await tailRecording({
        file: files.typescript,
        from: end,
        onBytes: take,
        intervalMs: () => readIntervalMs({ isFollowed: taken.size > 0, isBusy: drawing?.isBusy() === true }),
        onStart: (begun) => {
          start = begun.start;
          drawFrom(begun.start);
          if (begun.size !== null) resized(begun.size.cols, begun.size.rows);
        },
        keepsFile: files.timing !== null,
        onNameLost,
        onCut: (at) => onDamage({ kind: 'cut', at }),
        onDeleted: options.onDeleted,
        onReset: (_, cause) => {
          const at = end;
          reset();
          onDamage(cause === 'truncated' ? { kind: 'cut', at } : { kind: 'begun' });
        },
        onError: onFault,
      });
      if (!isStopped) tail = opened;
      keep(() => opened.dispose());
      await drawing?.flush();
      isCatchingUp = false;
      if (!isStopped && end > start) readFrame(Math.min(found.changedAt, clock.now()));
    };
    const stop = (): void => {
      isStopped = true;
      for (const dispose of disposers.splice(0)) dispose();
    };
    return { ready: run(), stop };
  }

  function follow(): Promise<void> {
    if (reading !== null) return reading.ready;
    const next = read(null);
    reading = next;
    // The file may not exist yet, so the next call tries again.
    next.ready.catch(() => {
      next.stop();
      if (reading === next) reading = null;
    });
    return next.ready;
  }
  function stop(): void {
    reading?.stop();
    reading = null;
    tail = null;
    pace.stop();
  }

  return {
    get slug() {
      return slug();
    },
    file: () => files.typescript,
    // Only a log written by Screen does not contain the terminal's size.
    source: () => ({ ...files, ...(files.timing === null ? size : { cols: null, rows: null }) }),
    start: () => start,
    end: () => end,
    epoch: () => epoch,
    snapshot: async () => {
      await follow();
      readNow();
      await drawing?.flush();
      return { data: drawing?.emulator().serialize() ?? '', offset: drawing?.drawn() ?? 0 };
    },
    onBytes: (listener, { mayWait = false } = {}) => (mayWait ? gathered : taken).on(listener),
    onReset: resets.on,
    follow,
    look: () => {
      readNow();
      const hasDrawn = !isCatchingUp && drawing?.drawNow() === true;
      if (pace.isDue() || hasDrawn) pace.readNow();
    },
    lines: () => lastFrame?.lines ?? [],
    size: () => size,
    text: async (count, format) => {
      readNow();
      await drawing?.flush();
      return drawing?.emulator().text(count, format) ?? '';
    },
    moved: (next) => {
      files = next;
      if (reading === null) return;
      // Only the names of the files have changed, so reading continues at the same position.
      stop();
      reading = read(end);
    },
    replace: (next, nextSize) => {
      stop();
      files = next;
      size = nextSize;
      reset();
    },
    resized,
    renew: () => reset(end),
    close: () => {
      stop();
      taken.clear();
      gathered.clear();
      resets.clear();
      drawing?.dispose();
      drawing = null;
    },
  };
}
