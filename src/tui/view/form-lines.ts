import type { Style } from '../../text/style.ts';
import { type Editor, layoutEditor } from '../input/editor.ts';
import { fitTo } from './cells.ts';

/** The width of the column with the fields' names. */
export const LABEL_CELLS = 10;
/** The indentation of the text in a field. */
export const TEXT_INDENT = ' '.repeat(LABEL_CELLS + 3);

/** One field of a form. Only the current field, for which `isHere` is true, has the cursor. */
export interface FormField {
  name: string;
  isHere: boolean;
  content:
    | { kind: 'choice'; word: string; about: string }
    /**
     * `isProposed` means that the text is a suggestion, which is shown as selected; `below` contains lines to show
     * below the text
     */
    | { kind: 'text'; editor: Editor; isProposed?: boolean; below?: readonly string[] };
}

/** Returns the number of columns that are available for the text of a field. */
export function textWidth(cols: number): number {
  return Math.max(10, cols - LABEL_CELLS - 5);
}

/** Draws the fields of a form, one below the other. */
export function formLines(
  dress: Style,
  fields: readonly FormField[],
  cols: number,
): { lines: string[]; cursor: { row: number; col: number } | null } {
  const width = textWidth(cols);
  const lines: string[] = [''];
  let cursor: { row: number; col: number } | null = null;
  for (const { name, isHere, content } of fields) {
    const label = dress(isHere ? 'bold' : 'dim', `${isHere ? '▌' : ' '} ${fitTo(name, LABEL_CELLS)}`);
    if (content.kind === 'choice') {
      const about = fitTo(content.about, width - 10).trimEnd();
      lines.push(`${label} ${dress(isHere ? 'inverse' : null, content.word)}  ${dress('dim', about)}`);
      continue;
    }
    const { rows, cursor: at } = layoutEditor(content.editor, width);
    if (isHere) cursor = { row: lines.length + at.row, col: LABEL_CELLS + 3 + at.col };
    if (content.isProposed === true) lines.push(`${label} ${dress('inverse', rows.join(''))}`);
    else lines.push(...rows.map((row, index) => `${index === 0 ? label : ' '.repeat(LABEL_CELLS + 2)} ${row}`));
    lines.push(...(content.below ?? []));
  }
  return { lines, cursor };
}
