import { CatalogueError } from '../../protocol/index.ts';
import { drawNow, requestRound, type Turn } from './bounded-rounds.ts';

/** Drawn by now, more or less: 50 times what a piece of 32 kB takes. */
const USUAL_MS = 50;
/** How much longer than usual all pieces together may take: each of many could take a little less than one's bound. */
const MOST_OVER_MS = 1_000;

/** What is written to a terminal, on its way to the screen. */
interface BoundedOutput {
  /** @param onDrawn called right after, before anything else is drawn */
  add(piece: string | Uint8Array, onDrawn?: () => void): void;
  /** resolves when all of it is drawn. @throws CatalogueError undrawable */
  flush(): Promise<void>;
  /** draws what waits */
  drawAll(): void;
  dispose(): void;
}

interface Piece {
  bytes: string | Uint8Array;
  onDrawn: (() => void) | undefined;
}

interface Flush {
  /** how many pieces have to be drawn for it */
  after: number;
  resolve(): void;
  reject(cause: unknown): void;
}

/**
 * Whatever is written, also what makes xterm.js loop forever, keeps the thread for some seconds at most: then nothing
 * of it is drawn any more.
 * @param draw draws at once
 */
export function boundedOutput(draw: (piece: string | Uint8Array) => void): BoundedOutput {
  let pieces: Piece[] = [];
  let flushes: Flush[] = [];
  let added = 0;
  let drawn = 0;
  let overMs = 0;
  let failure: unknown = null;
  let isDisposed = false;

  const settle = (): void => {
    const done = flushes.filter(({ after }) => isDisposed || failure !== null || after <= drawn);
    flushes = flushes.filter((flush) => !done.includes(flush));
    for (const { resolve, reject } of done) {
      if (failure === null) resolve();
      else reject(failure);
    }
  };
  const fail = (cause: unknown): void => {
    failure = new CatalogueError('undrawable', undefined, { cause });
    pieces = [];
    settle();
  };
  /** What goes wrong there is no fault of what was drawn. */
  const tell = ({ onDrawn }: Piece): void => {
    try {
      onDrawn?.();
    } catch (cause) {
      failure = cause;
      pieces = [];
    }
  };
  const turn: Turn = {
    draw: () => {
      const piece = pieces.shift();
      if (piece === undefined || isDisposed || failure !== null) return false;
      const tookMs = timeOf(() => draw(piece.bytes));
      drawn += 1;
      overMs = Math.max(0, overMs + tookMs - USUAL_MS);
      if (overMs > MOST_OVER_MS) fail(new Error(`it took ${Math.round(tookMs)} ms`));
      else tell(piece);
      settle();
      return pieces.length > 0;
    },
    fail,
  };

  return {
    add: (bytes, onDrawn) => {
      if (isDisposed || failure !== null) return;
      pieces.push({ bytes, onDrawn });
      added += 1;
      requestRound(turn);
    },
    flush: () => {
      if (failure !== null) return Promise.reject(failure);
      if (isDisposed || drawn === added) return Promise.resolve();
      return new Promise((resolve, reject) => flushes.push({ after: added, resolve, reject }));
    },
    drawAll: () => {
      if (pieces.length > 0) drawNow(turn);
    },
    dispose: () => {
      isDisposed = true;
      pieces = [];
      settle();
    },
  };
}

/** Time of the clock, or of the processor where that is less: a machine that does other things is no reason. */
function timeOf(work: () => void): number {
  const beganAt = performance.now();
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return Math.min(performance.now() - beganAt, (user + system) / 1_000);
}
