import { truncate } from '../../text/display-width.ts';
import type { Printer } from './printer.ts';

const MARGIN = '  │ ';

/**
 * Returns lines of a session's screen, set off from other output. They are cut to the terminal's width, because the
 * session's window may be wider. The caller must have cleaned the lines.
 */
export const shownLines = ({ style, width }: Pick<Printer, 'style' | 'width'>, lines: readonly string[]): string[] =>
  lines.map((line) => {
    const text = `${MARGIN}${line.trimEnd()}`;
    return style('dim', width === null ? text : truncate(text, width));
  });
