import type { ScreenFrame } from '../../core/status/index.ts';
import { Emitter } from '../../emitter/emitter.ts';
import { followTiming, readStart, tailRecording, watchLosses } from '../../platform/recorder/index.ts';
import type { Clock } from '../clock.ts';
import type { Dispose, RecordingStream } from '../sessions.ts';
import { createDrawing, type Drawing } from './drawing.ts';
import { createFramePace } from './frame-pace.ts';

/**
 * How much of a recording's end is drawn when it is opened. Claude Code redraws its window often enough that this
 * always contains a whole screen. At 40 MB/s, drawing takes 50 ms.
 */
const REPLAY_BYTES = 2_000_000;
export interface RecordingFiles {
  typescript: string;
  /** null for a log that Screen itself writes, which contains no times */
  timing: string | null;
}

/** What somebody did to a recording's files. */
export type RecordingDamage =
  /**
   * the file was deleted or moved away, so its name now refers to another file or to nothing; the open file is still
   * being read
   */
  | { kind: 'misnamed' }
  /** everything before this position was cut off; what is recorded from here on does not draw a whole screen */
  | { kind: 'cut'; at: number }
  /** Screen has begun another file in its place, which does not draw a whole screen either */
  | { kind: 'begun' };

export interface SessionRecordingOptions {
  slug: () => string;
  files: RecordingFiles;
  /** used if the recording itself does not contain a size */
  size: { cols: number; rows: number };
  clock: Clock;
  /**
   * called with the current screen; `at` is when the screen began to look like this or, for earlier recordings, when
   * the file last changed
   */
  onFrame: (frame: ScreenFrame, at: number) => void;
  onResize: (cols: number, rows: number) => void;
  /** called when the recording cannot be read at the moment */
  onFault: (cause: unknown) => void;
  /**
   * called when the recording takes too long to draw and the terminal therefore shows nothing from now on; called with
   * null when it is being drawn again
   */
  onAside: (cause: unknown) => void;
  /**
   * called when the recording lacks output because the disk was full; null if `script` does not flush each write,
   * because the two files then cannot be compared
   */
  onLost: (() => void) | null;
  onDamage: (damage: RecordingDamage) => void;
  /**
   * called when the file was deleted and another one is taking its place; `openPath` is readable until the promise
   * settles
   */
  onDeleted: (openPath: string) => Promise<void>;
}

/**
 * A session's recording: its bytes as a stream, and the terminal that they are drawn into. Nothing is read before
 * `follow` or the first request for the screen.
 */
export interface SessionRecording extends RecordingStream {
  /**
   * Reads the existing output, then keeps reading. Resolves when the screen shows the whole recording up to that
   * moment.
   */
  follow(): Promise<void>;
  /**
   * Reports the current screen if it has changed since the last report. Call this before making a decision that depends
   * on the screen.
   */
  look(): void;
  /** The rows of the window. */
  lines(): readonly string[];
  size(): { cols: number; rows: number };
  /** The last `count` lines of scrollback and window. */
  text(count: number, format: 'text' | 'ansi' | 'html'): Promise<string>;
  /** The files were renamed. */
  moved(files: RecordingFiles): void;
  /** Replaces the recording with another one. All listeners receive a reset. */
  replace(files: RecordingFiles, size: { cols: number; rows: number }): void;
  resized(cols: number, rows: number): void;
  /**
   * Call this when the terminal does not match what the session shows. Empties the screen and sends all listeners a
   * reset. Offsets continue.
   */
  renew(): void;
  close(): void;
}

/** One run of reading the files. A recording that is replaced or renamed starts a new run. */
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
  let lastFrame: ScreenFrame | null = null;
  let start = 0;
  let end = 0;
  /** whether earlier output is being caught up on, of which only the last screen matters */
  let isCatchingUp = false;
  /** whether the recording cannot be drawn; if so, the terminal is empty and does not show the session */
  let isAside = false;
  let epoch = 0;
  const taken = new Emitter<[bytes: Uint8Array, offset: number]>();
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
    drawing = createDrawing({ ...size, from, file: () => files.typescript, clock, onDrawn, onFault, onAside });
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

  async function followTimes(typescript: string, timing: string): Promise<Dispose> {
    const { onLost } = options;
    const losses = onLost === null ? null : watchLosses({ typescript, timing, onLost, onError: onFault });
    const stopFollowing = await followTiming(timing, {
      onSize: (now) => resized(now.cols, now.rows),
      onRows: (outputBytes, end, readTo) => losses?.rows(outputBytes, end, readTo),
      onNameLost: () => onDamage({ kind: 'misnamed' }),
    });
    return () => {
      stopFollowing();
      losses?.dispose();
    };
  }

  /** Reads the files from the given position onwards, or from a point where a whole screen can be drawn. */
  function read(from: number | null): Reading {
    const disposers: Dispose[] = [];
    let isStopped = false;
    isCatchingUp = true;
    const keep = (dispose: Dispose): void => {
      if (isStopped) dispose();
      else disposers.push(dispose);
    };
    const take = (bytes: Uint8Array, offset: number): void | Promise<void> => {
      if (isStopped) return;
      end = offset + bytes.length;
      drawing?.take(bytes, offset);
      taken.tell(bytes, offset);
      // Earlier output is read as fast as it can be drawn. When a server starts, that is the end of every recording.
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
      if (files.timing !== null) keep(await followTimes(files.typescript, files.timing));
      const tail = await tailRecording({
        file: files.typescript,
        from: end,
        onBytes: take,
        onStart: (begun) => {
          start = begun.start;
          drawFrom(begun.start);
          if (begun.size !== null) resized(begun.size.cols, begun.size.rows);
        },
        keepsFile: files.timing !== null,
        onNameLost: () => onDamage({ kind: 'misnamed' }),
        onCut: (at) => onDamage({ kind: 'cut', at }),
        onDeleted: options.onDeleted,
        onReset: (_, cause) => {
          const at = end;
          reset();
          onDamage(cause === 'truncated' ? { kind: 'cut', at } : { kind: 'begun' });
        },
        onError: onFault,
      });
      keep(() => tail.dispose());
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
    // The file may exist next time.
    next.ready.catch(() => {
      next.stop();
      if (reading === next) reading = null;
    });
    return next.ready;
  }
  function stop(): void {
    reading?.stop();
    reading = null;
    pace.stop();
  }

  return {
    get slug() {
      return slug();
    },
    file: () => files.typescript,
    // Only a log written by Screen lacks its size.
    source: () => ({ ...files, ...(files.timing === null ? size : { cols: null, rows: null }) }),
    start: () => start,
    end: () => end,
    epoch: () => epoch,
    snapshot: async () => {
      await follow();
      await drawing?.flush();
      return { data: drawing?.emulator().serialize() ?? '', offset: drawing?.drawn() ?? 0 };
    },
    onBytes: taken.on,
    onReset: resets.on,
    follow,
    look: () => {
      const hasDrawn = !isCatchingUp && drawing?.drawNow() === true;
      if (pace.isDue() || hasDrawn) pace.readNow();
    },
    lines: () => lastFrame?.lines ?? [],
    size: () => size,
    text: async (count, format) => {
      await drawing?.flush();
      return drawing?.emulator().text(count, format) ?? '';
    },
    moved: (next) => {
      files = next;
      if (reading === null) return;
      // The files stay the same and only their names change, so reading continues where it was.
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
      resets.clear();
      drawing?.dispose();
      drawing = null;
    },
  };
}
