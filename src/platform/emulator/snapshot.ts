import type { IBuffer, IBufferCell, IBufferLine, Terminal } from '@xterm/headless';
import { backgroundOf, type Styled, styleOf } from '../../text/styled-rows.ts';
import { type CoreBuffer, coreOf } from './xterm-core.ts';

/**
 * Returns escape codes that reproduce a terminal's screen, scrollback, cursor, and modes in a fresh terminal of the
 * same size, so that both terminals handle all later output in the same way. `@xterm/addon-serialize` 0.14.0 reproduces
 * only the visible screen. It loses bold combined with dim, and starts the alternate screen in the style of the normal
 * one. It also loses the state at the point where the output was cut (a cursor past the edge, half an emoji, a scroll
 * region, a saved cursor, the mouse's reporting mode).
 */
export function snapshotOf(terminal: Terminal, isCursorVisible: boolean): string {
  const { normal, active } = terminal.buffer;
  const { buffers } = coreOf(terminal)._bufferService;
  let screen = drawn(normal, terminal);
  if (active.type === 'alternate') {
    const below = `${screen}${savedCursor(normal, terminal.cols, buffers.normal)}`;
    screen = `${below}\u001b[?1049h\u001b[m\u001b[2J\u001b[H${drawn(active, terminal)}`;
  }
  const core = active.type === 'alternate' ? buffers.alt : buffers.normal;
  const placing = `${rememberedCursor(active, terminal.cols, core)}${scrollRegion(core, terminal.rows)}`;
  const set = `${placing}${modes(terminal)}${isCursorVisible ? '' : '\u001b[?25l'}`;
  if (set === '' && standsWhereDrawn(terminal)) return screen;
  return `${screen}${set}${cursor(terminal, placing !== '' || terminal.modes.originMode, core)}`;
}

/**
 * Draws the lines one below another. Each line ends in the default style, because a line that scrolls in is filled with
 * the current background.
 */
function drawn(buffer: IBuffer, terminal: Terminal): string {
  const { cols } = terminal;
  const end = drawnLength(buffer, terminal.rows);
  let text = '';
  for (let row = 0; row < end; row++) {
    const line = buffer.getLine(row);
    const next = row + 1 < end ? buffer.getLine(row + 1) : undefined;
    if (line === undefined) break;
    text += drawnLine(line, buffer, cols);
    if (next === undefined) break;
    if (!next.isWrapped) text += '\r\n';
    else if (!wrapsByItself(line, next, buffer, cols)) text += forcedWrap(line, buffer, cols);
  }
  return text;
}

/**
 * Returns how many lines must be drawn. If there is scrollback, this is the number of all lines. Otherwise, it is the
 * number of lines down to the last one that is not blank.
 */
function drawnLength(buffer: IBuffer, rows: number): number {
  if (buffer.length > rows) return buffer.length;
  const cell = buffer.getNullCell();
  for (let row = buffer.length - 1; row >= 0; row--) {
    const line = buffer.getLine(row);
    if (line === undefined) continue;
    if (line.isWrapped) return row + 1;
    for (let col = 0; col < line.length; col++) {
      if (line.getCell(col, cell) !== undefined && !isBlank(cell)) return row + 1;
    }
  }
  return 0;
}

function isBlank(cell: IBufferCell): boolean {
  return cell.getChars() === '' && cell.isBgDefault();
}

function drawnLine(line: IBufferLine, buffer: IBuffer, cols: number): string {
  const cell = buffer.getNullCell();
  let text = '';
  let style = '';
  let gap = { length: 0, style: '' };
  const closeGap = (): void => {
    if (gap.length > 0 && gap.style !== '') text += `\u001b[0${gap.style}m\u001b[${gap.length}X`;
    if (gap.length > 0) text += `\u001b[${gap.length}C`;
    if (gap.style !== '') style = gap.style;
    gap = { length: 0, style: '' };
  };
  for (let col = 0; col < cols && line.getCell(col, cell) !== undefined; col++) {
    const [characters, width] = [cell.getChars(), cell.getWidth()];
    if (characters === '') {
      if (width === 0) continue;
      const background = backgroundOf(cell);
      if (background !== gap.style) closeGap();
      gap = { length: gap.length + 1, style: background };
      continue;
    }
    closeGap();
    const next = styleOf(cell, true);
    // A combining mark in a separate cell was written after an escape sequence. Without that sequence, it would join
    // the character that precedes it.
    if (next !== style || width === 0) text += `\u001b[0${next}m`;
    style = next;
    text += characters;
  }
  if (gap.style !== '') closeGap();
  return style === '' ? text : `${text}\u001b[m`;
}

/**
 * Reports whether the first character of the next line would wrap to that line automatically if it were written right
 * after this line.
 */
function wrapsByItself(line: IBufferLine, next: IBufferLine, buffer: IBuffer, cols: number): boolean {
  const [last, first] = [line.getCell(cols - 1, buffer.getNullCell()), next.getCell(0, buffer.getNullCell())];
  if (last === undefined || first === undefined) return false;
  const isFull = last.getChars() !== '' || last.getWidth() === 0;
  return isFull && first.getChars() !== '' && first.getWidth() > 0 && first.isBgDefault();
}

/** Forces a wrap by writing a letter past the edge and erasing it again. */
function forcedWrap(line: IBufferLine, buffer: IBuffer, cols: number): string {
  const last = line.getCell(cols - 1, buffer.getNullCell());
  const isFull = last !== undefined && (last.getChars() !== '' || last.getWidth() === 0);
  if (isFull) return ' \r\u001b[X';
  const background = last === undefined ? '' : backgroundOf(last);
  return `\u001b[${cols}G  \r\u001b[X\u001b[A\u001b[${cols}G\u001b[0${background}m\u001b[X\u001b[m\u001b[B\r`;
}

/** Returns the position that the normal screen's cursor had when the program entered the alternate screen. */
function savedCursor(buffer: IBuffer, cols: number, core: CoreBuffer): string {
  const [row, col] = [Math.max(core.savedY - buffer.baseY, 0), Math.min(core.savedX, cols - 1)];
  return `\u001b[${row + 1};${col + 1}H${styleCodes(core.savedCurAttrData)}`;
}

/** Returns the position that ESC 8 restores, or an empty string if no position was saved. */
function rememberedCursor(buffer: IBuffer, cols: number, core: CoreBuffer): string {
  if (core.savedX === 0 && core.savedY === 0 && core.savedCurAttrData.isAttributeDefault()) return '';
  return `${savedCursor(buffer, cols, core)}\u001b7\u001b[m`;
}

function scrollRegion({ scrollTop, scrollBottom }: CoreBuffer, rows: number): string {
  return scrollTop === 0 && scrollBottom === rows - 1 ? '' : `\u001b[${scrollTop + 1};${scrollBottom + 1}r`;
}

const MOUSE_MODES = {
  none: '',
  x10: '\u001b[?9h',
  vt200: '\u001b[?1000h',
  drag: '\u001b[?1002h',
  any: '\u001b[?1003h',
};
const MOUSE_ENCODINGS: Readonly<Record<string, string>> = { SGR: '\u001b[?1006h', SGR_PIXELS: '\u001b[?1016h' };

function modes(terminal: Terminal): string {
  const { modes: set } = terminal;
  let text = '';
  if (set.applicationCursorKeysMode) text += '\u001b[?1h';
  if (set.applicationKeypadMode) text += '\u001b[?66h';
  if (set.bracketedPasteMode) text += '\u001b[?2004h';
  if (set.insertMode) text += '\u001b[4h';
  if (set.originMode) text += '\u001b[?6h';
  if (set.reverseWraparoundMode) text += '\u001b[?45h';
  if (set.sendFocusMode) text += '\u001b[?1004h';
  if (!set.wraparoundMode) text += '\u001b[?7l';
  return `${text}${MOUSE_MODES[set.mouseTrackingMode]}${MOUSE_ENCODINGS[coreOf(terminal).coreMouseService.activeEncoding] ?? ''}`;
}

/**
 * Restores the cursor, the style, and the character set. If the last output was a character, it is written again, so
 * that a combining mark or joiner that follows is attached to it. A character in the last column is also written again,
 * because nothing else puts the cursor past the edge. If the style is set after that character, something else has
 * followed the character.
 */
function cursor(terminal: Terminal, isAbsolute: boolean, core: CoreBuffer): string {
  const buffer = terminal.buffer.active;
  const { isPrinted, before, style, charset } = writing(terminal);
  const to = (col: number): string => (isAbsolute ? placedAt(terminal, core, col) : movedTo(terminal, col));
  if (before === null || !(isPrinted || buffer.cursorX === terminal.cols)) {
    return `${to(buffer.cursorX)}${style}${charset}`;
  }
  // In insert mode, writing the character again would shift the old one to the right, so the old one is deleted first.
  const room = terminal.modes.insertMode ? `\u001b[${before.width}P` : '';
  const again = `${to(buffer.cursorX - before.width)}${room}`;
  return isPrinted
    ? `${charset}${again}${style}${before.characters}`
    : `${again}${before.style}${before.characters}${style === '' ? '\u001b[m' : style}${charset}`;
}

/**
 * Returns how the terminal will write the next output, and after which character. `isPrinted` means that the last thing
 * the terminal did was to print this character.
 */
function writing(terminal: Terminal) {
  const { _inputHandler, _charsetService } = coreOf(terminal);
  const { _charsets, glevel, charset: active } = _charsetService;
  // ESC 8 changes only the character set that is in use.
  const charsets = _charsets.map((set, index) =>
    (index === glevel ? active : set)?.q === '─' && index < 2 ? `\u001b${'()'[index]}0` : '',
  );
  const before = cellBefore(terminal.buffer.active);
  return {
    before,
    isPrinted: before !== null && before.width === printedWidth(_inputHandler._parser.precedingJoinState),
    style: styleCodes(_inputHandler._curAttrData),
    charset: `${charsets.join('')}${glevel === 1 ? '\u000e' : ''}`,
  };
}

/**
 * Reports whether drawing the screen ends with the character that was printed last, so that nothing else needs to be
 * restored.
 */
function standsWhereDrawn(terminal: Terminal): boolean {
  const buffer = terminal.buffer.active;
  const { isPrinted, before, style, charset } = writing(terminal);
  const row = buffer.baseY + buffer.cursorY;
  if (!isPrinted || `${before?.style}${style}${charset}` !== '' || row !== drawnLength(buffer, terminal.rows) - 1)
    return false;
  const [line, cell] = [buffer.getLine(row), buffer.getNullCell()];
  for (let col = buffer.cursorX; col < terminal.cols; col++) {
    if (line?.getCell(col, cell) !== undefined && !isBlank(cell)) return false;
  }
  return true;
}

function placedAt(terminal: Terminal, core: CoreBuffer, col: number): string {
  const top = terminal.modes.originMode ? core.scrollTop : 0;
  return `\u001b[${terminal.buffer.active.cursorY - top + 1};${col + 1}H`;
}

/**
 * Moves the cursor relative to the last line that was drawn. This also works if the caller writes the snapshot into a
 * terminal with a different height, below existing content.
 */
function movedTo(terminal: Terminal, col: number): string {
  const { active } = terminal.buffer;
  const length = drawnLength(active, terminal.rows);
  const down = active.baseY + active.cursorY - Math.max(length - 1, 0);
  const vertical = down === 0 ? '' : `\u001b[${Math.abs(down)}${down > 0 ? 'B' : 'A'}`;
  return `${length === 0 ? '' : '\r'}${vertical}${col === 0 ? '' : `\u001b[${col}C`}`;
}

/** Returns how many columns the last printed character takes, or 0 if something else came after it. */
function printedWidth(joinState: number): number {
  return (joinState >> 1) & 3;
}

function cellBefore(buffer: IBuffer): { characters: string; width: number; style: string } | null {
  const line = buffer.getLine(buffer.baseY + buffer.cursorY);
  for (const width of [1, 2]) {
    const cell = line?.getCell(buffer.cursorX - width);
    if (cell?.getWidth() === width) return { characters: cell.getChars() || ' ', width, style: styleCodes(cell) };
  }
  return null;
}

function styleCodes(style: Styled): string {
  const codes = styleOf(style, true);
  return codes === '' ? '' : `\u001b[0${codes}m`;
}
