/** A terminal that takes turns with other terminals at being drawn. */
export interface Turn {
  /** Draws one piece of the terminal's output. */
  draw(): Promise<void>;
  /** Reports whether more output is waiting to be drawn. */
  wants(): boolean;
}

/**
 * How many terminals are drawn before the server does other work, such as sending bytes or passing on keypresses. With
 * pieces of 32 kB, drawing four terminals takes 4 ms. Drawing twenty flooding terminals at once took a quarter of a
 * second.
 */
const AT_ONCE = 4;

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
