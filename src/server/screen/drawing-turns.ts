/** A terminal that takes turns with others at being drawn. */
export interface Turn {
  /** Draws one piece. */
  draw(): Promise<void>;
  /** Reports whether there is more to draw. */
  wants(): boolean;
}

/**
 * How many terminals are drawn before the server does other work (sending bytes, passing on keypresses). With pieces of
 * 32 kB, this takes 4 ms. Drawing all twenty terminals in a flood at once took a quarter of a second.
 */
const AT_ONCE = 4;

const waiting = new Set<Turn>();
const drawing = new Set<Turn>();

/**
 * Draws a terminal whenever its turn comes, one piece at a time, until nothing is left. All of the server's terminals
 * share the turns evenly.
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
    // In the meantime, the terminal may have been disposed of.
    if (turn.wants()) await turn.draw();
    drawing.delete(turn);
    if (turn.wants()) waiting.add(turn);
  }
}
