import { unwrap } from './command-pattern.ts';
import { readByTable } from './options/index.ts';
import { wordTooFar } from './options/star.ts';
import { pathsOf } from './places.ts';
import { baseOf, filesRunBy, passesOptionsOn, runsOthers, scriptIndex, scriptProgram } from './programs.ts';
import type { SeenCall } from './seen-call.ts';

/** Programs that change no file whose name they are given, as long as their tables know all their options. */
const READERS: ReadonlySet<string> = new Set([
  ...['ls', 'cat', 'head', 'tail', 'wc', 'stat', 'du', 'cut', 'tr', 'nl', 'tac', 'od', 'sort', 'diff', 'cmp', 'grep'],
  ...['egrep', 'fgrep', 'rg', 'find', 'fd', 'jq', 'tree', 'file', 'which', 'echo', 'true', 'false', 'basename'],
  ...['pwd', 'dirname', 'realpath', 'readlink', 'md5sum', 'sha1sum', 'sha256sum', 'hexdump', 'column', 'pytest'],
  ...['eslint', 'ps'],
]);
/** Programs that change something about a file, but not its contents, or that only check it. */
const KEEPS_CONTENTS: ReadonlySet<string> = new Set([
  ...['chmod', 'mkdir', 'touch', 'rm', 'test', '[', 'cd', 'ls', 'type', 'shellcheck'],
]);
/** The subcommands of git that take files, but that change none in the working tree. */
const GIT_KEEPS = /^(?:add|commit|fetch|push|tag)$/;
/** Programs that write what they are given to the last place that they name, which may be a folder. */
const COPIERS: ReadonlySet<string> = new Set(['cp', 'mv', 'ln', 'install', 'rsync', 'scp']);
/** Programs that write files which the command does not name. */
const UNPACKERS: ReadonlySet<string> = new Set(['tar', 'unzip', 'git', 'patch', 'cpio', '7z']);
/** Programs that run the files that they are given, besides those that run a program. */
const RUNNERS: ReadonlySet<string> = new Set([
  ...['pytest', 'py.test', 'vitest', 'jest', 'mocha', 'make', 'gmake', 'just', 'rake', 'ninja', 'cmake', 'go'],
  ...['cargo', 'npm', 'pnpm', 'yarn', 'env', 'time', 'timeout', 'nohup', 'nice', 'exec'],
]);
/** Files that a program runs although nothing names them, besides those of {@link filesRunBy}. */
const RUN_BY_NAME: ReadonlyMap<string, readonly string[]> = new Map([['just', ['.justfile']]]);
const TEXT_PROGRAM = /^(?:[gmn]?awk|g?sed)$/;
const FINDS = /^(?:find|fd)$/;

/** A file that a simple command runs. */
interface Run {
  path: string;
  /** `script`: the command names it in order to run it. `known`: the program always runs it. `perhaps`: other words */
  how: 'script' | 'known' | 'perhaps';
}

/** Where a simple command writes. */
interface Written {
  paths: readonly string[];
  /** whether the command surely writes to these paths, and, if one of them is a folder, into it */
  isSure: boolean;
  isFolder: boolean;
}

/**
 * Finds a file that a command line writes, or may write, and also runs. What the file then holds is not known, so no
 * rule can decide about it.
 * @returns the file as the command names it, or null
 */
export function runsWhatItWrites(seen: SeenCall): string | null {
  const { command } = seen;
  if (command === null) return null;
  if (command.seen.length < 2 && !command.opened.some(({ access }) => access === 'Write')) return null;
  const runs = command.seen.map(runBy);
  if (runs.every((run) => run.length === 0)) return null;
  const bases = seen.placesOf('.').flatMap((place) => place ?? []);
  const places = (path: string): Set<string> => {
    const resolved = seen.placesOf(path).flatMap((place) => place ?? []);
    return new Set([
      normalize(path),
      ...resolved,
      ...(path.startsWith('/') ? [] : bases.map((base) => join(base, path))),
    ]);
  };
  const written = new Places();
  for (const { access, path } of command.opened) {
    if (access === 'Write') written.add(places(path), -1, { isSure: true, isFolder: false });
  }
  let unpacks = Number.POSITIVE_INFINITY;
  for (const [index, words] of command.seen.entries()) {
    const found = writtenBy(words);
    if (found === null) continue;
    for (const path of found.paths) written.add(places(path), index, found);
    if (UNPACKERS.has(baseOf(unwrap({ assignments: [], words }).words[0] ?? ''))) unpacks = Math.min(unpacks, index);
  }
  if (written.isEmpty() && unpacks === Number.POSITIVE_INFINITY) return null;
  for (const [index, run] of runs.entries()) {
    for (const { path, how } of run) {
      if (how === 'script' && index > unpacks) return path;
      if (written.has(places(path), index, how === 'perhaps')) return path;
    }
  }
  return null;
}

/** Removes `.`, `..` and empty names from a path, as far as they have an effect on the text alone. */
function normalize(path: string): string {
  const names: string[] = [];
  for (const name of path.split('/')) {
    if (name === '' || name === '.') continue;
    if (name === '..' && names.length > 0 && names.at(-1) !== '..') names.pop();
    else names.push(name);
  }
  return `${path.startsWith('/') ? '/' : ''}${names.join('/')}` || '.';
}

const join = (folder: string, path: string): string => normalize(folder === '' ? path : `${folder}/${path}`);

/** The places to which the commands of a line write. */
class Places {
  readonly #all = new Map<string, { index: number; isSure: boolean; isFolder: boolean }[]>();

  isEmpty = (): boolean => this.#all.size === 0;

  add(places: Iterable<string>, index: number, { isSure, isFolder }: { isSure: boolean; isFolder: boolean }): void {
    for (const place of places) {
      const key = place.replace(/\/$/, '');
      const known = this.#all.get(key) ?? [];
      const isKnown = known.some((one) => one.index === index || (known.length > 1 && one.isSure === isSure));
      if (!isKnown) this.#all.set(key, [...known, { index, isSure, isFolder }]);
    }
  }

  /** Reports whether a command other than the given one writes to one of the places, or to a folder above it. */
  has(places: Iterable<string>, index: number, isSure: boolean): boolean {
    for (const place of places) {
      for (
        let at = place, isAbove = false;
        at !== '';
        at = at.slice(0, Math.max(0, at.lastIndexOf('/'))), isAbove = true
      ) {
        const by = this.#all.get(at) ?? [];
        if (by.some((one) => one.index !== index && (one.isSure || !isSure) && (one.isFolder || !isAbove))) return true;
      }
    }
    return false;
  }
}

/** Returns the files that a simple command runs, or may run. */
function runBy(words: readonly string[]): Run[] {
  const { words: run } = unwrap({ assignments: [], words });
  const [name = '', ...rest] = run;
  const base = baseOf(name);
  if (name === '.' || name === 'source') return rest.slice(0, 1).map((path) => ({ path, how: 'script' }));
  const known = [...filesRunBy(name), ...(RUN_BY_NAME.get(base) ?? [])];
  return [
    ...(name.includes('/') ? [{ path: name, how: 'script' } as const] : []),
    ...scriptsOf(name, rest).map((path) => ({ path, how: 'script' }) as const),
    ...known.map((path) => ({ path, how: 'known' }) as const),
    ...mayRun(base, run).map((path) => ({ path, how: 'perhaps' }) as const),
  ];
}

/**
 * Returns the words of an interpreter that may name its script. An option may have its value before the script, as in
 * `python3 -W x run.py`.
 */
function scriptsOf(name: string, rest: readonly string[]): string[] {
  if (!scriptProgram(name)) return [];
  const operands = rest.filter((word) => !word.startsWith('-'));
  const isFirst = rest[0]?.startsWith('-') !== true || !passesOptionsOn(name);
  const module = rest[rest.indexOf('-m') + 1];
  const file = rest.includes('-m') && module !== undefined ? [`${module.replaceAll('.', '/')}.py`] : [];
  return [...file, ...(isFirst ? operands.slice(scriptIndex(name) - 1).slice(0, 1) : operands)];
}

/** Returns the paths in the words of a program that runs files, or other programs. */
function mayRun(base: string, run: readonly string[]): string[] {
  if (FINDS.test(base)) {
    const start = run.findIndex((word) => /^(?:-exec(?:dir)?|-ok(?:dir)?|-[xX]|--exec.*)$/.test(word));
    return start < 0 ? [] : run.slice(start + 1);
  }
  if (TEXT_PROGRAM.test(base)) return run.filter((_, index) => /^(?:-f|--file)$/.test(run[index - 1] ?? ''));
  const mayBe = scriptProgram(base) || runsOthers(base) || RUNNERS.has(base);
  return mayBe
    ? pathsOf(run)
        .slice(1)
        .flatMap(({ paths }) => paths)
    : [];
}

/**
 * Returns the paths that a simple command may write to: every path in its words.
 * @returns null if the command is known not to change the contents of a file
 */
function writtenBy(words: readonly string[]): Written | null {
  const { words: run } = unwrap({ assignments: [], words });
  const [name = '', ...rest] = run;
  const base = baseOf(name);
  if (KEEPS_CONTENTS.has(base)) return null;
  if (base === 'git' && GIT_KEEPS.test(readByTable('git', rest)?.subcommands[0] ?? '')) return null;
  if ((READERS.has(base) || base === 'git' || base === 'tar') && wordTooFar(base, rest, []) === null) return null;
  const own = ownScript(name, rest);
  const named = pathsOf(run).slice(1);
  const paths = named.flatMap(({ word, paths: all }, index) =>
    index === own ? [] : word.startsWith('-') ? all.slice(1) : all,
  );
  const isFolder = COPIERS.has(base);
  return { paths: isFolder ? copiedTo(rest, paths) : paths, isSure: isFolder || base === 'tee', isFolder };
}

/** Adds the files that a copier makes in the folder that it is given. */
function copiedTo(rest: readonly string[], paths: readonly string[]): string[] {
  const target = rest.findIndex((word) => word === '-t' || word === '--target-directory') + 1;
  const written = rest.find((word) => word.startsWith('--target-directory='))?.replace(/^.*?=/, '');
  const folder = written ?? (target > 0 ? rest[target] : rest.at(-1)) ?? '';
  const takesAll = rest.some((word) => /(?:^|\/)\.?$/.test(word) && word !== folder);
  const made = rest.flatMap((word) => (word.startsWith('-') || word === folder ? [] : [join(folder, baseOf(word))]));
  const isHere = /^(?:\.\/*)+$/.test(folder);
  return [...made, ...paths.filter((path) => takesAll || !isHere || path !== folder)];
}

/** Returns the index of the script in the words of an interpreter, which does not write to it; -1 if it is unclear. */
function ownScript(name: string, rest: readonly string[]): number {
  if (!passesOptionsOn(name)) return -1;
  const first = rest.findIndex((word) => !word.startsWith('-'));
  const isShell = /sh$/.test(baseOf(name));
  const areHarmless = rest.slice(0, first).every((word) => word === '--check' || (isShell && /^-[nvxeu]+$/.test(word)));
  return areHarmless ? first : -1;
}
