/** The parameters of a control sequence, such as the number of rows, columns, or repetitions. */
interface Params {
  /** the numbers in the sequence; a number that was omitted is 0 */
  params: Int32Array;
}

type Handler = (params: Params) => boolean;

/** An xterm.js terminal, either in Node or in a browser. */
interface SizedTerminal {
  readonly cols: number;
  readonly rows: number;
}

/**
 * The control sequences whose count makes xterm.js loop, each with the largest count that still makes a visible
 * difference.
 */
const LARGEST_COUNT = {
  /** CHT, CBT: move forward or back by tab stops */
  cursorForwardTab: ({ cols }) => cols,
  cursorBackwardTab: ({ cols }) => cols,
  /** IL, DL: insert or delete lines */
  insertLines: ({ rows }) => rows,
  deleteLines: ({ rows }) => rows,
  /** SU, SD: scroll up or down, without adding lines to the scrollback */
  scrollUp: ({ rows }) => rows,
  scrollDown: ({ rows }) => rows,
  /** REP: repeat the previous character */
  repeatPrecedingCharacter: ({ cols, rows }) => cols * rows,
} satisfies Record<string, (terminal: SizedTerminal) => number>;

/**
 * Limits the counts in control sequences to the size of the screen. xterm.js accepts counts up to 2,147,483,647
 * (6.0.0). If a program prints `ESC[2147483647S`, a mere 14 bytes, xterm.js loops for hours.
 */
export function boundCounts(terminal: SizedTerminal): void {
  const handlers = handlersOf(terminal);
  for (const [name, largest] of Object.entries(LARGEST_COUNT)) {
    const handle = handlers[name]?.bind(handlers);
    if (handle === undefined) throw new Error(`xterm.js no longer has ${name}`);
    handlers[name] = (params) => {
      params.params[0] = Math.min(params.params[0] ?? 0, largest(terminal));
      return handle(params);
    };
  }
}

/**
 * These properties are private to xterm.js. They are the same in its headless and browser builds (6.0.0, which is
 * pinned).
 */
function handlersOf(terminal: SizedTerminal): Record<string, Handler> {
  const { _core } = terminal as unknown as { _core: { _inputHandler: Record<string, Handler> } };
  return _core._inputHandler;
}
