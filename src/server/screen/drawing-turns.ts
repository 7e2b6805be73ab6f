/** A terminal that is drawn in turns with others. */
export interface Turn {
  /** Draws one piece. */
  draw(): Promise<void>;
  /** Reports whether there is more to draw. */
  wants(): boolean;
}

/**
 * How many terminals are drawn before the server does other work (bytes to send, keypresses to pass on). With pieces
 * of 32 kB, this is 4 ms of work. Drawing all twenty terminals of a flood at once took a quarter of a second.
 */
const AT_ONCE = 4;

const waiting = new Set<Turn>();
const drawing = new Set<Turn>();

/**
 * Draws a terminal whenever its turn comes, one piece at a time, until nothing is left. All terminals of the server
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
    // The terminal may have been disposed of since.
    if (turn.wants()) await turn.draw();
    drawing.delete(turn);
    if (turn.wants()) waiting.add(turn);
  }
}
