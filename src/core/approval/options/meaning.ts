import { fitsGlob } from '../glob.ts';
import { type ReadArguments, type ReadWord, readByTable, type Table } from './index.ts';

/** `sure` if a program understands the same, `perhaps` if CBOS has no table that could tell. */
export type Meaning = 'sure' | 'perhaps' | null;

/** An option as it was understood. */
interface Meant {
  name: string;
  /** null if the option has no value */
  value: string | null;
}

/**
 * Reports whether a command means what a pattern says, whatever the order, spelling and grouping of its options.
 * The operands of the pattern must be the first operands of the command.
 * @param program the program's name without its folder
 * @param wanted the words of the pattern after the program, in which `*` matches any characters
 * @param words the words of the command after the program
 */
export function meansByOptions(program: string, wanted: readonly string[], words: readonly string[]): Meaning {
  const pattern = readByTable(program, wanted);
  const command = pattern === null ? null : readOnce(program, words);
  if (pattern === null || command === null) return meansByLetters(wanted, words) ? 'perhaps' : null;
  const meaning = meansByTable(pattern, command);
  if (meaning === 'sure' || pattern.subcommands.length === 0) return meaning;
  const own = doubtfulFrom(command);
  if (own < 0) return meaning;
  if (command.own.some(({ text }) => text !== null && ALIAS.test(text))) return 'perhaps';
  const isOther = words.some(
    (word, index) =>
      index > own &&
      !word.startsWith('-') &&
      meansByTable(pattern, readByTable(program, words.slice(index, index + MOST_WORDS)) ?? command) !== null,
  );
  return isOther ? 'perhaps' : meaning;
}

/** How many words are read after a word that may be the subcommand. */
const MOST_WORDS = 50;
/** Matches a setting of git with which any subcommand may stand for another one. */
const ALIAS = /^alias\./i;

/**
 * Returns the index of the first word before the subcommand after which any word may be the subcommand, as it is not
 * known whether an option takes a value.
 * @returns -1 if the subcommand is certain
 */
const doubtfulFrom = ({ own, subcommands }: ReadArguments): number =>
  own.findIndex(
    ({ role, named, text }, index) =>
      role === 'end' ||
      named.some(({ candidates }) => candidates.length === 0) ||
      (text !== null && ALIAS.test(text)) ||
      // npm takes these words for the value of an option that needs none.
      (role === 'option' && index === own.length - 1 && /^(?:true|false|null)$/.test(subcommands[0] ?? '')),
  );

function meansByTable(pattern: ReadArguments, command: ReadArguments): Meaning {
  if (!isSameSubcommand(pattern, command)) return null;
  if (pattern.subcommands.length > 0 && (pattern.sub === null || command.sub === null)) {
    const [asked, given] = [pattern, command].map(({ rest }) => rest.map(({ word }) => word));
    if (!hasOptions(pattern.own, command.own, command.table)) return null;
    if (pattern.rest.length === 0) return command.subcommands.length === 1 ? 'sure' : 'perhaps';
    return meansByLetters(asked ?? [], given ?? []) ? 'perhaps' : null;
  }
  const table = command.sub ?? command.table;
  const asked = [...pattern.own, ...pattern.rest];
  const given = [...command.own, ...command.rest];
  return hasOptions(asked, given, table) && beginsWith(operandsOf(asked), operandsOf(given)) ? 'sure' : null;
}

const KNOWN_READINGS = new WeakMap<readonly string[], { program: string; read: ReadArguments | null }>();

/** Reads a command once for all rules. */
function readOnce(program: string, words: readonly string[]): ReadArguments | null {
  const known = KNOWN_READINGS.get(words);
  if (known?.program === program) return known.read;
  const read = readByTable(program, words);
  KNOWN_READINGS.set(words, { program, read });
  return read;
}

/** Reports whether CBOS has no table for a program, or for the subcommand that a pattern names. */
export function isUntabled(program: string, wanted: readonly string[]): boolean {
  const read = readByTable(program, wanted);
  return read === null || (read.subcommands.length > 0 && read.sub === null);
}

/** Reports whether a pattern has options that CBOS can compare only by their letters. */
export const isWithoutTable = (program: string, wanted: readonly string[]): boolean =>
  isUntabled(program, wanted) && wanted.some((word) => word.startsWith('-'));

const isSameSubcommand = (pattern: ReadArguments, command: ReadArguments): boolean =>
  pattern.subcommands.length === 0 ||
  pattern.subcommands.some((wanted) => command.subcommands.some((name) => fitsGlob(wanted, name)));

const operandsOf = (read: readonly ReadWord[]): string[] =>
  read.flatMap(({ role, word }) => (role === 'operand' ? [word] : []));

const beginsWith = (wanted: readonly string[], given: readonly string[]): boolean =>
  wanted.every((word, index) => given[index] !== undefined && fitsGlob(word, given[index]));

function hasOptions(asked: readonly ReadWord[], given: readonly ReadWord[], table: Table): boolean {
  const found = meantBy(given, table);
  const words = given.flatMap(({ role, word }) => (role === 'option' ? [word] : []));
  return asked.every((one) => {
    if (one.role !== 'option') return true;
    const isUnknown = one.named.some(({ candidates }) => candidates.length === 0);
    if (isUnknown) return words.some((word) => fitsGlob(one.word, word));
    return meantBy([one, ...asked.slice(asked.indexOf(one) + 1)], table, 1).every(({ name, value }) =>
      found.some((other) => other.name === name && (value === null || fitsGlob(value, other.value ?? ''))),
    );
  });
}

/** Returns the options among the words, each with its value. An abbreviation stands for all that it may mean. */
function meantBy(read: readonly ReadWord[], table: Table, most = read.length): Meant[] {
  return read.slice(0, most).flatMap(({ role, named, text, word }, index): Meant[] => {
    if (role === 'operand') {
      return table.operandMeans.flatMap(([pattern, name]) => (pattern.test(word) ? [idOf(table, name)] : []));
    }
    const next = read[index + 1];
    const value = text ?? (next?.role === 'value' ? next.word : null);
    return named.flatMap(({ candidates, negated }) =>
      candidates.flatMap(({ takes, means }) =>
        means.map((name) => ({
          ...idOf(table, name),
          ...(negated ? { name: `not ${idOf(table, name).name}` } : {}),
          value: takes === 0 ? null : value,
        })),
      ),
    );
  });
}

const idOf = ({ options }: Table, name: string): Meant => ({ name: options.get(name)?.names[0] ?? name, value: null });

/**
 * Compares options without a table: letters in any grouping and order, and beginnings of long options. A letter may
 * also be short for a long option that begins with it. A program may understand its words in another way.
 */
function meansByLetters(wanted: readonly string[], words: readonly string[]): boolean {
  const operands = words.filter((word) => !word.startsWith('-'));
  const letters = new Set(words.flatMap((word) => (/^-[A-Za-z\d]+$/.test(word) ? [...word.slice(1)] : [])));
  const longs = words.flatMap((word) => /^--[^=]+/.exec(word)?.[0] ?? []);
  const initials = new Set(longs.map((one) => one[2]?.toLowerCase()));
  const shorts = new Set([...letters].map((one) => one.toLowerCase()));
  let at = 0;
  return wanted.every((word) => {
    if (/^-[A-Za-z\d]+$/.test(word)) {
      const isNamed = (one: string): boolean => letters.has(one) || initials.has(one.toLowerCase());
      return words.includes(word) || [...word.slice(1)].every(isNamed);
    }
    if (word.startsWith('--')) {
      const isNamed = longs.some((one) => word.startsWith(one) || fitsGlob(word, one));
      return isNamed || shorts.has(word[2]?.toLowerCase() ?? '');
    }
    if (word.startsWith('-')) return words.some((one) => fitsGlob(word, one));
    at = operands.findIndex((one, index) => index >= at && fitsGlob(word, one)) + 1;
    return at > 0;
  });
}
