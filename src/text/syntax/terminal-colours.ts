import { type PatchRow, rowSign, shownRow } from '../patch-rows.ts';
import type { Style, StyleName } from '../style.ts';
import { type Piece, piecesOf, type TokenKind, type Tokens } from './tokens.ts';

/**
 * The colours of code in a terminal. Green and red are missing, because they say which lines were added and removed.
 * There are no backgrounds, because those would hide the user's theme and the selection.
 */
const STYLE_OF_KIND: Readonly<Record<TokenKind, StyleName | null>> = {
  keyword: 'magenta',
  type: 'cyan',
  name: null,
  property: null,
  constant: 'cyan',
  number: 'cyan',
  string: 'yellow',
  comment: 'dim',
  tag: 'magenta',
  attribute: null,
  meta: 'cyan',
  inserted: null,
  deleted: null,
};

/** Returns the pieces of a patch's row as a terminal shows it, beginning with its sign. Tabs become spaces. */
export function terminalPieces(row: PatchRow, tokens: Tokens | null): Piece[] {
  const pieces = piecesOf(shownRow(row), tokens);
  return [
    { text: rowSign(row), kind: null },
    ...pieces.map(({ text, kind }) => ({ text: text.replaceAll('\t', '    '), kind })),
  ];
}

/** Returns the part of some pieces that begins at one position of their text and ends before another. */
export function slicePieces(pieces: readonly Piece[], from: number, end: number): Piece[] {
  let at = 0;
  return pieces.map(({ text, kind }) => {
    const part = text.slice(Math.max(0, from - at), Math.max(0, end - at));
    at += text.length;
    return { text: part, kind };
  });
}

/** Joins pieces, each in the colours of its kind. @param base the style of the row; plain text has no other */
export function dressPieces(style: Style, base: StyleName | null, pieces: readonly Piece[]): string {
  let dressed = '';
  let plain = '';
  for (const { text, kind } of pieces) {
    const own = kind === null ? null : STYLE_OF_KIND[kind];
    if (own === null) {
      plain += text;
      continue;
    }
    // A comment keeps the colour of its row, and is only dimmed.
    dressed += style(base, plain) + (own === 'dim' ? style(base, style(own, text)) : style(own, text));
    plain = '';
  }
  return dressed + style(base, plain);
}
