import type { Terminal } from '@xterm/headless';
import type { Styled } from '../../text/styled-rows.ts';

/** What xterm.js keeps of a buffer to itself. */
export interface CoreBuffer {
  scrollTop: number;
  scrollBottom: number;
  /** of the cursor that ESC 7 or the alternate screen saved; y from the buffer's first line */
  savedX: number;
  savedY: number;
  savedCurAttrData: Styled;
}

/** What is drawn in place of a letter; of line drawing `─` for `q`. */
interface Charset {
  q?: string;
}

interface Core {
  coreService: { decPrivateModes: { wraparound: boolean }; modes: { insertMode: boolean } };
  coreMouseService: { activeEncoding: string };
  _charsetService: { glevel: number; charset: Charset | undefined; _charsets: (Charset | undefined)[] };
  _bufferService: { buffers: { normal: CoreBuffer; alt: CoreBuffer } };
  /** draws at once; what it is given later comes after that */
  writeSync(data: string | Uint8Array): void;
  _inputHandler: {
    _curAttrData: Styled;
    /**
     * `precedingJoinState`: how what was printed last takes a combining character; 0 where something else came after it
     */
    _parser: { precedingJoinState: number };
    print(codes: Uint32Array, start: number, end: number): void;
  };
}

/**
 * What a terminal goes on with besides its screen is private to xterm.js, whose own addon reads it like this as well.
 * Seen in 6.0.0, which is pinned; the tests of snapshots fail with a version that has it elsewhere.
 */
export function coreOf(terminal: Terminal): Core {
  return (terminal as unknown as { _core: Core })._core;
}

/**
 * Lets the screen not depend on where output is cut while lines do not wrap (DECAWM off): with a wide character over
 * the edge, xterm.js draws what follows in the same write otherwise than what follows in the next (6.0.0). There each
 * character is printed alone.
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
