import { truncate } from '../../text/display-width.ts';
import type { Printer } from './printer.ts';

const MARGIN = '  │ ';

/** Lines of a session's screen, set apart and within the terminal: its window may be wider. They must be clean. */
export const shownLines = ({ style, width }: Pick<Printer, 'style' | 'width'>, lines: readonly string[]): string[] =>
  lines.map((line) => {
    const text = `${MARGIN}${line.trimEnd()}`;
    return style('dim', width === null ? text : truncate(text, width));
  });
