import { truncate } from '../../text/display-width.ts';
import type { Printer } from './printer.ts';

const MARGIN = '  │ ';

/**
 * Returns lines of a session's screen, set apart from other output and cut to the terminal's width, because the
 * session's window may be wider. The lines must already be clean.
 */
export const shownLines = ({ style, width }: Pick<Printer, 'style' | 'width'>, lines: readonly string[]): string[] =>
  lines.map((line) => {
    const text = `${MARGIN}${line.trimEnd()}`;
    return style('dim', width === null ? text : truncate(text, width));
  });
