import { fitsGlob } from './glob.ts';
import { wordTooFar } from './options/star.ts';
import { baseOf, changesShell, passesOptionsOn, runsOthers, scriptIndex, scriptProgram } from './programs.ts';
import { isAssignment } from './read-rules.ts';
import type { SimpleCommand } from './shell-command.ts';

/** How a pattern matches a simple command, or null if it does not. */
export type Fit = {
  /** the words that only a `*` in the pattern matches */
  open: readonly string[];
  /** the first of these words that no `*` may match, or null if there is none */
  far: string | null;
} | null;

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
  const [name = ''] = command.words;
  if (name !== 'env' && !Object.hasOwn(PREFIXES, name)) return command;
  const rest = command.words.slice(1);
  if (name === 'env') {
    const first = rest.findIndex((word) => !isAssignment(word));
    if (first < 0 || rest[first]?.startsWith('-') === true) return command;
    return unwrap({ assignments: [...command.assignments, ...rest.slice(0, first)], words: rest.slice(first) });
  }
  const own = PREFIXES[name]?.(rest) ?? null;
  if (own === null || rest.length <= own) return command;
  return unwrap({ ...command, words: rest.slice(own) });
}

/**
 * Compares an `allow` with a simple command, word for word and including its variables. A `*` does not match options. A
 * `**` at the end matches all remaining words, except paths that leave the folder through `..`. Of the options, it
 * matches those that the program's table knows as harmless.
 */
export function allowsCommand(pattern: readonly string[], command: SimpleCommand): Fit {
  const [name = ''] = command.words;
  // Most patterns are about another program. An allow names its program without a star.
  const [first = ''] = pattern;
  if (first !== name && !first.includes('=')) return null;
  const patternVariables = leadingAssignments(pattern);
  const wanted = pattern.slice(patternVariables.length);
  if (changesShell(name) || !isSameSet(patternVariables, command.assignments)) return null;
  const isOpen = wanted.some((word) => word.includes('*'));
  if (runsOthers(name) && isOpen) return null;
  if (scriptProgram(name) && !hasScript(name, wanted, isOpen)) return null;
  const open: string[] = [];
  const endsOpen = wanted.at(-1) === '**';
  const fixed = endsOpen ? wanted.slice(0, -1) : wanted;
  const { words } = command;
  if (words.length < fixed.length || (!endsOpen && words.length > fixed.length)) return null;
  const spelled: number[] = [];
  for (const [index, word] of words.entries()) {
    const by = fixed[index] ?? '**';
    spelled.push(by.includes('*') ? by.indexOf('*') : Number.POSITIVE_INFINITY);
    if (!by.includes('*')) {
      if (by !== word) return null;
      continue;
    }
    if (by !== '**' && (!fitsGlob(by, word) || (by.startsWith('*') && word.startsWith('-')))) return null;
    if (climbs(word)) return null;
    open.push(word);
  }
  const isPassedOn = open.length === 0 || passesOptionsOn(name);
  return { open, far: isPassedOn ? null : wordTooFar(baseOf(name), words.slice(1), spelled.slice(1)) };
}

/** Reports whether an `allow` covers a simple command. */
export const coversCommand = (pattern: readonly string[], command: SimpleCommand): boolean =>
  allowsCommand(pattern, command)?.far === null;

/** A shell that is given no script reads its commands from standard input. */
function hasScript(name: string, wanted: readonly string[], isOpen: boolean): boolean {
  const script = wanted[scriptIndex(name)];
  return script !== undefined && (!isOpen || (wanted[1]?.startsWith('-') === false && !script.includes('*')));
}

const climbs = (word: string): boolean => /(?:^|[/=:,])\.\.(?:$|[/,:])/.test(word);

export function leadingAssignments(pattern: readonly string[]): readonly string[] {
  const first = pattern.findIndex((word) => !isAssignment(word));
  return pattern.slice(0, first < 0 ? pattern.length : first);
}

const isSameSet = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && [...one].sort().join('\n') === [...other].sort().join('\n');
