import { unwrap } from './command-pattern.ts';
import { readByTable } from './options/index.ts';
import { MOST_ENDS, MOST_PATH, partsWithin, pathsWithin } from './paths-within.ts';
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

/** How many directories and how many paths in them are looked at in one command. */
const MOST_BASES = 20;
export const MOST_PAIRS = 1_000;

/**
 * Returns the directories that a command's words may be relative to: the directory where the command runs, and the
 * targets of `cd`, from that directory and from the previous target. If there are more than {@link MOST_BASES}, null
 * stands for the others.
 */
export function basesOf(call: AskedCall, command: ReadCommand): (string | null)[] {
  const { cwd } = call;
  if (cwd === null) return [];
  if (!command.commands.some(({ words }) => words[0] === 'cd')) return [cwd];
  const bases = new Set([cwd]);
  let last = cwd;
  for (const { words } of command.commands) {
    const [name, target] = words;
    if (name !== 'cd' || target === undefined) continue;
    if (bases.size > MOST_BASES) return [...bases, null];
    last = within(last, target);
    bases.add(within(cwd, target)).add(last);
  }
  return [...bases];
}

const within = (base: string, path: string): string => (path.startsWith('/') ? path : `${base}/${path}`);

/** The parts of a word that could be a path. */
export interface PathsOfWord {
  word: string;
  /** the parts that the program may well take for a path, as in `--file=a/b`, `-uoa/b` and `host:a/b` */
  paths: readonly string[];
  /** the other ends of a word such as `-Ia/b`, for a program whose options CBOS does not know */
  perhaps: readonly string[];
  /** whether these are all, so that the word stands for no other path */
  isWhole: boolean;
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
    if (!word.startsWith('-')) return { word, paths, perhaps: [], isWhole: true };
    const text = texts[index - start]?.text ?? null;
    if (text !== null && text !== word) paths.push(...partsOf(text));
    const letters = /^-[A-Za-z]*/.exec(word)?.[0].length ?? 1;
    if (letters > 1 && word.length > 2 && isPath(word)) paths.push(word.slice(2));
    const ends = Math.max(0, letters - 2);
    const perhaps = Array.from({ length: Math.min(ends, MOST_ENDS) }, (_, at) => word.slice(at + 3));
    const isWhole = ends <= MOST_ENDS;
    if (!isWhole) perhaps.push(word.slice(letters));
    return { word, paths, perhaps: perhaps.filter(isPath), isWhole };
  });
}

const isPath = (text: string): boolean => text !== '' && text.length < MOST_PATH;

function partsOf(text: string): string[] {
  if (!isPath(text)) return [];
  const parts = [text];
  for (const sign of ['=', ':']) {
    const at = text.indexOf(sign);
    if (at >= 0 && at + 1 < text.length) parts.push(text.slice(at + 1));
  }
  return parts;
}

/** A path that a command may name, for the comparison with a `deny` or an `ask`. */
export interface CommandPath {
  /** null if the word may stand for any path */
  path: string | null;
  /** the word as the command names it */
  word: string;
  /** whether the program is sure to take it for a path */
  isSure: boolean;
  /** whether the command takes whole folders to another place */
  takesFolders: boolean;
}

/** Programs that take whole folders to another place, or remove them. */
const TAKES_FOLDERS =
  /^(?:cp|mv|rm|ln|install|[bg]?s?d?tar|cpio|pax|rsync|rclone|scp|sftp|zip|7z[ar]?|ditto|docker|podman)$/;

/** Returns every path that a command may name. Any program may read or write what it names. */
export function pathsOfCommand(command: ReadCommand): CommandPath[] {
  const found = command.seen.flatMap((words) => {
    const [program = ''] = words;
    const { paths, unknown } = pathsWithin(words);
    const takesFolders = [...words, ...paths].some((word) => TAKES_FOLDERS.test(baseOf(word)));
    const some = (isSure: boolean, ...named: readonly (readonly [string | null, string])[]): CommandPath[] =>
      named.map(([path, word]) => ({ path, word, isSure, takesFolders }));
    return [
      ...(program.includes('/') ? some(true, [program, program]) : []),
      ...pathsOf(words)
        .slice(1)
        .flatMap((one) => [
          ...some(true, ...[...one.paths, ...one.perhaps].map((path) => [path, path] as const)),
          ...(one.isWhole ? [] : some(false, [null, one.word])),
        ]),
      ...some(false, ...[...paths].map((path) => [path, path] as const)),
      ...some(false, ...[...unknown].map((word) => [null, word] as const)),
    ];
  });
  const others = [...command.opened.map(({ path }) => path), ...command.assigned].filter(isPath);
  for (const path of others) {
    found.push({ path, word: path, isSure: true, takesFolders: false });
    for (const part of partsWithin(path)) found.push({ path: part, word: path, isSure: false, takesFolders: false });
  }
  return found;
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

/**
 * Returns every path that must be resolved before a decision: the paths in the rules, and those in the call, of which
 * there are at most {@link MOST_PAIRS}.
 */
export function placesOf(call: AskedCall, rules: readonly ApprovalRule[]): NamedPath[] {
  const named: NamedPath[] = [];
  for (const rule of rules) {
    const base = baseOfRule(rule, call);
    if (base !== null) for (const pattern of rule.paths) named.push({ base, path: fixedPart(pattern) });
  }
  const file = fileOf(call);
  if (file !== null && call.cwd !== null) named.push({ base: call.cwd, path: file });
  const command = commandOf(call);
  if (command === null) return named;
  const commands = [...command.commands.flatMap((one) => [one.words, unwrap(one).words]), ...command.seen];
  const words = commands.flatMap(pathsOf).flatMap(({ paths, perhaps }) => [...paths, ...perhaps]);
  const run = commands.flatMap(([name = '']) => filesRunBy(name));
  const hasDenied = rules.some(({ effect, paths }) => effect !== 'allow' && paths.length > 0);
  const meant = hasDenied ? pathsOfCommand(command).flatMap(({ path }) => path ?? []) : [];
  const paths = new Set([...words, ...command.opened.map(({ path }) => path), ...run, '.', ...meant]);
  let pairs = 0;
  for (const base of basesOf(call, command)) {
    for (const path of paths) {
      if (base === null || pairs === MOST_PAIRS) return named;
      named.push({ base, path });
      pairs += 1;
    }
  }
  return named;
}
