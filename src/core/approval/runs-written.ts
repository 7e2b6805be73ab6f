import { unwrap } from './command-pattern.ts';
import { wordTooFar } from './options/star.ts';
import { pathsOf } from './places.ts';
import { baseOf, filesRunBy, scriptIndex, scriptProgram } from './programs.ts';
import type { SeenCall } from './seen-call.ts';

/** Programs that change no file whose name they are given, as long as their tables know all their options. */
const READERS: ReadonlySet<string> = new Set([
  ...['ls', 'cat', 'head', 'tail', 'wc', 'stat', 'du', 'cut', 'tr', 'nl', 'tac', 'od', 'sort', 'diff', 'cmp', 'grep'],
  ...[
    'egrep',
    'fgrep',
    'rg',
    'find',
    'fd',
    'jq',
    'tree',
    'file',
    'which',
    'echo',
    'true',
    'false',
    'basename',
    'dirname',
  ],
  ...['realpath', 'readlink', 'md5sum', 'sha1sum', 'sha256sum', 'hexdump', 'column', 'pytest', 'eslint', 'ps', 'pwd'],
]);
/** Programs that change something about a file, but not its contents. */
const KEEPS_CONTENTS: ReadonlySet<string> = new Set(['chmod', 'mkdir', 'touch', 'rm', 'test', '[', 'cd', 'ls', 'type']);

/**
 * Finds a file that a command line writes, or may write, and also runs. What the file then holds is not known, so no
 * rule can decide about it.
 * @returns the file as the command names it, or null
 */
export function runsWhatItWrites(seen: SeenCall): string | null {
  const { command } = seen;
  if (command === null) return null;
  const run = command.seen.flatMap((words, index) => runBy(words).map((path) => ({ path, index })));
  if (run.length === 0) return null;
  const written = [
    ...command.opened.filter(({ access }) => access === 'Write').map(({ path }) => ({ path, index: -1 })),
    ...command.seen.flatMap((words, index) => writtenBy(words).map((path) => ({ path, index }))),
  ];
  const places = (path: string): string[] => [path, ...seen.placesOf(path).filter((place) => place !== null)];
  const both = run.find(({ path, index }) => {
    const own = new Set(places(path));
    return written.some((other) => other.index !== index && places(other.path).some((place) => own.has(place)));
  });
  return both?.path ?? null;
}

/** Returns the files that a simple command runs. */
function runBy(words: readonly string[]): string[] {
  const { words: run } = unwrap({ assignments: [], words });
  const [name = '', ...rest] = run;
  if (name === '.' || name === 'source') return rest.slice(0, 1);
  const operands = rest.filter((word) => !word.startsWith('-'));
  const scripts = scriptProgram(name) ? operands.slice(scriptIndex(name) - 1).slice(0, 1) : [];
  return [...(name.includes('/') ? [name] : []), ...scripts, ...filesRunBy(name)];
}

/** Returns the paths that a simple command may write to: every path in its words, unless it is known only to read. */
function writtenBy(words: readonly string[]): string[] {
  const { words: run } = unwrap({ assignments: [], words });
  const [name = '', ...rest] = run;
  const base = baseOf(name);
  if (KEEPS_CONTENTS.has(base)) return [];
  if ((READERS.has(base) || base === 'git') && wordTooFar(base, rest, []) === null) return [];
  return pathsOf(run)
    .slice(1)
    .flatMap(({ word, paths }) => (word.startsWith('-') ? paths.slice(1) : paths));
}
