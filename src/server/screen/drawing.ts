import { createEmulator, type Emulator } from '../../platform/emulator/index.ts';
import { readRange } from '../../platform/recorder/index.ts';
import type { Clock } from '../clock.ts';
import type { Dispose } from '../sessions.ts';
import { requestTurn } from './drawing-turns.ts';

/** How much may wait to be drawn, 30 ms of work; with more, the session is in a flood. */
export const MOST_WAITING_BYTES = 1_000_000;
/** The end of a flood that is drawn: it fills the window and what is kept above it many times. */
export const FLOOD_END_BYTES = 500_000;
/** How much of a flood goes by before its end is drawn: so a quarter of its bytes is drawn. */
const FLOOD_BYTES = 4 * FLOOD_END_BYTES;
/**
 * Lines above the window that are kept in memory (2 MB per session with 1,000); everything older is in the recording.
 */
const SCROLLBACK_LINES = 1_000;
/** Drawn at a time: 1 ms of work, and hardly slower than larger pieces. */
const PIECE_BYTES = 32_768;
/** After how much more output a recording that was set aside is tried again; each time it is twice as much. */
const FIRST_TRY_BYTES = 1_000_000;
/** How long a pause ends a flood; then its end is drawn. */
const QUIET_MS = 200;
/** CAN: ends the escape sequence that a terminal may be in. */
const CANCEL = '\x18';

export interface DrawingOptions {
  /** the recording's file */
  file: () => string;
  /** offset in it from which on is drawn */
  from: number;
  cols: number;
  rows: number;
  clock: Clock;
  /** the picture is another */
  onDrawn: () => void;
  /** the recording could not be read: the picture stays as it was */
  onFault: (cause: unknown) => void;
  /** drawing its bytes took far too long, twice, so they are set aside. Null: they are drawn again */
  onAside: (cause: unknown) => void;
}

/**
 * The terminal that a session's bytes draw. Sessions take turns at it, so that drawing keeps the server from nothing
 * else.
 */
export interface Drawing {
  /** Bytes as they come, the first of them from `offset`. They are kept, not copied. */
  take(bytes: Uint8Array, offset: number): void;
  /** how far it has come: the picture is that of the bytes before this */
  drawn(): number;
  /** resolves when all that was taken is on the screen, or never will be */
  flush(): Promise<void>;
  resize(cols: number, rows: number): void;
  /** the terminal as it is now; another one after a flood */
  emulator(): Emulator;
  dispose(): void;
}

interface Output {
  bytes: Uint8Array;
  /** offset of the end */
  to: number;
}

/** The end of a recording being drawn into a terminal that nobody sees until it is done. */
interface Redraw {
  emulator: Emulator;
  at: number;
  to: number;
}

/**
 * A session that writes faster than can be drawn (a file printed whole, twenty builds at once) is in a flood: nothing
 * is kept for its terminal any more, whose bytes are all in the recording, and its end is drawn from there when it is
 * over, asked for or long.
 */
export function createDrawing(options: DrawingOptions): Drawing {
  const { clock, onDrawn, onFault, onAside } = options;
  let { cols, rows } = options;
  let emulator = createEmulator({ cols, rows, scrollback: SCROLLBACK_LINES });
  let drawn = options.from;
  let received = options.from;
  let queue: Output[] = [];
  let queuedBytes = 0;
  let floodedAt: number | null = null;
  let stopWaitingForQuiet: Dispose | null = null;
  let redraw: Redraw | null = null;
  let isDisposed = false;
  let flushes: { to: number; resolve: () => void }[] = [];
  /** where it is tried again to draw; null: it is drawn, or being tried */
  let tryAgainAt: number | null = null;
  let isAside = false;
  let hasFailed = false;
  let restBytes = FIRST_TRY_BYTES;

  const turn = { draw: drawPiece, wants: () => !isDisposed && (redraw !== null || queuedBytes > 0) };

  async function drawPiece(): Promise<void> {
    try {
      if (redraw === null) await drawQueued();
      else await drawAgain(redraw);
    } catch (cause) {
      if (!isDisposed) giveUp(cause);
    }
    if (isDisposed) return;
    flushes = flushes.filter(({ to, resolve }) => {
      if (to <= drawn) resolve();
      return to > drawn;
    });
    if (flushes.length > 0 && floodedAt !== null) beginRedraw();
  }

  /**
   * A machine that stood still makes drawing take long too, so the end is drawn once more. What fails then as well is
   * set aside: the terminal stays empty, and the other sessions go on.
   */
  function giveUp(cause: unknown): void {
    redraw?.emulator.dispose();
    redraw = null;
    emulator.dispose();
    emulator = createEmulator({ cols, rows, scrollback: SCROLLBACK_LINES });
    queue = [];
    queuedBytes = 0;
    floodedAt = null;
    if (!hasFailed) {
      hasFailed = true;
      beginRedraw();
      return;
    }
    tryAgainAt = received + restBytes;
    restBytes *= 2;
    drawn = received;
    if (!isAside) onAside(cause);
    isAside = true;
  }

  async function drawQueued(): Promise<void> {
    const { bytes, to } = takePiece();
    emulator.write(bytes);
    await emulator.flush();
    drawn = to;
    if (!isDisposed) onDrawn();
  }

  function takePiece(): Output {
    const pieces: Uint8Array[] = [];
    let room = PIECE_BYTES;
    let to = drawn;
    for (let [next] = queue; next !== undefined && room > 0; [next] = queue) {
      const rest = next.bytes.subarray(room);
      pieces.push(next.bytes.subarray(0, room));
      room -= next.bytes.length - rest.length;
      to = next.to - rest.length;
      if (rest.length > 0) queue[0] = { bytes: rest, to: next.to };
      else queue.shift();
    }
    queuedBytes -= PIECE_BYTES - room;
    return { bytes: Buffer.concat(pieces), to };
  }

  function waitForQuiet(): void {
    stopWaitingForQuiet?.();
    stopWaitingForQuiet = clock.after(QUIET_MS, beginRedraw);
  }

  function beginRedraw(): void {
    if (redraw !== null) {
      waitForQuiet();
      return;
    }
    stopWaitingForQuiet?.();
    const again = createEmulator({ cols, rows, scrollback: SCROLLBACK_LINES });
    // The modes that were set before the flood hold on; its lines scroll what stood there away.
    again.write(Buffer.from(`${emulator.serialize()}${CANCEL}`));
    redraw = { emulator: again, at: Math.max(options.from, received - FLOOD_END_BYTES), to: received };
    floodedAt = null;
    requestTurn(turn);
  }

  async function drawAgain(current: Redraw): Promise<void> {
    const bytes = await readPiece(current);
    current.emulator.write(bytes);
    await current.emulator.flush();
    current.at += bytes.length;
    if (isDisposed) {
      current.emulator.dispose();
      return;
    }
    if (bytes.length > 0 && current.at < current.to) return;
    redraw = null;
    emulator.dispose();
    ({ emulator } = current);
    drawn = current.to;
    hasFailed = false;
    if (isAside) onAside(null);
    isAside = false;
    onDrawn();
  }

  /** None where the file has no more: it was cut off, and what comes in its place is told as such. */
  async function readPiece({ at, to }: Redraw): Promise<Uint8Array> {
    try {
      return await readRange(options.file(), at, Math.min(to, at + PIECE_BYTES));
    } catch (cause) {
      onFault(cause);
      return new Uint8Array();
    }
  }

  function beginFlood(): void {
    queue = [];
    queuedBytes = 0;
    floodedAt = received;
  }

  return {
    take: (bytes, offset) => {
      received = offset + bytes.length;
      if (tryAgainAt !== null) {
        drawn = received;
        if (received < tryAgainAt) return;
        tryAgainAt = null;
        beginRedraw();
        return;
      }
      if (floodedAt === null) {
        queue.push({ bytes, to: received });
        queuedBytes += bytes.length;
        if (queuedBytes > MOST_WAITING_BYTES) beginFlood();
        else requestTurn(turn);
      }
      if (floodedAt === null) return;
      if (received - floodedAt >= FLOOD_BYTES) beginRedraw();
      else waitForQuiet();
    },
    drawn: () => drawn,
    flush: () => {
      if (isDisposed || drawn === received) return Promise.resolve();
      if (floodedAt !== null) beginRedraw();
      return new Promise((resolve) => flushes.push({ to: received, resolve }));
    },
    resize: (newCols, newRows) => {
      cols = newCols;
      rows = newRows;
      emulator.resize(cols, rows);
      redraw?.emulator.resize(cols, rows);
    },
    emulator: () => emulator,
    dispose: () => {
      isDisposed = true;
      stopWaitingForQuiet?.();
      emulator.dispose();
      redraw?.emulator.dispose();
      for (const { resolve } of flushes.splice(0)) resolve();
    },
  };
}
