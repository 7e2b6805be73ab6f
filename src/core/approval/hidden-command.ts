import { leadingAssignments, unwrap } from './command-pattern.ts';
import { fitsGlob } from './glob.ts';
import { baseOf, buildsItsCommand, isTelling, keepsNames, runsOthers, runsText, scriptProgram } from './programs.ts';
import type { ReadCommand } from './shell-command.ts';

/**
 * Matches syntax with which a shell builds words or runs commands, and which our parser may read differently from the
 * shell. `$NAME` and `${NAME}` only insert a value into a word, so they do not match.
 */
const BUILDS = /\$\(|`|[<>=]\(|\$['"[]|\$\{(?![A-Za-z_]\w*\})/;

/** Wrappers whose options may name a program to run. CBOS does not parse these options. */
const WRAPPERS: ReadonlySet<string> = new Set(['env', 'command', 'nohup', 'nice', 'timeout', 'time']);
const TELLS_ITS_VERSION = /^(?:-v|-V|-h|--version|--help)$/;

/**
 * Reports whether text may run a command that a rule covers, although neither the simple commands in the text nor its
 * characters show that. A true result opens a dialog that would not open otherwise, so a variable alone is not enough.
 * A variable that only supplies arguments to another program is let through.
 * @param follow returns the destination of a path, with links resolved
 */
export function mayHideCommand(
  patterns: readonly (readonly string[])[],
  command: ReadCommand,
  { text, follow }: { text: string; follow: (path: string) => string },
): boolean {
  const { seen, known, unclear } = command;
  if (unclear !== null) {
    const isUnread = unclear.reason === 'too_long' || unclear.reason === 'control_character';
    if (isUnread || unclear.reason === 'syntax' || command.definesFunctions || BUILDS.test(text)) return true;
  }
  return seen.some((words, index) => mayBeOther(patterns, { words, known: known[index] ?? [], follow }));
}

/** Reports whether one simple command may run a different program, or a different subcommand, from the one it names. */
function mayBeOther(
  patterns: readonly (readonly string[])[],
  { words, known, follow }: { words: readonly string[]; known: readonly boolean[]; follow: (path: string) => string },
): boolean {
  const { words: run } = unwrap({ assignments: [], words });
  const start = words.length - run.length;
  const [name = '', ...rest] = run;
  if (known.slice(0, start + 1).includes(false)) return true;
  const areKnown = !known.slice(start + 1).includes(false);
  if (rest.length === 1 && TELLS_ITS_VERSION.test(rest[0] ?? '')) return false;
  if (WRAPPERS.has(name)) return rest.length > 0 && !(name === 'command' && /^-[vV]$/.test(rest[0] ?? ''));
  if (!keepsNames(name) || buildsItsCommand(name)) return true;
  if (
    scriptProgram(name) &&
    (runsText(name, rest, known.slice(start + 1)) || !isScriptKnown(rest, known.slice(start + 1)))
  )
    return true;
  const programs = patterns.map((pattern) => pattern[leadingAssignments(pattern).length] ?? '**');
  const isMeant = (word: string): boolean =>
    programs.some((program) => fitsGlob(baseOf(program).toLowerCase(), baseOf(follow(word)).toLowerCase()));
  const passesOn = runsOthers(name) || rest.some((word) => isTelling(name, word));
  if (passesOn && (!areKnown || rest.some((word) => isMeant(word) || isShellText(word)))) return true;
  if (areKnown || !isMeant(name)) return false;
  // Whatever the text is, `git commit -m "$text"` cannot be a `git push`. `git $x` and `git -C . $x` can be.
  const [first = ''] = rest;
  return known[start + 1] !== true || first.startsWith('-') || isSubcommand(patterns, first);
}

/** Words built by the shell may only follow the script, and none of them may be another script. */
function isScriptKnown(rest: readonly string[], known: readonly boolean[]): boolean {
  if (!known.includes(false)) return true;
  const script = rest.findIndex((word) => !word.startsWith('-'));
  return known.indexOf(false) > script && !rest.some((word) => /^-[a-zA-Z]*[ef]|^--(?:expression|file)/.test(word));
}

const isSubcommand = (patterns: readonly (readonly string[])[], word: string): boolean =>
  patterns.some((pattern) => {
    const [, second = '**'] = pattern.slice(leadingAssignments(pattern).length);
    return fitsGlob(second.toLowerCase(), word.toLowerCase());
  });

/** Reports whether a word is shell code, or names a program that runs such code. */
const isShellText = (word: string): boolean =>
  (word !== ';' && word !== '{}' && /[\s;&|<>$`(){}]/.test(word)) || scriptProgram(word);
