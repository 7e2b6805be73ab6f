import { CLAUDE_FLAGS, type ClaudeFlag } from './claude-flags.ts';

/** One argument as Claude Code reads it: a flag with its values, or a word that belongs to no flag. */
export interface ReadArgument {
  /** null for a word that belongs to no flag, which is a prompt or a command */
  flag: string | null;
  /** null if the table does not know the flag */
  row: ClaudeFlag | null;
  values: readonly string[];
  /** the words that make up the argument */
  words: readonly string[];
}

const ROWS: ReadonlyMap<string, ClaudeFlag> = new Map(
  CLAUDE_FLAGS.flatMap((row) => row.names.map((name) => [name, row] as const)),
);

/**
 * Splits a user's arguments into flags with their values, as Claude Code does (2.1.330). A flag that the table does not
 * know is assumed to have at most one value. Short flags in one word, such as `-cp`, become flags of their own.
 */
export function readArguments(args: readonly string[]): ReadArgument[] {
  const read: ReadArgument[] = [];
  for (let left = args; left.length > 0; ) {
    const [word = '', ...after] = left;
    if (word === '--') {
      read.push(...after.map((one) => operand(one)));
      break;
    }
    const several = severalFlags(word);
    if (several === null) {
      const one = word.startsWith('-') && word !== '-' ? readFlag(left) : operand(word);
      read.push(one);
      left = left.slice(one.words.length);
    } else left = [...several, ...after];
  }
  return read;
}

/** Returns the first of several short flags in one word, and the others; null for any other word. */
function severalFlags(word: string): readonly [string, string] | null {
  const isShort = /^-[^-]./.test(word);
  return isShort && ROWS.get(word.slice(0, 2))?.value === 'none' ? [word.slice(0, 2), `-${word.slice(2)}`] : null;
}

const operand = (word: string): ReadArgument => ({ flag: null, row: null, values: [word], words: [word] });

function readFlag([word = '', ...after]: readonly string[]): ReadArgument {
  const equals = word.startsWith('--') ? word.indexOf('=') : -1;
  const isShort = !word.startsWith('--') && word.length > 2;
  const name = equals > 0 ? word.slice(0, equals) : isShort ? word.slice(0, 2) : word;
  const row = ROWS.get(name) ?? null;
  if (equals > 0) return { flag: name, row, values: [word.slice(equals + 1)], words: [word] };
  if (isShort && row !== null && row.value !== 'none') {
    return { flag: name, row, values: [word.slice(2)], words: [word] };
  }
  const isFlag = (one: string): boolean => one.startsWith('-') && one !== '-';
  const end = after.findIndex(isFlag);
  const most = { none: 0, one: 1, maybe: 1, many: Number.POSITIVE_INFINITY }[row?.value ?? 'maybe'];
  // A value that must be given may begin with a dash.
  const count = row?.value === 'one' ? 1 : Math.min(most, end === -1 ? after.length : end);
  const values = after.slice(0, count);
  return { flag: name, row, values, words: [word, ...values] };
}
