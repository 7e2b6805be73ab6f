import { type NamedOption, type Option, type ReadWord, readArguments, readByTable, type Table } from './index.ts';

/**
 * Programs that take bare words as options or as assignments, and whose tables are not written. A star matches none of
 * their words.
 */
const BARE_OPTIONS: ReadonlySet<string> = new Set([
  ...['ar', 'dd', 'jar', '7z', '7za', '7zr', 'rar', 'unrar', 'ip', 'tc', 'iptables', 'mt', 'stty', 'sysctl'],
  ...['ffmpeg', 'convert', 'magick', 'mogrify', 'gmake', 'nmake', 'ninja', 'rake', 'test', '[', 'openssl', 'cpio'],
  ...['pax', 'star'],
]);

/** Programs without a table whose first operand is a subcommand. A star does not stand for the subcommand. */
const WITH_SUBCOMMANDS: ReadonlySet<string> = new Set([
  ...['gh', 'glab', 'yarn', 'uv', 'poetry', 'pipenv', 'pdm', 'hatch', 'rustup', 'pyenv', 'rbenv', 'nodenv', 'mise'],
  ...['asdf', 'conda', 'mamba', 'bundle', 'composer', 'dotnet', 'helm', 'aws', 'gcloud', 'az', 'terraform', 'tofu'],
  ...['flutter', 'dart', 'hg', 'svn', 'jj', 'pip', 'pip3', 'gem', 'brew', 'apt', 'apt-get', 'dnf', 'systemctl'],
  ...['snap', 'mvn'],
]);
/** Subcommands that run the next operand, or that change what the program runs. */
const RUNS_NEXT = /^(?:run|exec|x|dlx|shell|foreach|tool|with|alias|config|set|eval|script)$/;

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
  if (read === null) return tooFarWithoutTable(program, words, spelled);
  const { table, own, subcommands, sub, rest } = read;
  const found = tooFarIn(table, own, spelled);
  if (found !== null || subcommands.length === 0) return found;
  const at = own.length;
  const name = words[at] ?? '';
  const isKnown = subcommands.length === 1 && table.first?.test(subcommands[0] ?? '') === true;
  if (isOpen(name, spelled[at] ?? 0) && !isKnown) return name;
  const others = spelled.slice(at + 1);
  if (sub !== null) return tooFarIn(sub, rest, others);
  // Behind a subcommand without a table, any word may be a subcommand that runs or writes.
  return rest.find(({ word }, index) => isOpen(word, others[index] ?? 0))?.word ?? null;
}

function tooFarWithoutTable(program: string, words: readonly string[], spelled: readonly number[]): string | null {
  const isRefused = (word: string, count: number): boolean =>
    BARE_OPTIONS.has(program) || word.startsWith('@') || isOption(word, count);
  const open = words.findIndex(
    (word, index) => isOpen(word, spelled[index] ?? 0) && isRefused(word, spelled[index] ?? 0),
  );
  if (open >= 0 || !WITH_SUBCOMMANDS.has(program)) return words[open] ?? null;
  const operands = [...words.keys()].filter((index) => words[index]?.startsWith('-') === false);
  const runs = program !== 'yarn' && RUNS_NEXT.test(words[operands[0] ?? -1] ?? '');
  const far = operands.slice(0, runs ? 2 : 1).find((index) => isOpen(words[index] ?? '', spelled[index] ?? 0));
  return far === undefined ? null : (words[far] ?? null);
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
  const written = new Set<Option>();
  for (const [index, one] of read.entries()) {
    const count = spelled[index] ?? 0;
    const { word, role, named, text } = one;
    if (role === 'operand') operands += 1;
    if (named.some(({ candidates }) => candidates.length === 0)) isSure = false;
    const wasProgram = isProgram;
    isProgram = named.some(isReachingFar);
    if (!isOpen(word, count)) {
      for (const { candidates } of named) for (const option of candidates) written.add(option);
      continue;
    }
    // The pattern spells out an option that runs a program or reads a list, but leaves open which one.
    if (wasProgram || isProgram) return word;
    if (named.some((option) => option.end > count && !isHarmless(option))) return word;
    if (named.some(({ candidates, negated }) => negated && candidates.some((option) => written.has(option))))
      return word;
    if (text !== null && table.never?.test(text) === true) return word;
    if (role === 'operand' && (operands > table.most || (operands === 1 && table.first?.test(word) === false)))
      return word;
    // Another version of the program may not take this word for a value, or may have taken `--` for one.
    const mayBeOption = role === 'value' || !isSure;
    if (mayBeOption && role !== 'option' && /^-[^\d]/.test(word) && isFarOption(table, word)) return word;
  }
  return null;
}

/** In the expression of `find`, a value such as `-u+x` is never taken for an option that does not exist. */
const isFarOption = (table: Table, word: string): boolean =>
  (table.syntax !== 'find' || table.options.has(word)) && tooFarIn(table, readArguments(table, [word]), []) !== null;

const isHarmless = ({ candidates, negated }: NamedOption): boolean =>
  candidates.length > 0 && (negated || candidates.every(({ effect }) => effect === 'none'));

const isReachingFar = ({ candidates, negated }: NamedOption): boolean =>
  !negated && candidates.some(({ effect }) => effect === 'runs' || effect === 'lists');

/** Reports whether a command has an option with which its program runs another program, or reads a list. */
export function reachesFar(program: string, words: readonly string[]): boolean {
  const read = readByTable(program, words);
  return [...(read?.own ?? []), ...(read?.rest ?? [])].some(({ named }) => named.some(isReachingFar));
}
