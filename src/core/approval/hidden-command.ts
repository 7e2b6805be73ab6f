import { meansCommand } from './command-meaning.ts';
import { leadingAssignments, unwrap } from './command-pattern.ts';
import { fitsGlob } from './glob.ts';
import { reachesFar } from './options/star.ts';
import { baseOf, buildsItsCommand, keepsNames, runsOthers, runsText, scriptProgram } from './programs.ts';
import type { ReadCommand } from './shell-command.ts';

/**
 * Matches syntax with which a shell builds words or runs commands, and which our parser might not interpret in the same
 * way as the shell. `$NAME` and `${NAME}` only insert a value into a word, so they do not match.
 */
const BUILDS = /\$\(|`|[<>=]\(|\$['"[]|\$\{(?![A-Za-z_]\w*\})/;

/** Wrappers whose options may name a program to run. CBOS does not parse their options. */
const WRAPPERS: ReadonlySet<string> = new Set(['env', 'command', 'nohup', 'nice', 'timeout', 'time']);
const TELLS_ITS_VERSION = /^(?:-v|-V|-h|--version|--help)$/;

/**
 * Reports whether text might run a command that a rule covers, even though neither the simple commands nor the literal
 * words in the text show it. If the result is true, CBOS opens a dialog that would not open otherwise, so a variable
 * alone is not enough. A variable that only supplies arguments to another program is let through.
 * @param follow returns where a path leads, with symbolic links resolved
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

/** Reports whether a simple command might run a program or subcommand other than the one that it names. */
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
  const isMeantBy = (program: string, word: string): boolean =>
    fitsGlob(baseOf(program).toLowerCase(), baseOf(follow(word)).toLowerCase());
  const meant = patterns.map((pattern) => pattern.slice(leadingAssignments(pattern).length));
  const isMeant = (word: string): boolean => meant.some(([program = '**']) => isMeantBy(program, word));
  const passesOn = runsOthers(name) || reachesFar(baseOf(name), rest);
  if (passesOn && (!areKnown || rest.some((word) => isMeant(word) || isShellText(word)))) return true;
  const own = areKnown ? [] : meant.filter(([program = '**']) => isMeantBy(program, name));
  if (own.length === 0) return false;
  // Whatever `$text` contains, `git commit -m "$text"` cannot be a `git push`, but `git $x` and `git -C . $x` can.
  const [first = ''] = rest;
  const mayBeOption = rest.some((word, index) => known[start + 1 + index] === false && !STAYS_OPERAND.test(word));
  const isOpen = known[start + 1] !== true || first.startsWith('-');
  return own.some(([, second = '**']) => {
    if (/^-./.test(second)) return mayBeOption;
    return isOpen || meansCommand([name, second], [name, first]) !== null;
  });
}

/** Matches a word built by the shell that can be no option, as its first letters are known: `src/*.ts`, `~/x`. */
const STAYS_OPERAND = /^[\w./~][^$`{]*$/;

/** Words that the shell builds may only follow the script, and none of them may be another script. */
function isScriptKnown(rest: readonly string[], known: readonly boolean[]): boolean {
  if (!known.includes(false)) return true;
  const script = rest.findIndex((word) => !word.startsWith('-'));
  return known.indexOf(false) > script && !rest.some((word) => /^-[a-zA-Z]*[ef]|^--(?:expression|file)/.test(word));
}

/** Reports whether a word is shell code or names a program that runs shell code. */
const isShellText = (word: string): boolean =>
  (word !== ';' && word !== '{}' && /[\s;&|<>$`(){}]/.test(word)) || scriptProgram(word);
