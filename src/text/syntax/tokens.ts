/**
 * What a piece of code is, and the words that the parsers use for it. Words that are missing here, such as those for
 * operators, variables and mistakes, stand for plain text.
 */
const WORDS_OF_KIND = {
  keyword: ['keyword', 'header', 'modifier'],
  type: ['type', 'typeName', 'qualifier', 'variable-3'],
  name: ['builtin', 'def', 'variable-definition', 'macroName'],
  property: ['property', 'propertyName'],
  constant: ['atom', 'bool'],
  number: ['number', 'unit'],
  string: ['string', 'string-2', 'quote'],
  comment: ['comment'],
  tag: ['tag', 'angleBracket'],
  attribute: ['attribute', 'attributeName'],
  meta: ['meta'],
  inserted: ['inserted'],
  deleted: ['deleted'],
} as const;
export type TokenKind = keyof typeof WORDS_OF_KIND;

/** Each face gives each kind a colour of its own. */
export const TOKEN_KINDS = Object.keys(WORDS_OF_KIND) as readonly TokenKind[];

/**
 * The kinds of the pieces of a line: for each piece, in order, the position of its end and the number of its kind
 * (its place in `TOKEN_KINDS`, or -1 for plain text). Text after the last piece is plain. A flat list of numbers is
 * quick to pass from a worker to the page.
 */
export type Tokens = readonly number[];

const PLAIN = -1;

/** A piece of a line, with its kind, or null if it is plain text. */
export interface Piece {
  text: string;
  kind: TokenKind | null;
}

const NUMBER_OF: ReadonlyMap<string, number> = new Map(
  Object.values<readonly string[]>(WORDS_OF_KIND).flatMap((words, kind) => words.map((word) => [word, kind] as const)),
);

/**
 * Adds a piece to a line's tokens.
 * @param style what a parser calls the piece, such as `string special`; some parsers return undefined for plain text,
 * contrary to their types
 */
export function addToken(tokens: number[], end: number, style: string | null | undefined): void {
  const kind = style == null ? PLAIN : numberOf(style);
  const last = tokens.length - 2;
  // Join pieces of the same kind, which makes lists shorter and drawing quicker.
  if (last >= 0 && tokens[last + 1] === kind) tokens[last] = end;
  else tokens.push(end, kind);
}

function numberOf(style: string): number {
  for (const word of style.split(/[ .]/)) {
    const kind = NUMBER_OF.get(word);
    if (kind !== undefined) return kind;
  }
  return PLAIN;
}

/** Splits a line into its pieces. The pieces together are exactly the line. */
export function piecesOf(text: string, tokens: Tokens | null): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (let at = 0; tokens !== null && at < tokens.length && from < text.length; at += 2) {
    const end = tokens[at] ?? from;
    pieces.push({ text: text.slice(from, end), kind: TOKEN_KINDS[tokens[at + 1] ?? PLAIN] ?? null });
    from = end;
  }
  if (from < text.length || pieces.length === 0) pieces.push({ text: text.slice(from), kind: null });
  return pieces;
}

/** Returns the kind of a line's first or last piece, or null if it is plain or there are no pieces. */
export function edgeKind(tokens: Tokens, edge: 'first' | 'last'): TokenKind | null {
  return TOKEN_KINDS[tokens[edge === 'first' ? 1 : tokens.length - 1] ?? PLAIN] ?? null;
}

/** Returns the tokens with the first or last piece made plain. */
export function makeEdgePlain(tokens: Tokens, edge: 'first' | 'last'): Tokens {
  return tokens.with(edge === 'first' ? 1 : -1, PLAIN);
}
