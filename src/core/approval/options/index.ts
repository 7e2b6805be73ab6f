import { BUILD } from './build.ts';
import { COREUTILS } from './coreutils.ts';
import { GIT } from './git.ts';
import { type ReadWord, readArguments } from './read-arguments.ts';
import { SEARCH } from './search.ts';
import { type Table, tableOf, type Written } from './table.ts';

export { type NamedOption, type ReadWord, readArguments } from './read-arguments.ts';
export type { Option, Table } from './table.ts';

const WRITTEN = new Map<string, Written>(Object.entries({ ...COREUTILS, ...SEARCH, ...GIT, ...BUILD }));
const READ = new Map<string, Table>();

/** The programs and subcommands that have a table, as `sort` and `git log`. */
export const tabled = (): string[] => [...WRITTEN.keys()];

/** @param name the program's name without its folder, with the subcommand after it */
export function tableFor(name: string): Table | null {
  const known = READ.get(name);
  if (known !== undefined) return known;
  const written = WRITTEN.get(name);
  if (written === undefined) return null;
  const table = tableOf(written);
  READ.set(name, table);
  return table;
}

/** A command whose words were read as its program reads them. */
export interface ReadArguments {
  /** the program's own table */
  table: Table;
  /** the words before the subcommand, and all words if the program has no subcommands */
  own: readonly ReadWord[];
  /** the subcommand's full names, more than one if the word is an abbreviation; empty if there is none */
  subcommands: readonly string[];
  /** the subcommand's table, or null if it has none */
  sub: Table | null;
  /** the words after the subcommand; roles are unknown if `sub` is null */
  rest: readonly ReadWord[];
}

const WITH_SUBCOMMANDS = new Set(
  [...WRITTEN.keys()].filter((name) => name.includes(' ')).map((name) => name.slice(0, name.indexOf(' '))),
);

/**
 * Reads a command by the table of its program.
 * @param program the program's name without its folder
 * @returns null if the program has no table
 */
export function readByTable(program: string, words: readonly string[]): ReadArguments | null {
  const table = tableFor(program);
  if (table === null) return null;
  const nothing = { subcommands: [], sub: null, rest: [] };
  if (!WITH_SUBCOMMANDS.has(program)) return { table, own: readArguments(table, words), ...nothing };
  const own = readArguments(table, words, true);
  const last = own.at(-1);
  if (last?.role !== 'operand') return { table, own, ...nothing };
  const subcommands = namesOf(table, last.word);
  const [only] = subcommands;
  const sub = subcommands.length === 1 ? tableFor(`${program} ${only}`) : null;
  const others = words.slice(own.length);
  const rest = sub === null ? others.map(unread) : readArguments(sub, others);
  return { table, own: own.slice(0, -1), subcommands, sub, rest };
}

const unread = (word: string): ReadWord => ({
  ...{ word, role: word.startsWith('-') ? 'option' : 'operand', named: [], text: word },
});

/** Returns the full names of a subcommand. npm takes camel case, other names, and unique beginnings of all of these. */
function namesOf({ commands }: Table, word: string): string[] {
  if (commands === null) return [word];
  const plain = word.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const exact = commands.get(plain);
  if (exact !== undefined) return [exact];
  const begun = [...commands].filter(([name]) => name.startsWith(plain)).map(([, name]) => name);
  return begun.length === 0 ? [word] : [...new Set(begun)];
}
