/** What a piece of code is. Each face gives each kind a colour of its own. */
export const TOKEN_KINDS = [
  'keyword',
  'type',
  'name',
  'property',
  'constant',
  'number',
  'string',
  'comment',
  'tag',
  'attribute',
  'meta',
  'inserted',
  'deleted',
] as const;
export type TokenKind = (typeof TOKEN_KINDS)[number];

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

/**
 * The words that the parsers use for tokens. Words that are missing here, such as those for operators, variables and
 * mistakes, stand for plain text.
 */
const KIND_OF_WORD: Readonly<Record<string, TokenKind>> = {
  keyword: 'keyword',
  header: 'keyword',
  modifier: 'keyword',
  type: 'type',
  typeName: 'type',
  qualifier: 'type',
  'variable-3': 'type',
  builtin: 'name',
  def: 'name',
  'variable-definition': 'name',
  macroName: 'name',
  property: 'property',
  propertyName: 'property',
  atom: 'constant',
  bool: 'constant',
  number: 'number',
  unit: 'number',
  string: 'string',
  'string-2': 'string',
  quote: 'string',
  comment: 'comment',
  tag: 'tag',
  angleBracket: 'tag',
  attribute: 'attribute',
  attributeName: 'attribute',
  meta: 'meta',
  inserted: 'inserted',
  deleted: 'deleted',
};

const NUMBER_OF: ReadonlyMap<string, number> = new Map(
  Object.entries(KIND_OF_WORD).map(([word, kind]) => [word, TOKEN_KINDS.indexOf(kind)]),
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
