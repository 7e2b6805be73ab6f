import { baseOf, runsOthers } from './programs.ts';
import { readCommand } from './shell-command.ts';

/** What a simple command may name inside its words, for example in a script, a URL or a pathspec of git. */
export interface PathsWithin {
  paths: ReadonlySet<string>;
  /** words that may stand for any path, such as a pathspec with `*` */
  unknown: ReadonlySet<string>;
}

/** Matches what may stand around a path inside a word: white space, quotes, and the signs of scripts, URLs and git. */
const AROUND = /[\s'"`;()<>|,@=:&{}[\]+!^]+/;
/** How many ends of a single word are tried as a path. */
export const MOST_ENDS = 20;
/** The length in characters from which on no system opens a path. */
export const MOST_PATH = 4_096;

const SHELL = /^(?:(?:ba|z|da|a|k|mk|c|tc|fi)?sh|rbash|eval)$/;
/** Matches what a shell does not take as it stands. */
const SPECIAL = /[\s'"`$*?[\\{~]/;
const GLOB = /[*?[]/;
/** Subcommands of git whose option `-m` takes a message. */
const WITH_MESSAGE: ReadonlySet<string> = new Set(['commit', 'tag', 'merge', 'stash']);

/** Returns the paths that the words of a simple command may contain, apart from those that the words themselves are. */
export function pathsWithin(words: readonly string[]): PathsWithin {
  const paths = new Set<string>();
  const unknown = new Set<string>();
  const isGit = words.some((word) => baseOf(word) === 'git');
  const runsText = words.some((word) => SHELL.test(baseOf(word)) || runsOthers(word));
  for (const [index, word] of words.entries()) {
    if (isMessage(words, index)) continue;
    if (isGit && GLOB.test(word) && !word.startsWith('-')) unknown.add(word);
    for (const part of partsWithin(word)) paths.add(part);
    if (runsText && SPECIAL.test(word)) addText(word, paths, unknown);
  }
  return { paths, unknown };
}

/** Reads a word as the shell to which it is given. */
function addText(text: string, paths: Set<string>, unknown: Set<string>): void {
  const { seen, opened, assigned, unclear } = readCommand(text);
  if (unclear !== null) unknown.add(text);
  for (const path of [...seen.flat(), ...opened.map((file) => file.path), ...assigned]) paths.add(path);
  for (const words of seen) {
    if (words.length === 1 && words[0] === text) continue;
    const within = pathsWithin(words);
    for (const path of within.paths) paths.add(path);
    for (const word of within.unknown) unknown.add(word);
  }
}

/** A message is no path, and is the text in which a path is mentioned most often. */
const isMessage = (words: readonly string[], index: number): boolean =>
  words[0] === 'git' && WITH_MESSAGE.has(words[1] ?? '') && /^-(?:[a-z]*m|-message)$/.test(words[index - 1] ?? '');

/** Returns the parts of a word that may be paths although other text stands around them. */
export function partsWithin(word: string): string[] {
  if (!AROUND.test(word) && !word.includes('%')) return [];
  return [...new Set([word, decoded(word)])].flatMap((text) => [
    ...text.split(AROUND).flatMap(variantsOf),
    ...endsOf(text).flatMap(variantsOf),
  ]);
}

/** Returns the parts of a word after each of its last colons, as in `HEAD@{12:00}:a,b`. */
function endsOf(text: string): string[] {
  const ends: string[] = [];
  for (let to = text.length; ends.length < MOST_ENDS && to > 0; ) {
    const at = text.lastIndexOf(':', to - 1);
    if (at < 0) break;
    ends.push(text.slice(at + 1));
    to = at;
  }
  return ends;
}

/** Returns a path with and without what may precede it: an option, the magic of a pathspec, the host in a URL. */
function variantsOf(part: string): string[] {
  const bare = part.replace(/^(?:\([^)]*\)|[/!^])+/, '');
  const local = part.startsWith('//') ? [bare.replace(/^[^/]*/, '')] : [];
  const value = /^-[^-]/.test(part) ? [part.slice(2)] : [];
  return [part, bare, ...local, ...value].filter((one) => one !== '' && one.length < MOST_PATH);
}

/** Returns a text with its `%xx` decoded. */
const decoded = (text: string): string =>
  text.replace(/(?:%[0-9a-f]{2})+/gi, (run) => {
    try {
      return decodeURIComponent(run);
    } catch {
      return run.replace(/%[0-7][0-9a-f]/gi, (one) => decodeURIComponent(one));
    }
  });
