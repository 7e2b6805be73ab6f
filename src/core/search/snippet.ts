import type { SearchTerm } from './query.ts';

export interface Snippet {
  /** the snippet, as a single line */
  text: string;
  /** the start and the end (exclusive) of each match, in UTF-16 units, in order */
  highlights: [number, number][];
}

/** The length of a snippet in characters. Two lines of a terminal are enough to recognize the place. */
const SNIPPET_LENGTH = 160;
/** How many characters are shown before the first match. */
const LEAD = 40;

/** Returns the part of the text in which most of the terms occur close together. */
export function snippetOf(text: string, terms: readonly SearchTerm[]): Snippet {
  const line = text.replace(/\s+/g, ' ').trim();
  const found = terms.flatMap((term, index) => findIn(line, term, index));
  found.sort((one, other) => one.from - other.from);
  const from = startOf(line, found);
  const to = wholeWordsTo(line, from + SNIPPET_LENGTH);
  const lead = from > 0 ? '…' : '';
  const highlights: [number, number][] = [];
  for (const match of found) {
    if (match.from < from || match.to > to) continue;
    const last = highlights.at(-1);
    const begin = match.from - from + lead.length;
    const end = match.to - from + lead.length;
    if (last !== undefined && begin <= last[1]) last[1] = Math.max(last[1], end);
    else highlights.push([begin, end]);
  }
  return { text: `${lead}${line.slice(from, to)}${to < line.length ? '…' : ''}`, highlights };
}

interface Found {
  /** the index of the term that this match belongs to */
  index: number;
  from: number;
  to: number;
}

/**
 * How many matches to look for per term. A character such as 的 may occur a thousand times in an entry, but a snippet
 * shows only a few of these places.
 */
const MOST_FOUND = 100;

function findIn(line: string, term: SearchTerm, index: number): Found[] {
  const found: Found[] = [];
  for (const match of line.matchAll(patternOf(term))) {
    found.push({ index, from: match.index, to: match.index + match[0].length });
    if (found.length === MOST_FOUND) break;
  }
  return found;
}

/** Returns where the snippet begins, which is shortly before the window that contains the most distinct terms. */
function startOf(line: string, found: readonly Found[]): number {
  let best: { from: number; count: number } = { from: 0, count: 0 };
  for (const { from } of found) {
    const within = found.filter((other) => other.from >= from && other.to <= from + SNIPPET_LENGTH - LEAD);
    const count = new Set(within.map(({ index }) => index)).size;
    if (count > best.count) best = { from, count };
  }
  if (best.from <= LEAD || line.length <= SNIPPET_LENGTH) return 0;
  const blank = line.indexOf(' ', best.from - LEAD);
  return blank === -1 || blank >= best.from ? wholeCharacter(line, best.from - LEAD) : blank + 1;
}

function wholeWordsTo(line: string, end: number): number {
  if (end >= line.length) return line.length;
  const blank = line.lastIndexOf(' ', end);
  return blank > end - LEAD ? blank : wholeCharacter(line, end);
}

/** Returns the nearest position that does not split a surrogate pair. */
function wholeCharacter(line: string, at: number): number {
  return /[\udc00-\udfff]/.test(line[at] ?? '') ? at + 1 : at;
}

/**
 * Matches the words with anything but letters and digits between them. A match that directly adjoins another letter is
 * part of a different word and does not count.
 */
function patternOf({ words, isPrefix }: SearchTerm): RegExp {
  const first = words[0] ?? '';
  const last = words.at(-1) ?? '';
  const body = words.map((word) => escapePattern(word)).join('[^\\p{L}\\p{N}]*');
  return new RegExp(
    `${ALPHABETIC.test(first) ? NOT_AFTER_WORD : ''}${body}${!isPrefix && ALPHABETIC.test(last) ? NOT_BEFORE_WORD : ''}`,
    'giu',
  );
}

const ALPHABETIC = /^[\p{Alphabetic}\p{N}]/u;
const WORD_CHARACTER = '(?![\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}])[\\p{L}\\p{N}]';
const NOT_AFTER_WORD = `(?<!${WORD_CHARACTER})`;
const NOT_BEFORE_WORD = `(?!${WORD_CHARACTER})`;

function escapePattern(word: string): string {
  return word.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}
