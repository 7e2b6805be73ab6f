/** A terminal that takes turns with other terminals at being drawn. */
export interface Turn {
  /** Draws one piece of the terminal's output. */
  draw(): Promise<void>;
  /** Reports whether more output is waiting to be drawn. */
  wants(): boolean;
}

/**
 * How many terminals have a piece drawn in the same round. Each round that needs a time limit starts a thread, so small
 * pieces of many terminals must share one: with four at once, twenty sessions started five times as many threads. A
 * round ends after 4 ms however many take part (`bounded-rounds.ts`), and the server then does other work.
 */
const AT_ONCE = 32;

const waiting = new Set<Turn>();
const drawing = new Set<Turn>();

/**
 * Draws a terminal's output, one piece whenever its turn comes, until nothing is left. All terminals of the server get
 * the same number of turns.
 */
export function requestTurn(turn: Turn): void {
  if (drawing.has(turn)) return;
  waiting.add(turn);
  if (drawing.size < AT_ONCE) void takeTurns();
}

async function takeTurns(): Promise<void> {
  for (let [turn] = waiting; turn !== undefined; [turn] = waiting) {
    waiting.delete(turn);
    drawing.add(turn);
    // The terminal may have been disposed of while it was waiting for its turn.
    if (turn.wants()) await turn.draw();
    drawing.delete(turn);
    if (turn.wants()) waiting.add(turn);
  }
}
