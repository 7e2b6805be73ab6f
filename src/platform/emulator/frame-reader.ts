import type { IBufferLine, Terminal } from '@xterm/headless';
import type { ScreenFrame, SpinnerColours } from '../../core/status/screen/screen-evidence.ts';
import { signOf, spinnerColoursOf } from './coloured-signs.ts';
import { type CoreLine, coreOf } from './xterm-core.ts';

/** The content of a single row in a frame. */
interface Row {
  text: string;
  isDim: boolean;
  sign: 'alert' | 'ended' | null;
  spinner: Omit<SpinnerColours, 'row'> | null;
}

/** A row, together with the cells from which it was read. */
interface KeptRow {
  row: Row;
  /** the memory that the line itself uses, viewed as bytes */
  data: Uint32Array;
  cells: Uint8Array;
  copy: Uint8Array;
}

const EMPTY: Row = { text: '', isDim: false, sign: null, spinner: null };

/** Reads the window of a terminal. A row whose cells have not changed since the last reading is not read again. */
export interface FrameReader {
  frame(): Omit<ScreenFrame, 'raisedTo'>;
  /** the text of each row, without trailing blanks */
  texts(): string[];
}

/**
 * Creates a reader. To find the rows that have changed, it compares the memory of each row with the last reading, which
 * takes a tenth of the time needed to build strings from it. When Claude Code redraws the screen, two or three rows
 * change. The reader identifies rows by their object, because xterm.js moves the object when the window scrolls.
 */
export function createFrameReader(terminal: Terminal): FrameReader {
  const { _bufferService: service } = coreOf(terminal);
  let kept = new Map<CoreLine, KeptRow>();

  /** Reads a line that has changed since the last reading. */
  const readAgain = (line: CoreLine, index: number, before: KeptRow | undefined): KeptRow => {
    const shown = terminal.buffer.active.getLine(index);
    const row = shown === undefined ? EMPTY : readRow(terminal, shown);
    const { _data: data } = line;
    if (before?.data === data) {
      before.copy.set(before.cells);
      return Object.assign(before, { row });
    }
    const cells = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    return { row, data, cells, copy: new Uint8Array(cells) };
  };

  const readRows = (): Row[] => {
    const { lines, ybase } = service.buffer;
    const now = new Map<CoreLine, KeptRow>();
    const rows: Row[] = [];
    for (let index = ybase; index < ybase + terminal.rows; index++) {
      const line = lines.get(index);
      if (line === undefined) {
        rows.push(EMPTY);
        continue;
      }
      const before = kept.get(line);
      const isSame = before?.data === line._data && Buffer.compare(before.cells, before.copy) === 0;
      const read = isSame ? before : readAgain(line, index, before);
      rows.push(read.row);
      // Joined characters are not stored in the cells, so the cells may stay the same while these characters change.
      if (isSame || !hasJoinedCharacters(line)) now.set(line, read);
    }
    kept = now;
    return rows;
  };

  return {
    texts: () => readRows().map(({ text }) => text),
    frame: () => {
      const rows = readRows();
      const frame = {
        lines: [] as string[],
        cursor: { row: service.buffer.y, col: service.buffer.x },
        cols: terminal.cols,
        rows: terminal.rows,
        dimRows: [] as number[],
        alertRows: [] as number[],
        endedRows: [] as number[],
        spinner: null as SpinnerColours | null,
      };
      for (let index = 0; index < rows.length; index++) {
        const { text, isDim, sign, spinner } = rows[index] ?? EMPTY;
        frame.lines.push(text);
        if (isDim) frame.dimRows.push(index);
        if (sign === 'alert') frame.alertRows.push(index);
        if (sign === 'ended') frame.endedRows.push(index);
        if (spinner === null) continue;
        // A line of the conversation may look like a spinner, but only the real spinner has a highlight.
        const isReal = spinner.highlight !== null || frame.spinner?.highlight == null;
        if (isReal) frame.spinner = { row: index, ...spinner };
      }
      return frame;
    },
  };
}

function readRow(terminal: Terminal, line: IBufferLine): Row {
  const text = line.translateToString(true).trimEnd();
  if (text === '') return EMPTY;
  return {
    text,
    isDim: isDimRow(terminal, line),
    sign: signOf(text, line),
    spinner: spinnerColoursOf(text, line),
  };
}

/** How many numbers of a row represent one cell: its character, and its two colours with their attributes. */
const CELL_NUMBERS = 3;
/** The bit in a cell's first number that indicates that its characters are stored elsewhere. */
const JOINED = 1 << 21;

/** Reports whether a cell holds more than one character, such as a letter with a combining accent. */
function hasJoinedCharacters({ _data: data }: CoreLine): boolean {
  for (let at = 0; at < data.length; at += CELL_NUMBERS) if (((data[at] ?? 0) & JOINED) !== 0) return true;
  return false;
}

/** Matches a prompt's mark and the border of its box. Neither of them is ever dim. */
const PROMPT_MARK = /^[❯>│]$/;

/**
 * Reports whether all text in a row is dim, apart from the prompt's mark and the cell of a cursor that the program
 * draws itself (inverse). This is how Claude Code draws a suggestion in the prompt.
 */
function isDimRow(terminal: Terminal, line: IBufferLine): boolean {
  const cell = terminal.buffer.active.getNullCell();
  let hasDim = false;
  for (let col = 0; col < line.length; col++) {
    const characters = line.getCell(col, cell)?.getChars().trim() ?? '';
    if (characters === '' || cell.isInverse() !== 0 || PROMPT_MARK.test(characters)) continue;
    if (cell.isDim() === 0) return false;
    hasDim = true;
  }
  return hasDim;
}
