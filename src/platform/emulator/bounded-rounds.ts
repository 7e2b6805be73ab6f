import { createContext, Script } from 'node:vm';
import { createSpareRoom } from '../process/spare-room.ts';

/**
 * How long a single piece of output may take. A piece normally takes 1 ms, but it took a second in a process that
 * received hardly any processor time (nice 19 at a load of 17). A piece that exceeds this limit either never ends or
 * was crafted to block the server.
 */
const LONGEST_MS = 5_000;
/** How long to draw before other work gets its turn, such as sending bytes or passing on keypresses. */
const ROUND_MS = 4;
/**
 * The pause between rounds if there is little output. Each round with a time limit starts a thread (0.1 to 0.6 ms), so
 * small pieces are drawn together.
 */
const REST_MS = 4;
/** If a round with a time limit took less than this, it contained only small pieces. */
const DROPS_MS = 0.5;

/** A source of output that draws one piece when its turn comes. */
export interface Turn {
  /** whether the next piece may be drawn without a time limit, because it cannot take long */
  isHarmless(): boolean;
  /** draws one piece. @returns whether more pieces are waiting */
  draw(): boolean;
  /**
   * called if a piece has thrown an error, or was stopped halfway because it took too long; the terminal is then in an
   * undefined state
   */
  fail(cause: unknown): void;
}

const waiting = new Set<Turn>();
let isScheduled = false;
let hasOnlyDrops = true;
let endedAt = Number.NEGATIVE_INFINITY;

/** Schedules a turn, together with all other waiting turns. */
export function requestRound(turn: Turn): void {
  waiting.add(turn);
  if (isScheduled) return;
  isScheduled = true;
  const restMs = hasOnlyDrops ? Math.ceil(endedAt + REST_MS - performance.now()) : 0;
  if (restMs > 0) setTimeout(round, restMs);
  else setImmediate(round);
}

/** Draws everything that is waiting in this turn. Call this before you change the terminal in any other way. */
export function drawNow(turn: Turn): void {
  waiting.delete(turn);
  try {
    let hasMore = true;
    while (hasMore && turn.isHarmless()) hasMore = turn.draw();
    if (!hasMore) return;
    endWithin(LONGEST_MS, () => {
      while (turn.draw());
    });
  } catch (cause) {
    turn.fail(cause);
  }
}

/**
 * Draws one piece from each turn in rotation until the round is over. The time limit applies from the first piece that
 * needs it.
 */
function round(): void {
  isScheduled = false;
  let current: Turn | null = null;
  hasOnlyDrops = false;
  const beganAt = performance.now();
  /** @returns whether the next piece needs the time limit */
  const draw = (isWatched: boolean): boolean => {
    for (const turn of waiting) {
      current = turn;
      if (!isWatched && !turn.isHarmless()) return true;
      waiting.delete(turn);
      if (turn.draw()) waiting.add(turn);
      current = null;
      if (performance.now() - beganAt >= ROUND_MS) return false;
    }
    hasOnlyDrops = isWatched && performance.now() - beganAt < DROPS_MS;
    return false;
  };
  try {
    if (draw(false)) endWithin(LONGEST_MS, () => void draw(true));
  } catch (cause) {
    // The current turn used up the time, because otherwise no round takes this long.
    (current as Turn | null)?.fail(cause);
  }
  endedAt = performance.now();
  const [next] = waiting;
  if (next !== undefined) requestRound(next);
}

const hasRoom = createSpareRoom(() => performance.now());
const box = createContext({ work: () => undefined });
const script = new Script('work()');

/**
 * Runs `work` with a time limit, at which a separate thread tells V8 to stop. In Node, this is the only way to end an
 * endless loop in the same thread, including one in a regular expression. If that thread cannot start, the attempt
 * would abort the process, so the work then runs without a limit.
 * @throws Error ERR_SCRIPT_EXECUTION_TIMEOUT, and everything that `work` throws
 */
function endWithin(timeout: number, work: () => void): void {
  if (!hasRoom()) {
    work();
    return;
  }
  box.work = work;
  script.runInContext(box, { timeout });
}
