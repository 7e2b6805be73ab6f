/** A terminal to be drawn. */
export interface Turn {
  /** draws one piece */
  draw(): Promise<void>;
  /** there is more */
  wants(): boolean;
}

/**
 * How many terminals are drawn between two looks at what else there is to do (bytes to send, keys to pass on): 4 ms of
 * work with pieces of 32 kB. With all twenty of a flood at once it was a quarter of a second.
 */
const AT_ONCE = 4;

const waiting = new Set<Turn>();
const drawing = new Set<Turn>();

/**
 * Draws it when it is its turn, piece by piece until there is no more. All terminals of the server share the turns
 * evenly.
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
    // It may have been disposed of meanwhile.
    if (turn.wants()) await turn.draw();
    drawing.delete(turn);
    if (turn.wants()) waiting.add(turn);
  }
}
