import type { BlockComment } from './parsers.ts';
import type { Tokeniser } from './tokenise.ts';
import { edgeKind, makeEdgePlain, type Tokens } from './tokens.ts';

// A hunk rarely begins at the start of its file, and the lines before the hunk are not part of the patch. These
// functions keep a comment or a string that is open there from colouring the wrong lines.

/** A line within a comment, in the style of JavaDoc. Code hardly ever begins with an asterisk and a space. */
const STARRED = /^\s*\*(?:\s|\/|$)/;
/** Before the end of a comment, quotes mean that the end is part of a string, such as a pattern for file names. */
const QUOTE = /['"`]/;

/** Reports whether lines begin in the middle of a comment, as far as they tell. */
export function opensInComment(lines: readonly string[], { open, close }: BlockComment): boolean {
  if (close === '*/' && STARRED.test(lines.find((line) => line.trim() !== '') ?? '')) return true;
  for (const line of lines) {
    const opened = line.indexOf(open);
    const closed = line.indexOf(close);
    if (closed !== -1 && (opened === -1 || closed < opened)) return !QUOTE.test(line.slice(0, closed));
    if (opened !== -1) return false;
  }
  return false;
}

/**
 * Makes strings that continue on the next line plain, if the last of them is still open at the end of the hunk. In many
 * languages, the same mark begins and ends such a string. If the number of marks is odd, the hunk may just as well
 * begin in the middle of a string. The colours of code and strings would then be the wrong way round.
 * @param rows the rows of the hunk
 * @param tokens the tokens of one side
 */
export function withoutOpenStrings(tokeniser: Tokeniser, rows: readonly number[], tokens: Map<number, Tokens>): void {
  // A letter has the kind of whatever is open at the end of the hunk.
  if (edgeKind(tokeniser.next('x'), 'first') !== 'string') return;
  // Blank lines have no tokens. They do not end a string. Neither do the lines of the other side.
  const lines = rows.flatMap((row) => {
    const own = tokens.get(row);
    return own === undefined ? [] : [{ row, own }];
  });
  let isOpen = false;
  for (const [at, { row, own }] of lines.entries()) {
    const next = lines[at + 1];
    const continues =
      edgeKind(own, 'last') === 'string' && (next === undefined || edgeKind(next.own, 'first') === 'string');
    const started = isOpen ? makeEdgePlain(own, 'first') : own;
    tokens.set(row, continues ? makeEdgePlain(started, 'last') : started);
    isOpen = continues;
  }
}
