import { namedFile, type PatchRow, shownRow } from '../patch-rows.ts';
import { opensInComment, withoutOpenStrings } from './hunk-edges.ts';
import { type LanguageName, languageOfFile } from './languages.ts';
import { LANGUAGES } from './parsers.ts';
import { type Budget, createBudget, createTokeniser, type Tokeniser } from './tokenise.ts';
import type { Tokens } from './tokens.ts';

/** How many lines of a hunk are coloured. Nobody reads on to the end of a longer one. */
const MOST_LINES = 20_000;

/** The colours of a patch's rows. They are worked out hunk by hunk, when somebody asks for them. */
export interface PatchColours {
  /** Reports whether the colours of a row are known. They are if the row has none. */
  isDone(row: number): boolean;
  /**
   * Works out the colours of a row, after those of the rows before it in its hunk. Stops early if a pause is due, and
   * continues at the next call.
   */
  colour(row: number, isPauseDue?: () => boolean): void;
  /** Returns the tokens of a row's shown text, or null if the row is plain or not done. */
  tokens(row: number): Tokens | null;
}

const SIDES = ['old', 'now'] as const;
/** The lines of a hunk as they were in the base, or as they are now. */
type Side = (typeof SIDES)[number];
type FileNames = Record<Side, string | null>;

interface Hunk {
  /** the rows of the hunk, without its header */
  from: number;
  end: number;
  names: FileNames;
  /** the next row to colour */
  next: number;
  /** null until the first row is coloured */
  tokenisers: Record<Side, Tokeniser | null> | null;
  /** whether the hunk begins at the start of both files, where no string or comment can be open */
  isFromStart: boolean;
}

/**
 * Colours the rows of a patch. The base and the current file are read separately, so a string that only the base opens
 * does not colour the lines of the current file.
 * @param now a clock, in milliseconds
 */
export function colourPatch(rows: readonly PatchRow[], now: () => number): PatchColours {
  const hunks = findHunks(rows);
  const budget = createBudget(now);
  const tokens: Record<Side, Map<number, Tokens>> = { old: new Map(), now: new Map() };

  const colourNext = (hunk: Hunk): void => {
    const at = hunk.next++;
    const row = rows[at];
    hunk.tokenisers ??= startHunk(rows.slice(hunk.from, hunk.end), hunk, budget);
    if (row !== undefined && row.kind !== 'note' && at < hunk.from + MOST_LINES) {
      const text = shownRow(row);
      for (const side of SIDES) {
        // A line that is in both files may be part of a string in only one of them.
        const found = row[side] === null ? null : hunk.tokenisers[side]?.next(text);
        if (found != null && found.length > 0) tokens[side].set(at, found);
      }
    }
    if (hunk.next < hunk.end || hunk.isFromStart) return;
    for (const side of SIDES) {
      const tokeniser = hunk.tokenisers[side];
      if (tokeniser !== null) withoutOpenStrings(tokeniser, range(hunk), tokens[side]);
    }
  };
  const isDone = (row: number): boolean => {
    const hunk = hunks[row];
    // What is found at the end of a hunk may change the colours of all its rows.
    return hunk === undefined || hunk.next >= (hunk.isFromStart ? row + 1 : hunk.end);
  };
  return {
    isDone,
    colour(row, isPauseDue = () => false) {
      const hunk = hunks[row];
      while (hunk !== undefined && !isDone(row)) {
        colourNext(hunk);
        if (isPauseDue()) return;
      }
    },
    tokens: (row) => (isDone(row) ? (tokens[rows[row]?.now === null ? 'old' : 'now'].get(row) ?? null) : null),
  };
}

/** Returns the hunk of each row that shows a line of a file whose language is known. */
function findHunks(rows: readonly PatchRow[]): readonly (Hunk | undefined)[] {
  const hunks: (Hunk | undefined)[] = [];
  let names: FileNames = { old: null, now: null };
  let hunk: Hunk | undefined;
  for (const [at, row] of rows.entries()) {
    const { kind, text } = row;
    const named = namedFile(row);
    if (kind === 'file') names = { old: null, now: null };
    else if (named !== null) names = { ...names, [named.side]: named.name };
    if (kind === 'file' || kind === 'said') {
      hunk = undefined;
    } else if (kind === 'hunk') {
      const isKnown = SIDES.some((side) => languageOf(names[side]) !== null);
      const isFromStart = /^@@ -[01](,\d+)? \+[01](,\d+)? @@/.test(text);
      const from = at + 1;
      hunk = isKnown ? { from, end: from, names, next: from, tokenisers: null, isFromStart } : undefined;
    } else if (hunk !== undefined) {
      hunk.end = at + 1;
      hunks[at] = hunk;
    }
  }
  return hunks;
}

function range({ from, end }: Hunk): number[] {
  return Array.from({ length: end - from }, (_, at) => from + at);
}

function languageOf(name: string | null): LanguageName | null {
  return name === null ? null : languageOfFile(name);
}

function startHunk(
  rows: readonly PatchRow[],
  { names, isFromStart }: Hunk,
  budget: Budget,
): Record<Side, Tokeniser | null> {
  const start = (side: Side): Tokeniser | null => {
    const language = languageOf(names[side]);
    if (language === null) return null;
    const tokeniser = createTokeniser(language, budget);
    const lines = rows.filter((row) => row[side] !== null).map(({ text }) => text);
    // The comment is not part of the hunk, so it is opened before the first line.
    const { blockComment } = LANGUAGES[language];
    if (!isFromStart && blockComment !== null && opensInComment(lines, blockComment)) tokeniser.next(blockComment.open);
    return tokeniser;
  };
  return { old: start('old'), now: start('now') };
}
