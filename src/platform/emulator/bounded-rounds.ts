import { createContext, Script } from 'node:vm';
import { createSpareRoom } from '../process/spare-room.ts';

/**
 * How long one piece of output may take. A piece takes 1 ms, and was seen to take a second in a process that hardly got
 * the processor (nice 19 at load 17). What takes longer than this never ends, or was made to keep the server from
 * everything else.
 */
const LONGEST_MS = 5_000;
/** How long to draw before other work gets its turn: bytes to send, keys to pass on. */
const ROUND_MS = 4;
/**
 * The pause between rounds of little output. Each round starts a thread that watches over it (0.1 to 0.6 ms), so small
 * pieces are drawn together.
 */
const REST_MS = 4;
/** A round that drew for less than this had only small pieces. */
const DROPS_MS = 0.5;

/** Something that draws when it is its turn. */
export interface Turn {
  /** draws one piece. @returns whether more is waiting */
  draw(): boolean;
  /**
   * called if its piece threw, or was ended halfway because it took too long. What it draws into is then in an
   * undefined state
   */
  fail(cause: unknown): void;
}

const waiting = new Set<Turn>();
let isScheduled = false;
let hasOnlyDrops = true;
let endedAt = Number.NEGATIVE_INFINITY;

/** Schedules a drawing, together with all others that wait. */
export function requestRound(turn: Turn): void {
  waiting.add(turn);
  if (isScheduled) return;
  isScheduled = true;
  const restMs = hasOnlyDrops ? Math.ceil(endedAt + REST_MS - performance.now()) : 0;
  if (restMs > 0) setTimeout(round, restMs);
  else setImmediate(round);
}

/** Draws everything that this turn has waiting, before its terminal is changed in another way. */
export function drawNow(turn: Turn): void {
  waiting.delete(turn);
  try {
    endWithin(LONGEST_MS, () => {
      while (turn.draw());
    });
  } catch (cause) {
    turn.fail(cause);
  }
}

/** Draws one piece of each in turn, until the round is over. */
function round(): void {
  isScheduled = false;
  let current: Turn | null = null;
  hasOnlyDrops = false;
  const draw = (): void => {
    const beganAt = performance.now();
    for (const turn of waiting) {
      waiting.delete(turn);
      current = turn;
      if (turn.draw()) waiting.add(turn);
      current = null;
      if (performance.now() - beganAt >= ROUND_MS) return;
    }
    hasOnlyDrops = performance.now() - beganAt < DROPS_MS;
  };
  try {
    endWithin(LONGEST_MS, draw);
  } catch (cause) {
    // The current turn used up the time: without it, no round lasts longer.
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
 * Runs `work` with a time limit. This is the only way in Node to end an endless loop in the same thread, regular
 * expressions included: a separate thread tells V8 to stop. If that thread cannot start, trying would abort the
 * process, so the work runs without a limit.
 * @throws Error ERR_SCRIPT_EXECUTION_TIMEOUT, and what the work throws
 */
function endWithin(timeout: number, work: () => void): void {
  if (!hasRoom()) {
    work();
    return;
  }
  box.work = work;
  script.runInContext(box, { timeout });
}
