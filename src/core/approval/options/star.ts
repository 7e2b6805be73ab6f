import { type NamedOption, type ReadWord, readArguments, readByTable, type Table } from './index.ts';

/**
 * Programs that take bare words as options or as assignments, and whose tables are not written. A star matches none of
 * their words.
 */
const BARE_OPTIONS: ReadonlySet<string> = new Set([
  ...['ar', 'dd', 'jar', '7z', '7za', '7zr', 'rar', 'unrar', 'ip', 'tc', 'iptables', 'mt', 'stty', 'sysctl', 'ffmpeg'],
  ...['convert', 'magick', 'mogrify', 'gmake', 'nmake', 'ninja', 'rake', 'test', '[', 'openssl', 'cpio', 'pax', 'star'],
]);

/**
 * Finds the first word that only a star matches although the program may run another program, write, or read a list
 * because of it. An option counts as harmless only if the program's table knows it.
 * @param program the program's name without its folder
 * @param words the words after the program's name
 * @param spelled for each word, how many of its first characters the pattern spells out
 * @returns the word, or null if there is none
 */
export function wordTooFar(program: string, words: readonly string[], spelled: readonly number[]): string | null {
  const read = readByTable(program, words);
  if (read === null) {
    const isBare = BARE_OPTIONS.has(program);
    const refused = words.findIndex(
      (word, index) => isOpen(word, spelled[index] ?? 0) && (isBare || isOption(word, spelled[index] ?? 0)),
    );
    return words[refused] ?? null;
  }
  const { table, own, subcommands, sub, rest } = read;
  const found = tooFarIn(table, own, spelled);
  if (found !== null || subcommands.length === 0) return found;
  const at = own.length;
  const name = words[at] ?? '';
  if (isOpen(name, spelled[at] ?? 0) && !(subcommands.length === 1 && table.first?.test(subcommands[0] ?? '') === true))
    return name;
  const others = spelled.slice(at + 1);
  if (sub !== null) return tooFarIn(sub, rest, others);
  const far = rest.find(({ word }, index) => isOpen(word, others[index] ?? 0) && isOption(word, others[index] ?? 0));
  return far?.word ?? null;
}

/** Reports whether a star matches part of the word. */
const isOpen = (word: string, spelled: number): boolean => spelled < Math.max(word.length, 1);

/** A pattern such as `--output=*` names the option, and leaves only its value open. */
const isOption = (word: string, spelled: number): boolean =>
  word.startsWith('-') && !word.slice(0, spelled).includes('=');

function tooFarIn(table: Table, read: readonly ReadWord[], spelled: readonly number[]): string | null {
  let operands = 0;
  let isSure = true;
  let isProgram = false;
  for (const [index, one] of read.entries()) {
    const count = spelled[index] ?? 0;
    const { word, role, named, text } = one;
    if (role === 'operand') operands += 1;
    if (named.some(({ candidates }) => candidates.length === 0)) isSure = false;
    const wasProgram = isProgram;
    isProgram = named.some(isReachingFar);
    if (!isOpen(word, count)) continue;
    // The pattern spells out an option that runs a program or reads a list, but leaves open which one.
    if (wasProgram || isProgram) return word;
    if (named.some((option) => option.end > count && !isHarmless(option))) return word;
    if (text !== null && table.never?.test(text) === true) return word;
    if (role === 'operand' && (operands > table.most || (operands === 1 && table.first?.test(word) === false)))
      return word;
    // The pattern spells out an option that the table does not know. It may have taken `--` for its value.
    if (
      !isSure &&
      word.startsWith('-') &&
      role !== 'option' &&
      tooFarIn(table, readArguments(table, [word]), []) !== null
    ) {
      return word;
    }
  }
  return null;
}

const isHarmless = ({ candidates, negated }: NamedOption): boolean =>
  candidates.length > 0 && (negated || candidates.every(({ effect }) => effect === 'none'));

const isReachingFar = ({ candidates, negated }: NamedOption): boolean =>
  !negated && candidates.some(({ effect }) => effect === 'runs' || effect === 'lists');

/** Reports whether a command has an option with which its program runs another program, or reads a list. */
export function reachesFar(program: string, words: readonly string[]): boolean {
  const read = readByTable(program, words);
  return [...(read?.own ?? []), ...(read?.rest ?? [])].some(({ named }) => named.some(isReachingFar));
}
