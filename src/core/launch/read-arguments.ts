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
 * know is assumed to have at most one value.
 */
export function readArguments(args: readonly string[]): ReadArgument[] {
  const read: ReadArgument[] = [];
  for (let at = 0; at < args.length; ) {
    const word = args[at] ?? '';
    if (word === '--') {
      read.push(...args.slice(at + 1).map((one) => operand(one)));
      break;
    }
    const one = word.startsWith('-') && word !== '-' ? readFlag(args, at) : operand(word);
    read.push(one);
    at += one.words.length;
  }
  return read;
}

const operand = (word: string): ReadArgument => ({ flag: null, row: null, values: [word], words: [word] });

function readFlag(args: readonly string[], at: number): ReadArgument {
  const word = args[at] ?? '';
  const equals = word.startsWith('--') ? word.indexOf('=') : -1;
  const isShort = !word.startsWith('--') && word.length > 2;
  const name = equals > 0 ? word.slice(0, equals) : isShort ? word.slice(0, 2) : word;
  const row = ROWS.get(name) ?? null;
  if (equals > 0) return { flag: name, row, values: [word.slice(equals + 1)], words: [word] };
  if (isShort && row !== null && row.value !== 'none') {
    return { flag: name, row, values: [word.slice(2)], words: [word] };
  }
  const after = args.slice(at + 1);
  const isFlag = (one: string): boolean => one.startsWith('-') && one !== '-';
  const end = after.findIndex(isFlag);
  const most = { none: 0, one: 1, maybe: 1, many: Number.POSITIVE_INFINITY }[row?.value ?? 'maybe'];
  // A value that must be given may begin with a dash.
  const count = row?.value === 'one' ? 1 : Math.min(most, end === -1 ? after.length : end);
  const values = after.slice(0, count);
  return { flag: name, row, values, words: [word, ...values] };
}
