import { mayMeanCommand, meansCommand, plainText } from './command-meaning.ts';
import { allowsCommand, leadingAssignments, unwrap } from './command-pattern.ts';
import { isUntabled } from './options/meaning.ts';
import { isProtectedName } from './path-pattern.ts';
import { pathsOf } from './places.ts';
import { baseOf, changesShell, runsOthers, scriptProgram } from './programs.ts';
import { readRule } from './read-rules.ts';
import type { ApprovalRule } from './rule.ts';
import { type ReadCommand, readCommand, type SimpleCommand } from './shell-command.ts';

type Effect = ApprovalRule['effect'];

/** Why the pattern of a command never matches, and the patterns and files that match what it was meant for. */
export interface NeverCommand {
  why: string;
  /** patterns of commands, in the order of the command line */
  commands: readonly string[];
  /** the files that the command line opens, for rules with a path */
  files: ReadCommand['files'];
}

/**
 * Matches a word that a person would put into quotes, as it has special characters for a shell: an address
 * with `?` and `&`, `HEAD~1`, `.a[0]`, `%(trailers)`, and `!`, `(` and `)` of `find`. Words that a shell expands, and
 * operators, do not match.
 */
const NEEDS_QUOTES =
  /^(?:[!()]|(?![~(#=])(?:[A-Za-z0-9_.,:@%+/=^~?!#[\]-]|(?<=\?.*[^&])&(?=[^&])|\([^()]*\)|\{[^{},.]*\})+)$/;

/** The command line that a pattern describes, with a number instead of each `*`. */
interface Specimen {
  star: string;
  text: string;
  read: ReadCommand;
  /** what a rule of this effect is compared with */
  commands: readonly SimpleCommand[];
}

/**
 * Reports whether a pattern cannot match the command line that a person would read in it. A command whose words contain
 * operators or quotes literally, as `echo '&&'`, is not what such a pattern is meant for.
 * @returns null if the pattern can match
 */
export function commandNever(effect: Effect, pattern: readonly string[]): NeverCommand | null {
  const why = whyNever(effect, pattern);
  if (why === null) return null;
  const { commands, read, star } = specimenOf(effect, pattern);
  const isComment = read.unclear?.about.startsWith('#') === true;
  if (effect === 'allow' && read.unclear !== null && !isComment) return { why, commands: [], files: [] };
  const moves = (one: SimpleCommand): boolean => one.words[0] === 'cd';
  const meant = commands.every(moves) ? commands : commands.filter((one) => !moves(one));
  const found = meant.flatMap((one) => cureOf(effect, one, star) ?? []);
  const files = read.files.map((file) => ({ ...file, path: file.path.replaceAll(star, '*') }));
  return { why, commands: [...new Set(found)], files };
}

function specimenOf(effect: Effect, pattern: readonly string[], isQuoted = false): Specimen {
  // A number of seconds, so that the pattern `timeout * make` is read as the command that it is meant for.
  let star = '60';
  while (pattern.some((word) => word.includes(star))) star += '0';
  const words = pattern.map((word) => word.replaceAll('*', star));
  const quoted = words.map((word, index) => (isQuoted && index > 0 && NEEDS_QUOTES.test(word) ? `'${word}'` : word));
  const text = quoted.join(' ');
  const read = readCommand(text);
  const commands =
    effect === 'allow'
      ? read.commands
      : read.seen.map((seen, index) => ({
          ...{ assignments: index === 0 ? leadingAssignments(pattern) : [], words: seen },
        }));
  return { star, text, read, commands };
}

/**
 * `|` inside a word, as in `grep -E a|b`, stands for itself more often than for a pipe, and CBOS makes such rules for
 * commands with quotes.
 */
const withoutAlternatives = (pattern: readonly string[]): string[] =>
  pattern.map((word, index) => (index === 0 ? word : word.replace(/(?<=[^|])\|(?=[^|])/g, '-')));

function whyNever(effect: Effect, given: readonly string[]): string | null {
  const pattern = effect === 'allow' ? withoutAlternatives(given) : given;
  const why = whyNot(effect, pattern, false);
  const isQuotable = pattern.some((word, index) => index > 0 && NEEDS_QUOTES.test(word));
  return why === null || (isQuotable && whyNot(effect, pattern, true) === null) ? null : why;
}

/** @param isQuoted whether the words that need quotes have them in the command line */
function whyNot(effect: Effect, pattern: readonly string[], isQuoted: boolean): string | null {
  const { commands, read, text } = specimenOf(effect, pattern, isQuoted);
  const isOne = commands.length === 1 && read.files.length === 0;
  if (effect !== 'allow') {
    // A pattern of variables alone denies every command.
    if (leadingAssignments(pattern).length === pattern.length) return null;
    if (commands.some(({ words }) => meansCommand(pattern, words) !== null)) return null;
    if (effect === 'ask' && mayMeanCommand(pattern, plainText(text))) return null;
    return whyOther(text, commands, read);
  }
  const open = leadingAssignments(pattern).find((word) => word.includes('*'));
  if (open !== undefined) return `${open}: a wildcard matches no part of a variable; write its whole value`;
  const [one] = commands;
  if (one === undefined || (read.unclear !== null && isOne)) return whyUnclear(read);
  const run = unwrap(one);
  const [name = ''] = run.words;
  if (isOne && name === 'cd') return "no rule can allow cd; a leading cd into the session's folder needs no rule";
  if (isOne && changesShell(name)) return `no rule can allow ${name}, which changes the shell or runs its text`;
  const fit = isOne ? allowsCommand(pattern, run) : null;
  if (fit?.far?.startsWith('-') === true && isUntabled(baseOf(name), run.words.slice(1)))
    return `CBOS does not know the options of ${name}, so a star matches none of them; name the whole option`;
  if (fit !== null) {
    const kept = pathsOf(run.words).find(({ paths }) => paths.some(isProtectedName));
    return kept === undefined ? null : `${kept.word}: no rule can allow anything in this place`;
  }
  if (!isOne || !isSame(text, one) || run.words.length !== one.words.length) return whyOther(text, commands, read);
  if (runsOthers(name)) return `${name} runs other programs; name the whole command, without wildcards`;
  if (scriptProgram(name)) return `${name} without a script runs whatever it reads; name the script`;
  return 'a wildcard matches neither a path with ".." nor an option that runs another program; name the whole word';
}

/** Says why the words of a pattern are not the words that the shell would make of it. */
function whyOther(text: string, commands: readonly SimpleCommand[], read: ReadCommand): string {
  const [one, another] = commands;
  if (one === undefined) return 'it is not a simple command';
  if (another !== undefined) return 'it is more than one command; a rule is compared with one simple command at a time';
  if (read.files.length > 0) return 'a redirection is not part of a command; a rule with a path covers it';
  if (/['"\\`]/.test(text)) return 'a rule is compared with the words of a command, without quotes and backslashes';
  const skipped = one.words.length - unwrap(one).words.length;
  if (skipped > 0 && isSame(text, one)) return `CBOS skips ${one.words[0]} and looks at the command that follows`;
  if (/\s#/.test(text)) return 'a comment is not part of a command';
  return 'a rule is compared with the words of a command, without operators, redirections and reserved words';
}

function whyUnclear({ unclear, commands }: ReadCommand): string {
  const { reason = 'syntax', about = '' } = unclear ?? {};
  if (about.startsWith('#')) return 'a comment is not part of a command';
  if (reason === 'assignment') return 'no rule can allow a command that only sets variables';
  if (commands.length === 0) return 'it is not a simple command';
  const what = about === '' ? 'such a command' : `a command with ${about}`;
  return `no rule can allow ${what}, which shells may read in different ways`;
}

/** Reports whether the words in a text are the words that the shell makes of it. */
const isSame = (text: string, { assignments, words }: SimpleCommand): boolean =>
  [...assignments, ...words].join(' ') === text;

/** Characters that a pattern cannot contain, because the shell or the pattern would give them another meaning. */
const SPECIAL: Readonly<Record<'plain' | 'allow', RegExp>> = {
  plain: /[\s'"\\`;&|<>()#]/g,
  allow: /[^A-Za-z0-9_.,:@%+/=*-]/g,
};

/** Returns a pattern that matches a command, or null if no pattern does. */
function cureOf(effect: Effect, given: SimpleCommand, star: string): string | null {
  const command = unwrap(given);
  const special = effect === 'allow' ? SPECIAL.allow : SPECIAL.plain;
  const words = [...command.assignments, ...command.words].map((word) => {
    if (word === star + star) return '**';
    const shown = word.replaceAll(star, '*').replace(special, '*').replace(/\*+/g, '*');
    return shown === '' ? '*' : shown;
  });
  const name = words[command.assignments.length] ?? '*';
  const rule = readRule({ effect, fields: { command: words.join(' ') }, id: 'cure', folder: null });
  if (name.includes('*') || 'problem' in rule || whyNever(effect, words) !== null) return null;
  const isMatch =
    effect === 'allow' ? allowsCommand(words, command) !== null : meansCommand(words, given.words) !== null;
  return isMatch ? words.join(' ') : null;
}
