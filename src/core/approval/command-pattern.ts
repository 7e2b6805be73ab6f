import { fitsGlob } from './glob.ts';
import { changesShell, isTelling, runsOthers, scriptProgram } from './programs.ts';
import { isAssignment } from './read-rules.ts';
import type { SimpleCommand } from './shell-command.ts';

/**
 * The words of a simple command that are covered only by a `*` in the pattern, or null if the pattern does not match.
 */
export type Fit = { open: readonly string[] } | null;

/**
 * Programs that only run the command that follows them. The number is how many words the program itself takes before
 * that command, or null if that is unknown.
 */
const PREFIXES: Readonly<Record<string, (rest: readonly string[]) => number | null>> = {
  command: (rest) => (rest[0]?.startsWith('-') === true ? null : 0),
  nohup: (rest) => (rest[0]?.startsWith('-') === true ? null : 0),
  nice: (rest) => (rest[0] === '-n' ? 2 : rest[0]?.startsWith('-') === true ? null : 0),
  timeout: (rest) => (/^\d+(?:\.\d+)?[smhd]?$/.test(rest[0] ?? '') ? 1 : null),
};

/**
 * Returns the command that really runs: `CI=1 npm test` for `env CI=1 npm test`, and `make` for `nohup make`. If a
 * wrapper's options do anything else, the wrapper remains part of the command.
 */
export function unwrap(command: SimpleCommand): SimpleCommand {
  const [name = '', ...rest] = command.words;
  if (name === 'env') {
    const first = rest.findIndex((word) => !isAssignment(word));
    if (first < 0 || rest[first]?.startsWith('-') === true) return command;
    return unwrap({ assignments: [...command.assignments, ...rest.slice(0, first)], words: rest.slice(first) });
  }
  const own = Object.hasOwn(PREFIXES, name) ? (PREFIXES[name]?.(rest) ?? null) : null;
  if (own === null || rest.length <= own) return command;
  return unwrap({ ...command, words: rest.slice(own) });
}

/**
 * Reports whether an `allow` covers a simple command, word for word and including its variables. A `*` does not match
 * options. A `**` at the end matches all remaining words, except paths that leave the folder through `..` and options
 * that make the program run another program.
 */
export function allowsCommand(pattern: readonly string[], command: SimpleCommand): Fit {
  const [name = ''] = command.words;
  const patternVariables = leadingAssignments(pattern);
  const wanted = pattern.slice(patternVariables.length);
  if (changesShell(name) || !isSameSet(patternVariables, command.assignments)) return null;
  const isOpen = wanted.some((word) => word.includes('*'));
  if (runsOthers(name) && isOpen) return null;
  if (scriptProgram(name) && !hasScript(wanted, isOpen)) return null;
  const open: string[] = [];
  const endsOpen = wanted.at(-1) === '**';
  const fixed = endsOpen ? wanted.slice(0, -1) : wanted;
  const { words } = command;
  if (words.length < fixed.length || (!endsOpen && words.length > fixed.length)) return null;
  for (const [index, word] of words.entries()) {
    const by = fixed[index] ?? '**';
    if (!by.includes('*')) {
      if (by !== word) return null;
      continue;
    }
    if (by !== '**' && (!fitsGlob(by, word) || (by.startsWith('*') && word.startsWith('-')))) return null;
    if (climbs(word) || isTelling(name, word)) return null;
    open.push(word);
  }
  return { open };
}

/** A shell that is given no script reads its commands from standard input. */
const hasScript = (wanted: readonly string[], isOpen: boolean): boolean =>
  wanted.length > 1 && (!isOpen || (wanted[1]?.startsWith('-') === false && !wanted[1].includes('*')));

const climbs = (word: string): boolean => /(?:^|[/=:,])\.\.(?:$|[/,:])/.test(word);

export function leadingAssignments(pattern: readonly string[]): readonly string[] {
  const first = pattern.findIndex((word) => !isAssignment(word));
  return pattern.slice(0, first < 0 ? pattern.length : first);
}

const isSameSet = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && [...one].sort().join('\n') === [...other].sort().join('\n');

const baseOf = (name: string): string => name.slice(name.lastIndexOf('/') + 1).toLowerCase();

/**
 * Reports whether a `deny` or an `ask` covers a simple command. The command must begin with the words of the pattern,
 * but options that the pattern does not mention may come between them, as in `git --no-pager push`.
 */
export function meansCommand(pattern: readonly string[], words: readonly string[]): boolean {
  const wanted = pattern.slice(leadingAssignments(pattern).length);
  if (wanted.at(-1) === '**') wanted.pop();
  const { words: run } = unwrap({ assignments: [], words });
  const [name = '', ...rest] = run.map((word, index) => (index === 0 ? baseOf(word) : word.toLowerCase()));
  const [program = '**', ...others] = wanted.map((word) => word.toLowerCase());
  if (!fitsGlob(program.includes('/') ? baseOf(program) : program, name)) return false;
  let at = 0;
  for (const word of rest) {
    const next = others[at];
    if (next === undefined) return true;
    if (fitsGlob(next, word)) at += 1;
    else if (!word.startsWith('-')) return false;
  }
  return at === others.length;
}

/**
 * Reports whether text might hide a command that a `deny` or an `ask` covers. It might if the words of that command
 * appear in the text in the same order, regardless of quotes, paths, and letter case.
 */
export function mayMeanCommand(pattern: readonly string[], text: string): boolean {
  const bare = text
    .normalize('NFKC')
    .replace(/['"\\`]/g, '')
    .toLowerCase();
  let from = 0;
  for (const word of pattern.slice(leadingAssignments(pattern).length)) {
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

/** Returns the index of a substring that has no letter or digit directly before or after it. */
function indexOfWord(text: string, part: string, from: number): number {
  const isLetter = (letter: string | undefined): boolean => letter !== undefined && /[\p{L}\p{N}]/u.test(letter);
  for (let at = text.indexOf(part, from); at >= 0; at = text.indexOf(part, at + 1)) {
    const opens = !isLetter(part[0]) || !isLetter(text[at - 1]);
    if (opens && (!isLetter(part.at(-1)) || !isLetter(text[at + part.length]))) return at;
  }
  return -1;
}
