import { createContext, Script } from 'node:vm';
import { createSpareRoom } from '../process/spare-room.ts';

/**
 * A piece of output takes 1 ms, and was seen to take a second in a process that hardly got the processor (nice 19 at
 * load 17). What takes longer than this ends never, or is made to keep the server from everything else.
 */
const LONGEST_MS = 5_000;
/** Drawn between two looks at what else there is to do: bytes to send, keys to pass on. */
const ROUND_MS = 4;
/** Each round starts a thread that watches over it, 0.1 to 0.6 ms: output that comes in drops is drawn together. */
const REST_MS = 4;
/** A round that drew for less had drops only. */
const DROPS_MS = 0.5;

/** What draws when it is its turn. */
export interface Turn {
  /** draws one piece. @returns whether there is more */
  draw(): boolean;
  /**
   * its piece threw, or was ended in the middle because it took too long: what it draws into is in no state that means
   * anything
   */
  fail(cause: unknown): void;
}

const waiting = new Set<Turn>();
let isScheduled = false;
let hasOnlyDrops = true;
let endedAt = Number.NEGATIVE_INFINITY;

/** Has it drawn soon, with all others that wait. */
export function requestRound(turn: Turn): void {
  waiting.add(turn);
  if (isScheduled) return;
  isScheduled = true;
  const restMs = hasOnlyDrops ? Math.ceil(endedAt + REST_MS - performance.now()) : 0;
  if (restMs > 0) setTimeout(round, restMs);
  else setImmediate(round);
}

/** Draws now all that one has, before its terminal is changed in another way. */
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

/** Turn by turn, a piece of each, for as long as a round takes. */
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
    // Whose turn it is has used the time up: no round lasts longer without.
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
 * The one way in Node to end what loops forever in the same thread, patterns included: V8 is told to by a thread of its
 * own. Where that thread cannot be started, which would abort the process, it is done without a limit.
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
