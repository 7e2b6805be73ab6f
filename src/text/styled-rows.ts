import type { IBufferCell, Terminal } from '@xterm/headless';

/**
 * The window's rows as text with colours, each beginning and ending in the terminal's own style: nothing but printable text and SGR
 * sequences, whatever the recorded program wrote.
 * @param maxCols where rows are cut, for a terminal that is narrower
 */
export function styledRows(terminal: Terminal, maxCols: number): string[] {
  const buffer = terminal.buffer.active;
  const cell = buffer.getNullCell();
  return Array.from({ length: terminal.rows }, (_, row) => {
    const line = buffer.getLine(buffer.baseY + row);
    let text = '';
    let style = '';
    for (let col = 0; col < Math.min(terminal.cols, maxCols); col++) {
      if (line?.getCell(col, cell) === undefined || cell.getWidth() === 0) continue;
      const next = styleOf(cell);
      if (next !== style) text += `\u001b[0${next}m`;
      style = next;
      const isCut = col + cell.getWidth() > maxCols;
      text += isCut || cell.getChars() === '' ? ' ' : cell.getChars();
    }
    return style === '' ? text.trimEnd() : `${text}\u001b[0m`;
  });
}

/** SGR parameters after a reset, each with its `;` before it. */
function styleOf(cell: IBufferCell): string {
  let style = '';
  if (cell.isBold() !== 0) style += ';1';
  if (cell.isDim() !== 0) style += ';2';
  if (cell.isItalic() !== 0) style += ';3';
  if (cell.isUnderline() !== 0) style += ';4';
  if (cell.isBlink() !== 0) style += ';5';
  if (cell.isInverse() !== 0) style += ';7';
  if (cell.isInvisible() !== 0) style += ';8';
  if (cell.isStrikethrough() !== 0) style += ';9';
  if (cell.isFgPalette()) style += `;38;5;${cell.getFgColor()}`;
  if (cell.isFgRGB()) style += `;38;2;${rgb(cell.getFgColor())}`;
  if (cell.isBgPalette()) style += `;48;5;${cell.getBgColor()}`;
  if (cell.isBgRGB()) style += `;48;2;${rgb(cell.getBgColor())}`;
  return style;
}

function rgb(color: number): string {
  return `${(color >> 16) & 255};${(color >> 8) & 255};${color & 255}`;
}
