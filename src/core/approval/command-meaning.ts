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
  const { words: run } = unwrap({ assignments: [], words });
  const base = baseOf(run[0] ?? '').toLowerCase();
  const [program = '**', ...wanted] = wordsOf(pattern);
  if (!fitsGlob(baseOf(program).toLowerCase(), base)) return null;
  const rest = run.slice(1);
  return beginsWith(wanted, rest) ? 'sure' : meansByOptions(base, wanted, rest);
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

/** A text without quotes and backslashes. */
export interface PlainText {
  lower: string;
  words: readonly string[];
  /** for each word, its last part as a program's name */
  names: readonly string[];
}

export function plainText(text: string): PlainText {
  const bare = text.normalize('NFKC').replace(/['"\\`]/g, '');
  const words = bare.split(/[\s;|&(){}<>]+/);
  return { lower: bare.toLowerCase(), words, names: words.map((word) => baseOf(word).toLowerCase()) };
}

function hasWords(wanted: readonly string[], bare: string): boolean {
  let from = 0;
  for (const word of wanted) {
    const letters = word
      .toLowerCase()
      .replace(/^.*\//, '')
      .split('*')
      .filter((part) => part !== '');
    for (const part of letters) {
      const found = indexOfWord(bare, part, from);
      if (found < 0) return false;
      from = found + part.length;
    }
  }
  return true;
}

/** Looks for the same command with other spellings of its options, from each place where its program is named. */
function hasOptions([program = '**', ...wanted]: readonly string[], { words, names }: PlainText): boolean {
  if (wanted.length === 0) return false;
  const name = baseOf(program).toLowerCase();
  return names.some(
    (base, index) => fitsGlob(name, base) && meansByOptions(base, wanted, words.slice(index + 1)) !== null,
  );
}

/** Returns the index of a substring that has no letter or digit directly before or after it. */
function indexOfWord(text: string, part: string, from: number): number {
  const isLetter = (letter: string | undefined): boolean => letter !== undefined && /[\p{L}\p{N}]/u.test(letter);
  for (let at = text.indexOf(part, from); at >= 0; at = text.indexOf(part, at + 1)) {
    const opens = !isLetter(part[0]) || !isLetter(text[at - 1]);
    if (opens && (!isLetter(part.at(-1)) || !isLetter(text[at + part.length]))) return at;
  }
  return -1;
}
