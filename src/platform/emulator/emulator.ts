import serialize, { type SerializeAddon } from '@xterm/addon-serialize';
// Both packages are CommonJS, so a named import of a value would type-check but fail at run time.
import xterm, { type IBuffer, type Terminal } from '@xterm/headless';
import type { ScreenRow } from '../../core/search/screen-lines.ts';
import type { Place, ScreenFrame } from '../../core/status/screen/screen-evidence.ts';
import { boundCounts } from '../../text/bounded-counts.ts';
import { styledRows } from '../../text/styled-rows.ts';
import { boundedOutput } from './bounded-output.ts';
import { createFrameReader } from './frame-reader.ts';
import { isPlainOutput } from './plain-output.ts';
import { snapshotOf } from './snapshot.ts';
import { wholeCharacters } from './whole-characters.ts';
import { coreOf, printAloneAtTheEdge } from './xterm-core.ts';

export interface EmulatorOptions {
  cols: number;
  rows: number;
  /**
   * how many lines to keep above the window; 1,000 lines take 2 MB and 5,000 take 7 MB, and the recording contains all
   * of them in any case
   */
  scrollback: number;
}

/** A terminal without a display. It keeps track of what a session's output draws. */
export interface Emulator {
  /**
   * Queues bytes and parses them shortly afterwards, within a time limit. A UTF-8 character may be split between two
   * calls. Invalid bytes become U+FFFD. The bytes are not copied, so the caller must not change them later.
   * @param onParsed called once the screen shows the result of these bytes
   */
  write(bytes: Uint8Array, onParsed?: () => void): void;
  /**
   * Resolves once the screen shows everything that was written, or immediately after `dispose`.
   * @throws CatalogueError undrawable if a piece took too long; nothing more is drawn after that
   */
  flush(): Promise<void>;
  /**
   * Draws everything written so far before it returns, within the same time limit. Only `flush` reports whether that
   * failed.
   */
  drawWaiting(): void;
  resize(cols: number, rows: number): void;
  /** the current window, as status rules read it; rows that have not changed since the last call are not read again */
  frame(): ScreenFrame;
  /** whether the program uses the alternate screen, which has no scrollback */
  isAlternate(): boolean;
  /**
   * the rows of the window with their colours, cut to a given width, as printable text and SGR sequences; each row
   * starts and ends in the terminal's default style
   */
  styledRows(maxCols: number): string[];
  /** the rows of the window as text, which is cheaper than `frame` */
  windowRows(): ScreenRow[];
  /**
   * Reports each row that scrolls off the top of the normal screen, even if the scrollback does not keep it.
   * @returns a function that ends the reports
   */
  onScrolledOff(listener: (row: ScreenRow) => void): () => void;
  /** whether the program shows its cursor */
  isCursorVisible(): boolean;
  /** whether the program wants to know what was pasted */
  isBracketedPaste(): boolean;
  /**
   * Reports when the program enters and leaves the alternate screen.
   * @returns a function that ends the reports
   */
  onAlternate(listener: AlternateListener): () => void;
  /**
   * the scrollback and the window of the normal screen as text, even while the alternate screen is shown, without blank
   * rows at the end
   */
  normalLines(): string[];
  /**
   * Follows the row on the normal screen that the cursor is in now. The returned function reports how many of
   * `normalLines` are above that row, or null once the row is gone.
   */
  markRow(): () => number | null;
  /**
   * escape codes that reproduce the screen, the scrollback, the cursor, and the modes in a fresh terminal of the same
   * size
   */
  serialize(): string;
  /** the last lines of the scrollback and the window, not counting blank lines at the end */
  text(lines: number, format: 'text' | 'ansi' | 'html'): string;
  dispose(): void;
}

export interface AlternateListener {
  /** called while the normal screen is still shown */
  entering(): void;
  /** called while the alternate screen is still shown, just before it is discarded */
  leaving(): void;
}

/** The three DECSET modes that select the alternate screen. */
const ALTERNATE_MODES: ReadonlySet<number | number[] | undefined> = new Set([47, 1047, 1049]);

export function createEmulator(options: EmulatorOptions): Emulator {
  // xterm.js would log each sequence that it does not understand, but the output of sessions must not appear in the
  // server's log.
  const terminal = new xterm.Terminal({ ...options, allowProposedApi: true, logLevel: 'off' });
  const serializer = new serialize.SerializeAddon();
  // The addon is typed for the browser's Terminal. The headless Terminal has everything that the addon uses.
  terminal.loadAddon(serializer as unknown as Parameters<Terminal['loadAddon']>[0]);
  boundCounts(terminal);
  printAloneAtTheEdge(terminal);
  // Links are not shown, and xterm.js would keep every link in memory as long as the terminal exists.
  terminal.parser.registerOscHandler(8, () => true);
  let raisedTo: Place | null = null;
  const core = coreOf(terminal);
  core.registerCsiHandler({ final: 'A' }, ({ params: [count] }) => {
    const { x, y } = core._bufferService.buffer;
    raisedTo = { row: Math.max(0, y - (count || 1)), col: x };
    return false;
  });
  // A snapshot positions the cursor in one of these two ways, either after such a movement or without one.
  core.registerCsiHandler({ final: 'C' }, ({ params: [count] }) => {
    const { x, y } = core._bufferService.buffer;
    if (raisedTo?.row === y && raisedTo.col === x) {
      raisedTo = { row: y, col: Math.min(terminal.cols - 1, x + (count || 1)) };
    }
    return false;
  });
  core.registerCsiHandler({ final: 'H' }, () => {
    raisedTo = null;
    return false;
  });
  const toDraw = wholeCharacters();
  let disposed = false;
  const output = boundedOutput({
    draw: (piece) => core.writeSync(piece),
    isHarmless: (piece) => {
      if (typeof piece === 'string') return piece === '';
      return core._inputHandler._parser.currentState === 0 && isPlainOutput(piece);
    },
  });
  const reader = createFrameReader(terminal);
  // The headless terminal does not expose this value (6.0.0).
  let isCursorVisible = true;
  for (const final of ['h', 'l'] as const) {
    terminal.parser.registerCsiHandler({ prefix: '?', final }, (params) => {
      if (params.includes(25)) isCursorVisible = final === 'h';
      return false;
    });
  }
  return {
    write: (bytes, onParsed) => {
      if (disposed) return;
      const pieces = toDraw(bytes);
      const last = pieces.pop() ?? '';
      for (const piece of pieces) output.add(piece);
      output.add(last, () => (disposed ? undefined : onParsed?.()));
    },
    flush: () => output.flush(),
    drawWaiting: () => output.drawAll(),
    resize: (cols, rows) => {
      output.drawAll();
      raisedTo = null;
      terminal.resize(cols, rows);
    },
    frame: () => ({ ...reader.frame(), raisedTo }),
    isAlternate: () => terminal.buffer.active.type === 'alternate',
    styledRows: (maxCols) => styledRows(terminal, maxCols),
    windowRows: () => textRows(terminal.buffer.active, terminal.buffer.active.baseY, terminal.rows),
    onScrolledOff: (listener) => {
      const watch = terminal.onScroll(() => {
        const { active } = terminal.buffer;
        if (active.type === 'normal' && active.baseY > 0) listener(textRow(active, active.baseY - 1));
      });
      return () => watch.dispose();
    },
    isCursorVisible: () => isCursorVisible,
    isBracketedPaste: () => terminal.modes.bracketedPasteMode,
    onAlternate: (listener) => watchAlternate(terminal, listener),
    normalLines: () => readNormalLines(terminal),
    markRow: () => {
      const marker = terminal.registerMarker(0);
      const own = terminal.buffer.active.cursorX > 0 ? 1 : 0;
      return () => (marker === undefined || marker.isDisposed ? null : marker.line + own);
    },
    serialize: () => snapshotOf(terminal, isCursorVisible),
    text: (lines, format) => readText(terminal, serializer, { lines, format }),
    dispose: () => {
      disposed = true;
      output.dispose();
      terminal.dispose();
    },
  };
}

function watchAlternate(terminal: Terminal, listener: AlternateListener): () => void {
  const watch = (final: 'h' | 'l', from: 'normal' | 'alternate', tell: () => void) =>
    terminal.parser.registerCsiHandler({ prefix: '?', final }, (params) => {
      if (terminal.buffer.active.type === from && params.some((mode) => ALTERNATE_MODES.has(mode))) tell();
      return false;
    });
  const watches = [watch('h', 'normal', listener.entering), watch('l', 'alternate', listener.leaving)];
  return () => {
    for (const handler of watches) handler.dispose();
  };
}

function textRow(buffer: IBuffer, row: number): ScreenRow {
  const line = buffer.getLine(row);
  return { text: line?.translateToString(true).trimEnd() ?? '', isWrapped: line?.isWrapped ?? false };
}

const textRows = (buffer: IBuffer, from: number, count: number): ScreenRow[] =>
  Array.from({ length: count }, (_, row) => textRow(buffer, from + row));

function readNormalLines(terminal: Terminal): string[] {
  const buffer = terminal.buffer.normal;
  const lines = textRows(buffer, 0, buffer.length).map(({ text }) => text);
  return lines.slice(0, lines.findLastIndex((text) => text !== '') + 1);
}

interface TextOptions {
  lines: number;
  format: 'text' | 'ansi' | 'html';
}

function readText(terminal: Terminal, serializer: SerializeAddon, options: TextOptions): string {
  const buffer = terminal.buffer.active;
  let end = buffer.baseY + terminal.rows;
  while (end > 0 && textRow(buffer, end - 1).text === '') end--;
  const start = Math.max(end - options.lines, 0);
  if (end === start) return '';
  switch (options.format) {
    case 'text':
      return textRows(buffer, start, end - start)
        .map(({ text }) => text)
        .join('\n');
    case 'ansi':
      return buffer.type === 'alternate'
        ? alternateAnsi(serializer, options.lines)
        : serializer.serialize({ range: { start, end: end - 1 }, excludeModes: true });
    case 'html': {
      const page = serializer.serializeAsHTML({ range: { startLine: start, endLine: end - 1, startCol: 0 } });
      return /<pre>.*<\/pre>/s.exec(page)?.[0] ?? '';
    }
  }
}

/**
 * The sequence that the addon writes between the normal and the alternate screen. The addon's range options apply only
 * to the normal screen.
 */
const ENTER_ALTERNATE = '\x1b[?1049h\x1b[H';

function alternateAnsi(serializer: SerializeAddon, lines: number): string {
  const all = serializer.serialize({ scrollback: 0, excludeModes: true });
  const rows = all.slice(all.lastIndexOf(ENTER_ALTERNATE) + ENTER_ALTERNATE.length).split('\r\n');
  return rows.slice(-lines).join('\r\n');
}
