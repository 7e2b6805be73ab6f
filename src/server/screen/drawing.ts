import { createEmulator, type Emulator } from '../../platform/emulator/index.ts';
import { readRange } from '../../platform/recorder/index.ts';
import type { Clock } from '../clock.ts';
import type { Dispose } from '../sessions.ts';
import { createDrawingPace } from './drawing-pace.ts';
import { requestTurn } from './drawing-turns.ts';
import { WaitingOutput } from './waiting-output.ts';

/** How many bytes may wait to be drawn before the session counts as flooding. Drawing this many takes 30 ms. */
export const MOST_WAITING_BYTES = 1_000_000;
/** How much of a flood's end is drawn: enough to fill the window and its scrollback many times over. */
export const FLOOD_END_BYTES = 500_000;
/**
 * How much output of a long flood must arrive before its latest part is drawn. Therefore only a quarter of a flood's
 * bytes is drawn.
 */
const FLOOD_BYTES = 4 * FLOOD_END_BYTES;
/**
 * How many lines above the window are kept in memory; 1,000 lines take 2 MB per session. Everything older is only in
 * the recording.
 */
const SCROLLBACK_LINES = 1_000;
/** How much is drawn at a time. A piece takes 1 ms, and larger pieces would hardly be faster overall. */
const PIECE_BYTES = 32_768;
/**
 * How much more output must arrive before CBOS tries again to draw a recording that was set aside. The amount doubles
 * with each attempt.
 */
const FIRST_TRY_BYTES = 1_000_000;
/** How long the output must pause for a flood to be over. Then the end of the flood is drawn. */
const QUIET_MS = 200;
/** CAN, the control character that cancels any escape sequence that a terminal may be parsing. */
const CANCEL = '\x18';

export interface DrawingOptions {
  /** returns the path of the recording's file */
  file: () => string;
  /** the offset in the file from which drawing starts */
  from: number;
  cols: number;
  rows: number;
  clock: Clock;
  /** called right before output that was gathered is drawn, so that output which has just been written can be added */
  beforeDrawing?: () => void;
  /** called when the screen has changed */
  onDrawn: () => void;
  /** called when the recording cannot be read, in which case the screen does not change */
  onFault: (cause: unknown) => void;
  /**
   * called when drawing has taken far too long twice, so that the recording is set aside and not drawn for now; called
   * with null when it is drawn again
   */
  onAside: (cause: unknown) => void;
}

/**
 * The terminal into which a session's output is drawn. Sessions take turns at drawing, so that drawing does not block
 * the rest of the server.
 */
export interface Drawing {
  /**
   * Accepts bytes as they arrive; `offset` is the position of the first one. The bytes are kept without being copied.
   */
  take(bytes: Uint8Array, offset: number): void;
  /** Returns the offset up to which the output has been drawn. The screen shows everything before this offset. */
  drawn(): number;
  /** Resolves when everything accepted so far is on the screen, or is certain never to be drawn. */
  flush(): Promise<void>;
  /**
   * Draws everything accepted so far before it returns, except during a flood or a redraw.
   * @returns whether there was anything to draw
   */
  drawNow(): boolean;
  resize(cols: number, rows: number): void;
  /** Reports whether the session writes so much that its output is gathered before it is drawn. */
  isBusy(): boolean;
  /** Returns the current terminal, which a flood replaces with a new one. */
  emulator(): Emulator;
  dispose(): void;
}

/**
 * The end of a recording, while it is being drawn into a hidden terminal. Once the hidden terminal is complete, it
 * replaces the visible one.
 */
interface Redraw {
  emulator: Emulator;
  at: number;
  to: number;
}

/**
 * Draws a session's bytes. A session is in a flood while it writes faster than CBOS can draw, for example when it
 * prints a whole file or when twenty builds run at once. During a flood, no bytes are kept for drawing, because all of
 * them are in the recording. The end of the flood is drawn from the recording when the flood is over, when somebody
 * requests the screen, or from time to time if the flood lasts long.
 */
export function createDrawing(options: DrawingOptions): Drawing {
  const { clock, onDrawn, onFault, onAside } = options;
  let { cols, rows } = options;
  let emulator = createEmulator({ cols, rows, scrollback: SCROLLBACK_LINES });
  let drawn = options.from;
  /** the offset up to which drawing is known to have succeeded */
  let proven = options.from;
  let received = options.from;
  const waiting = new WaitingOutput();
  let floodedAt: number | null = null;
  let stopWaitingForQuiet: Dispose | null = null;
  let redraw: Redraw | null = null;
  let isDisposed = false;
  let flushes: { to: number; resolve: () => void }[] = [];
  /**
   * the offset at which drawing will be tried again; null if the recording is not set aside, or if an attempt is under
   * way
   */
  let tryAgainAt: number | null = null;
  let isAside = false;
  let hasFailed = false;
  let restBytes = FIRST_TRY_BYTES;

  const turn = {
    draw: drawPiece,
    wants: () => !isDisposed && (redraw !== null || waiting.bytes > 0 || proven < drawn),
  };
  const pace = createDrawingPace(clock, () => {
    options.beforeDrawing?.();
    requestTurn(turn);
  });

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
   * Handles drawing that took far too long. The cause may be that the machine was suspended, so the end of the
   * recording is drawn once more. If that fails too, the recording is set aside: its terminal stays empty, and the
   * other sessions are not affected.
   */
  function giveUp(cause: unknown): void {
    redraw?.emulator.dispose();
    redraw = null;
    drawn = proven;
    emulator.dispose();
    emulator = createEmulator({ cols, rows, scrollback: SCROLLBACK_LINES });
    waiting.clear();
    floodedAt = null;
    if (!hasFailed) {
      hasFailed = true;
      beginRedraw();
      return;
    }
    tryAgainAt = received + restBytes;
    restBytes *= 2;
    drawn = received;
    proven = received;
    if (!isAside) onAside(cause);
    isAside = true;
  }

  async function drawQueued(): Promise<void> {
    const { bytes, to } = waiting.take(PIECE_BYTES);
    emulator.write(bytes);
    await emulator.flush();
    // In the meantime, `drawNow` may have drawn more, and also succeeded.
    drawn = Math.max(drawn, to);
    proven = drawn;
    if (!isDisposed) onDrawn();
  }

  function drawNow(): boolean {
    if (isDisposed || redraw !== null || floodedAt !== null || waiting.bytes === 0) return false;
    pace.hurry();
    const { bytes, to } = waiting.take(waiting.bytes);
    emulator.write(bytes);
    emulator.drawWaiting();
    drawn = to;
    // Whether this drawing has succeeded will be known only when the terminal's turn comes.
    requestTurn(turn);
    return true;
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
    // Terminal modes that were set before the flood remain in effect. The lines of the flood scroll older lines away.
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
    proven = drawn;
    hasFailed = false;
    if (isAside) onAside(null);
    isAside = false;
    onDrawn();
  }

  /**
   * Reads the next piece. Returns no bytes if the file ends early because it was truncated or cannot be read. The
   * file's own reader reports what happened to a truncated file.
   */
  async function readPiece({ at, to }: Redraw): Promise<Uint8Array> {
    try {
      return await readRange(options.file(), at, Math.min(to, at + PIECE_BYTES));
    } catch (cause) {
      onFault(cause);
      return new Uint8Array();
    }
  }

  function beginFlood(): void {
    waiting.clear();
    floodedAt = received;
  }

  return {
    take: (bytes, offset) => {
      received = offset + bytes.length;
      if (tryAgainAt !== null) {
        drawn = received;
        proven = received;
        if (received < tryAgainAt) return;
        tryAgainAt = null;
        beginRedraw();
        return;
      }
      if (floodedAt === null) {
        waiting.add({ bytes, to: received });
        if (waiting.bytes > MOST_WAITING_BYTES) beginFlood();
        else if (waiting.bytes > PIECE_BYTES) requestTurn(turn);
        else pace.take(bytes.length);
      }
      if (floodedAt === null) return;
      if (received - floodedAt >= FLOOD_BYTES) beginRedraw();
      else waitForQuiet();
    },
    drawn: () => drawn,
    flush: () => {
      if (isDisposed || drawn === received) return Promise.resolve();
      if (floodedAt !== null) beginRedraw();
      pace.hurry();
      requestTurn(turn);
      return new Promise((resolve) => flushes.push({ to: received, resolve }));
    },
    resize: (newCols, newRows) => {
      drawNow();
      cols = newCols;
      rows = newRows;
      emulator.resize(cols, rows);
      redraw?.emulator.resize(cols, rows);
    },
    drawNow,
    isBusy: pace.isBusy,
    emulator: () => emulator,
    dispose: () => {
      isDisposed = true;
      pace.hurry();
      stopWaitingForQuiet?.();
      emulator.dispose();
      redraw?.emulator.dispose();
      for (const { resolve } of flushes.splice(0)) resolve();
    },
  };
}
