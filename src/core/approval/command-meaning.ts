import { leadingAssignments, unwrap } from './command-pattern.ts';
import { fitsGlob } from './glob.ts';
import { isUntabled, isWithoutTable, type Meaning, meansByOptions } from './options/meaning.ts';
import { baseOf, passesOptionsOn } from './programs.ts';
import type { ApprovalRule } from './rule.ts';

/**
 * Reports whether a `deny` or an `ask` covers a simple command. It does if the command begins with the words of the
 * pattern, where options that the pattern does not mention may come between them, as in `git --no-pager push`. It also
 * does if the program understands the words in the same way, as `rm -fr` for `rm -rf`.
 */
export function meansCommand(pattern: readonly string[], words: readonly string[]): Meaning {
  const { base, rest } = runOf(words);
  const [program = '**', ...wanted] = wordsOf(pattern);
  if (!fitsGlob(baseOf(program).toLowerCase(), base)) return null;
  return beginsWith(wanted, rest) ? 'sure' : meansByOptions(base, wanted, rest);
}

/** The program that a simple command runs, in lower case and without its folder, and the words after it. */
interface Run {
  base: string;
  rest: readonly string[];
}

const KNOWN_RUNS = new WeakMap<readonly string[], Run>();

/** Reads a command once for all rules. */
function runOf(words: readonly string[]): Run {
  const known = KNOWN_RUNS.get(words);
  if (known !== undefined) return known;
  const [name = '', ...rest] = unwrap({ assignments: [], words }).words;
  const run = { base: baseOf(name).toLowerCase(), rest };
  KNOWN_RUNS.set(words, run);
  return run;
}

/**
 * Returns the command patterns of a rule whose options CBOS cannot read, because it has no table for their program. A
 * star in such an `allow` matches no option, and a `deny` or an `ask` compares options by their letters.
 */
export const withoutTable = ({ effect, commands }: ApprovalRule): string[] =>
  commands.flatMap((pattern) => {
    const [program = '**', ...wanted] = wordsOf(pattern);
    const base = baseOf(program).toLowerCase();
    const isOpen = pattern.some((word) => word.includes('*')) && !passesOptionsOn(program);
    const isUnread = effect === 'allow' ? isOpen && isUntabled(base, wanted) : isWithoutTable(base, wanted);
    return isUnread && !base.includes('*') ? [pattern.join(' ')] : [];
  });

const wordsOf = (pattern: readonly string[]): readonly string[] =>
  pattern.slice(leadingAssignments(pattern).length, pattern.at(-1) === '**' ? -1 : undefined);

/** Letter case does not matter, because some file systems ignore it. */
function beginsWith(wanted: readonly string[], words: readonly string[]): boolean {
  let at = 0;
  for (const word of words) {
    const next = wanted[at];
    if (next === undefined) return true;
    if (fitsGlob(next.toLowerCase(), word.toLowerCase())) at += 1;
    else if (!word.startsWith('-')) return false;
  }
  return at === wanted.length;
}

/**
 * Reports whether text might hide a command that a `deny` or an `ask` covers. It might if the words of that command
 * appear in the text in the same order, regardless of quotes, paths, and letter case.
 */
export function mayMeanCommand(pattern: readonly string[], text: PlainText): boolean {
  const wanted = wordsOf(pattern);
  return hasWords(wanted, text.lower) || hasOptions(wanted, text);
}

/** The words after a program's name that are read in a text, at most. */
const MOST_WORDS = 200;
/** How often a program's name may occur in a text that is read. */
const MOST_TIMES = 100;

/** A text without quotes and backslashes. */
export class PlainText {
  readonly lower: string;
  readonly #bare: string;
  #words: readonly string[] = [];
  /** for each program's name, where it occurs among the words; null before the first use */
  #places: Map<string, number[]> | null = null;
  readonly #read = new Map<string, readonly (readonly string[])[] | null>();

  constructor(text: string) {
    this.#bare = text.normalize('NFKC').replace(/['"\\`]/g, '');
    this.lower = this.#bare.toLowerCase();
  }

  #names(): Map<string, number[]> {
    if (this.#places !== null) return this.#places;
    const found = new Map<string, number[]>();
    this.#words = this.#bare.split(/[\s;|&(){}<>]+/);
    for (const [index, word] of this.#words.entries()) {
      const name = baseOf(word).toLowerCase();
      const places = found.get(name);
      if (places === undefined) found.set(name, [index]);
      else places.push(index);
    }
    this.#places = found;
    return found;
  }

  /** Returns the names of programs that a pattern matches. */
  namesLike(pattern: string): string[] {
    if (!pattern.includes('*')) return this.lower.includes(pattern) && this.#names().has(pattern) ? [pattern] : [];
    return [...this.#names().keys()].filter((name) => fitsGlob(pattern, name));
  }

  /**
   * Returns the words after each occurrence of a program's name, as far as the next one.
   * @returns null if the name occurs too often
   */
  after(name: string): readonly (readonly string[])[] | null {
    const known = this.#read.get(name);
    if (known !== undefined) return known;
    const places = this.#names().get(name) ?? [];
    const ends = places.map((place, index) =>
      Math.min(places[index + 1] ?? this.#words.length, place + 1 + MOST_WORDS),
    );
    const found =
      places.length > MOST_TIMES ? null : places.map((place, index) => this.#words.slice(place + 1, ends[index]));
    this.#read.set(name, found);
    return found;
  }
}

export const plainText = (text: string): PlainText => new PlainText(text);

function hasWords(wanted: readonly string[], bare: string): boolean {
  let from = 0;
  for (const word of wanted) {
    const parts = word.toLowerCase().replace(/^.*\//, '').split('*');
    for (const [index, part] of parts.entries()) {
      if (part === '') continue;
      const found = indexOfWord(bare, part, { from, opens: index === 0, closes: index === parts.length - 1 });
      if (found < 0) return false;
      from = found + part.length;
    }
  }
  return true;
}

/** Looks for the same command with other spellings of its options, from each place where its program is named. */
function hasOptions([program = '**', ...wanted]: readonly string[], text: PlainText): boolean {
  if (wanted.length === 0) return false;
  const names = text.namesLike(baseOf(program).toLowerCase());
  if (names.length > MOST_TIMES) return true;
  return names.some((name) => {
    const read = text.after(name);
    return read === null || read.some((words) => meansByOptions(name, wanted, words) !== null);
  });
}

const LETTER = /[\p{L}\p{N}]/u;
/** A dash belongs to a word: `--rm` is not the word `rm`, and `--force-with-lease` is not `--force`. */
const LETTER_OR_DASH = /[\p{L}\p{N}-]/u;

/**
 * Returns the index of a substring that has no letter or digit directly before or after it.
 * @param where.opens whether the substring begins a word of a pattern, and may have no dash before it either
 * @param where.closes whether it ends such a word
 */
function indexOfWord(text: string, part: string, where: { from: number; opens: boolean; closes: boolean }): number {
  const before = where.opens ? LETTER_OR_DASH : LETTER;
  const after = where.closes ? LETTER_OR_DASH : LETTER;
  for (let at = text.indexOf(part, where.from); at >= 0; at = text.indexOf(part, at + 1)) {
    const opens = !before.test(part[0] ?? '') || !before.test(text[at - 1] ?? '');
    if (opens && (!after.test(part.at(-1) ?? '') || !after.test(text[at + part.length] ?? ''))) return at;
  }
  return -1;
}
