import { CatalogueError } from '../../protocol/index.ts';
import { drawNow, requestRound, type Turn } from './bounded-rounds.ts';

/** The longest time that a piece of output normally takes, which is 50 times as long as 32 kB take. */
const USUAL_MS = 50;
/**
 * How much longer than usual all pieces together may take. Without this limit, each of many pieces could stay just
 * below its own limit.
 */
const MOST_OVER_MS = 1_000;

/** Output that has not been drawn in its terminal yet. */
interface BoundedOutput {
  /** @param onDrawn called right after the piece has been drawn, before anything else is drawn */
  add(piece: string | Uint8Array, onDrawn?: () => void): void;
  /** resolves once everything has been drawn. @throws CatalogueError undrawable */
  flush(): Promise<void>;
  /** draws all the output that is waiting */
  drawAll(): void;
  dispose(): void;
}

interface Piece {
  bytes: string | Uint8Array;
  onDrawn: (() => void) | undefined;
  isHarmless?: boolean;
}

interface Flush {
  /** how many pieces must be drawn before this one */
  after: number;
  resolve(): void;
  reject(cause: unknown): void;
}

export interface BoundedOutputOptions {
  /** draws the piece synchronously */
  draw(piece: string | Uint8Array): void;
  /** reports whether drawing the piece now is certain to take no longer than the length of the piece requires */
  isHarmless(piece: string | Uint8Array): boolean;
}

/**
 * Draws output without blocking the thread for more than a few seconds, even if the output makes xterm.js loop forever.
 * After such an endless loop, nothing more is drawn.
 */
export function boundedOutput({ draw, isHarmless }: BoundedOutputOptions): BoundedOutput {
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
  /** An error in the listener does not mean that the output is faulty. */
  const tell = ({ onDrawn }: Piece): void => {
    try {
      onDrawn?.();
    } catch (cause) {
      failure = cause;
      pieces = [];
    }
  };
  /** Between the first call and the next piece that is drawn, nothing else is drawn. */
  const isNextHarmless = (): boolean => {
    const [next] = pieces;
    if (next === undefined) return true;
    next.isHarmless ??= isHarmless(next.bytes);
    return next.isHarmless;
  };
  const turn: Turn = {
    isHarmless: isNextHarmless,
    draw: () => {
      const isUnwatched = isNextHarmless();
      const piece = pieces.shift();
      if (piece === undefined || isDisposed || failure !== null) return false;
      if (isUnwatched) draw(piece.bytes);
      else overMs = Math.max(0, overMs + timeOf(() => draw(piece.bytes)) - USUAL_MS);
      drawn += 1;
      if (overMs > MOST_OVER_MS) fail(new Error(`it took ${Math.round(overMs)} ms longer than usual`));
      else tell(piece);
      if (flushes.length > 0) settle();
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

/**
 * Returns the elapsed time or the processor time, whichever is shorter. If the machine is busy with other work, that is
 * no reason to stop drawing.
 */
function timeOf(work: () => void): number {
  const beganAt = performance.now();
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return Math.min(performance.now() - beganAt, (user + system) / 1_000);
}
