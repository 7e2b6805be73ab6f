import type { Terminal } from '@xterm/headless';
import type { Styled } from '../../text/styled-rows.ts';

/** The private fields of a line in an xterm.js buffer. */
export interface CoreLine {
  /** the cells of the line, with three numbers each */
  _data: Uint32Array;
}

/** The private fields of an xterm.js buffer. */
export interface CoreBuffer {
  lines: { get(index: number): CoreLine | undefined };
  /** the index of the first line of the window */
  ybase: number;
  /** the position of the cursor in the window */
  x: number;
  y: number;
  scrollTop: number;
  scrollBottom: number;
  /** the cursor that ESC 7 or the alternate screen has saved, where y counts from the buffer's first line */
  savedX: number;
  savedY: number;
  savedCurAttrData: Styled;
}

/**
 * Maps letters to the characters that are drawn instead of them. For example, the map for line drawing maps `q` to `─`.
 */
interface Charset {
  q?: string;
}

interface Core {
  coreService: { decPrivateModes: { wraparound: boolean }; modes: { insertMode: boolean } };
  coreMouseService: { activeEncoding: string };
  _charsetService: { glevel: number; charset: Charset | undefined; _charsets: (Charset | undefined)[] };
  /** `buffer` is the buffer that is currently shown */
  _bufferService: { buffer: CoreBuffer; buffers: { normal: CoreBuffer; alt: CoreBuffer } };
  /** like the public method, but without copying the numbers first */
  registerCsiHandler(id: { final: string }, handler: (params: { params: Int32Array }) => boolean): void;
  /** draws synchronously; input that is already queued is drawn afterwards */
  writeSync(data: string | Uint8Array): void;
  _inputHandler: {
    _curAttrData: Styled;
    /**
     * `precedingJoinState` describes how the last printed character accepts a combining character, and is 0 if
     * something else came after that character. `currentState` is 0 outside of sequences
     */
    _parser: { precedingJoinState: number; currentState: number };
    print(codes: Uint32Array, start: number, end: number): void;
  };
}

/**
 * Returns the parts of a terminal's state that are private to xterm.js. The addon from the same project reads them in
 * the same way. They were found in 6.0.0, to which the version is pinned. If another version stores them elsewhere, the
 * snapshot tests fail.
 */
export function coreOf(terminal: Terminal): Core {
  return (terminal as unknown as { _core: Core })._core;
}

/**
 * Makes the screen independent of how the output is split while lines do not wrap (DECAWM off). If a wide character is
 * past the edge, xterm.js draws what follows in the same write differently from what follows in the next write (6.0.0).
 * In this mode, each character is therefore printed separately.
 */
export function printAloneAtTheEdge(terminal: Terminal): void {
  const core = coreOf(terminal);
  const handler = core._inputHandler;
  const print = handler.print.bind(handler);
  handler.print = (codes, start, end) => {
    const { wraparound } = core.coreService.decPrivateModes;
    if (wraparound) print(codes, start, end);
    else for (let at = start; at < end; at++) print(codes, at, at + 1);
  };
}
