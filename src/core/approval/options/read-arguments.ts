import type { Option, Table } from './table.ts';

/** An option that a word names. */
export interface NamedOption {
  /** the options that the name may stand for, several if it is an abbreviation, none if the table has no such one */
  candidates: readonly Option[];
  /** where the name ends in the word, in characters */
  end: number;
  negated: boolean;
}

/** What a program takes a word for. */
export interface ReadWord {
  word: string;
  role: 'option' | 'value' | 'operand' | 'end';
  named: readonly NamedOption[];
  /** the text that the program does not read as the name of an option, or null */
  text: string | null;
}

/**
 * Reads the words after a program's name as the program does: clusters, abbreviations, values in the same word and in
 * the next ones, `--`, and options after operands.
 * @param stops whether the options end at the first operand, as before a subcommand
 */
export function readArguments(table: Table, words: readonly string[], stops = false): ReadWord[] {
  const read: ReadWord[] = [];
  let awaited = 0;
  let isOver = false;
  const resolved = new Map<string, ReadOption>();
  for (const [index, word] of words.entries()) {
    if (awaited > 0) {
      awaited -= 1;
      read.push({ word, role: 'value', named: [], text: word });
    } else if (isOver || table.syntax === 'text' || !isOption(table, word, index)) {
      read.push({ word, role: 'operand', named: [], text: word });
      if (stops) break;
      isOver ||= table.stops;
    } else if (word === '--' && table.syntax !== 'find') {
      read.push({ word, role: 'end', named: [], text: null });
      isOver = true;
      if (table.rest === null) continue;
      return [...read, ...readArguments(table.rest, words.slice(index + 1))];
    } else {
      const one = (index > 0 && resolved.get(word)) || readOption(table, word, index);
      resolved.set(word, one);
      awaited = one.awaits;
      read.push({ word, role: 'option', named: one.named, text: one.text });
    }
  }
  return read;
}

const isOption = ({ syntax }: Table, word: string, index: number): boolean =>
  (word.length > 1 && word.startsWith('-')) || (syntax === 'tar' && index === 0);

interface ReadOption {
  named: NamedOption[];
  /** the value in the same word, or null */
  text: string | null;
  /** how many of the next words are values too */
  awaits: number;
}

function readOption(table: Table, word: string, index: number): ReadOption {
  const { syntax, options } = table;
  if (syntax === 'find') return readWhole(options.get(word), word, null);
  if (word.startsWith('--') || syntax === 'words') {
    const sign = word.indexOf('=');
    const name = sign < 0 ? word : word.slice(0, sign);
    const text = sign < 0 ? null : word.slice(sign + 1);
    const exact = options.get(name);
    if (exact !== undefined) return readWhole(exact, name, text);
    const candidates = resolve(table, name);
    if (syntax === 'git' && name.startsWith('--no-')) {
      const negated = {
        candidates: resolve(table, `--${name.slice('--no-'.length)}`),
        end: name.length,
        negated: true,
      };
      const whole = { candidates, end: name.length, negated: false };
      const named = [negated, whole].filter((one) => one.candidates.length > 0);
      return { named: named.length > 0 ? named : [whole], text, awaits: 0 };
    }
    const [first] = candidates;
    const awaits = text === null && typeof first?.takes === 'number' ? first.takes : 0;
    return { named: [{ candidates, end: name.length, negated: false }], text, awaits };
  }
  const isBare = syntax === 'tar' && index === 0 && !word.startsWith('-');
  return readCluster(table, word, { from: isBare ? 0 : 1, isLate: isBare || syntax === 'late' });
}

function readWhole(option: Option | undefined, name: string, text: string | null): ReadOption {
  const takes = option?.takes ?? 0;
  // A value for an option that takes none is an error, which no program turns into anything else.
  const isKnown = option !== undefined && (text === null || takes !== 0);
  const named = { candidates: isKnown ? [option] : [], end: name.length, negated: false };
  return { named: [named], text, awaits: text === null && typeof takes === 'number' ? takes : 0 };
}

/** Returns the options of which a long name is an abbreviation, if the program takes abbreviations. */
function resolve({ syntax, options }: Table, name: string): Option[] {
  const exact = options.get(name);
  if (exact !== undefined) return [exact];
  if (syntax === 'exact' || syntax === 'words' || name === '--') return [];
  return [...new Set([...options].filter(([known]) => known.startsWith(name)).map(([, option]) => option))];
}

/** @param how.isLate whether the values of all letters follow as words of their own */
function readCluster(
  { options }: Table,
  word: string,
  { from, isLate }: { from: number; isLate: boolean },
): ReadOption {
  const named: NamedOption[] = [];
  let awaits = 0;
  for (let at = from; at < word.length; at += 1) {
    const letter = word[at] ?? '';
    const digits = /^\d+/.exec(word.slice(at))?.[0] ?? '';
    const isNumber = digits !== '' && !options.has(`-${letter}`);
    const option = options.get(isNumber ? '-#' : `-${letter}`);
    if (isNumber) at += digits.length - 1;
    named.push({ candidates: option === undefined ? [] : [option], end: at + 1, negated: false });
    if (option === undefined) return { named, text: word.slice(at + 1), awaits: 0 };
    if (option.takes === 0) continue;
    if (isLate) {
      awaits += option.takes === 'attached' ? 0 : option.takes;
      continue;
    }
    const text = word.slice(at + 1);
    const rest = option.takes === 'attached' ? 0 : option.takes;
    return text === '' ? { named, text: null, awaits: rest } : { named, text, awaits: Math.max(0, rest - 1) };
  }
  return { named, text: null, awaits };
}
