import { unwrap } from './command-pattern.ts';
import { readByTable } from './options/index.ts';
import { baseOf, filesRunBy } from './programs.ts';
import { FILE_TOOLS, SHELL_TOOL } from './read-rules.ts';
import type { ApprovalRule, AskedCall } from './rule.ts';
import { type ReadCommand, readCommand } from './shell-command.ts';

/** Where each path leads, with symbolic links resolved as far as the path exists, or null if that is unknown. */
export type Places = ReadonlyMap<string, string | null>;

/** Returns a key that identifies a path together with the directory that the path is relative to. */
export const placeKey = (base: string, path: string): string => `${base}\0${path}`;

/** A file or folder that is named in a call. */
export interface NamedPath {
  base: string;
  path: string;
}

/** Returns the shell command in a call, or null for other tools and for input that contains more than a command. */
export function commandOf({ tool, input }: Pick<AskedCall, 'tool' | 'input'>): ReadCommand | null {
  const command = tool === SHELL_TOOL ? fieldOf(input, 'command') : null;
  return command === null ? null : readCommand(command);
}

export function fieldOf(input: unknown, field: string): string | null {
  if (typeof input !== 'object' || input === null || !Object.hasOwn(input, field)) return null;
  const value = (input as Readonly<Record<string, unknown>>)[field];
  return typeof value === 'string' ? value : null;
}

/**
 * Returns the directories that a command's words may be relative to: the directory where the command runs, and the
 * targets of `cd`.
 */
export function basesOf(call: AskedCall, command: ReadCommand): string[] {
  const { cwd } = call;
  if (cwd === null) return [];
  const targets = command.commands.flatMap(({ words }) =>
    words[0] === 'cd' && words[1] !== undefined ? [words[1]] : [],
  );
  return [cwd, ...targets.map((target) => (target.startsWith('/') ? target : `${cwd}/${target}`))];
}

/** The parts of a word that could be a path. */
export interface PathsOfWord {
  word: string;
  /** the parts that the program may well take for a path, as in `--file=a/b`, `-uoa/b` and `host:a/b` */
  paths: readonly string[];
  /** the other ends of a word such as `-Ia/b`, for a program whose options CBOS does not know */
  perhaps: readonly string[];
}

const KNOWN_PATHS = new WeakMap<readonly string[], readonly PathsOfWord[]>();

/** Returns the parts of each word of a simple command that could be a path. The first word is the program. */
export function pathsOf(words: readonly string[]): readonly PathsOfWord[] {
  const known = KNOWN_PATHS.get(words) ?? findPaths(words);
  KNOWN_PATHS.set(words, known);
  return known;
}

function findPaths(words: readonly string[]): PathsOfWord[] {
  const { words: run } = unwrap({ assignments: [], words });
  const [name = '', ...rest] = run;
  const read = words.some((word) => word.startsWith('-')) ? readByTable(baseOf(name), rest) : null;
  const texts = read === null ? [] : [...read.own, ...(read.subcommands.length > 0 ? [null] : []), ...read.rest];
  const start = words.length - rest.length;
  return words.map((word, index) => {
    const paths = partsOf(word);
    if (!word.startsWith('-')) return { word, paths, perhaps: [] };
    const text = texts[index - start]?.text ?? null;
    if (text !== null && text !== word) paths.push(...partsOf(text));
    const letters = /^-[A-Za-z]*/.exec(word)?.[0].length ?? 1;
    if (letters > 1 && word.length > 2) paths.push(word.slice(2));
    const perhaps = Array.from({ length: letters - 2 < 1 ? 0 : letters - 2 }, (_, at) => word.slice(at + 3));
    return { word, paths, perhaps: perhaps.filter((one) => one !== '') };
  });
}

function partsOf(text: string): string[] {
  const parts = text === '' ? [] : [text];
  for (const sign of ['=', ':']) {
    const at = text.indexOf(sign);
    if (at >= 0 && at + 1 < text.length) parts.push(text.slice(at + 1));
  }
  return parts;
}

/** Returns the path in a file tool's input, or the working directory if the input contains none. */
export function fileOf({ tool, input, cwd }: AskedCall): string | null {
  const field = FILE_TOOLS.get(tool);
  if (field === undefined) return null;
  const isNamed = typeof input === 'object' && input !== null && Object.hasOwn(input, field);
  return isNamed || field !== 'path' ? fieldOf(input, field) : cwd;
}

/** Returns the part of a pattern before its first `*`. Only this part can contain symbolic links. */
export function fixedPart(pattern: string): string {
  const star = pattern.indexOf('*');
  if (star < 0) return pattern;
  const slash = pattern.lastIndexOf('/', star);
  return slash < 0 ? '' : pattern.slice(0, slash + 1);
}

/** Returns the folder that the paths in a rule are relative to. */
export const baseOfRule = (rule: ApprovalRule, call: AskedCall): string | null => rule.folder ?? call.folder;

/** Returns every path that must be resolved before a decision: the paths in the call, and the paths in the rules. */
export function placesOf(call: AskedCall, rules: readonly ApprovalRule[]): NamedPath[] {
  const named: NamedPath[] = [];
  const command = commandOf(call);
  if (command !== null) {
    const bases = basesOf(call, command);
    const commands = [...command.commands.flatMap((one) => [one.words, unwrap(one).words]), ...command.seen];
    const words = commands.flatMap(pathsOf).flatMap(({ paths, perhaps }) => [...paths, ...perhaps]);
    const run = commands.flatMap(([name = '']) => filesRunBy(name));
    const paths = new Set([...words, ...command.opened.map(({ path }) => path), ...run, '.']);
    for (const base of bases) for (const path of paths) named.push({ base, path });
  }
  const file = fileOf(call);
  if (file !== null && call.cwd !== null) named.push({ base: call.cwd, path: file });
  for (const rule of rules) {
    const base = baseOfRule(rule, call);
    if (base !== null) for (const pattern of rule.paths) named.push({ base, path: fixedPart(pattern) });
  }
  return named;
}
