import { InvalidArgumentError } from 'commander';
import { MACHINE_LABEL_PATTERN, parseStateSelector, STATE_SELECTOR_WORDS } from '../../protocol/index.ts';
import { UsageError } from '../command-error.ts';

/**
 * Parsers for option values. Each throws commander's own error, which is printed as a one-line message and leads to
 * exit code 2.
 */

export function readStateWord(word: string): string {
  if (parseStateSelector(word) !== null) return word;
  throw new InvalidArgumentError(`Use one of ${STATE_SELECTOR_WORDS.join(', ')}.`);
}

/** Accepts a primary with its detail, such as `waiting/permission`, or a primary alone if it has no details. */
export function readStatusWord(word: string): string {
  if (parseStateSelector(word)?.kind === 'exact' || word === 'dead') return word;
  throw new InvalidArgumentError(`Use one of ${STATUS_WORDS.join(', ')}.`);
}

const STATUS_WORDS = STATE_SELECTOR_WORDS.filter((word) => word.includes('/'));

export function readSeconds(text: string): number {
  const seconds = Number(text);
  // setTimeout accepts delays of less than 2^31 ms, and fires immediately for longer ones.
  if (text.trim() !== '' && seconds >= 0 && seconds <= MAX_SECONDS) return seconds;
  throw new InvalidArgumentError(`Use a number of seconds up to ${MAX_SECONDS}.`);
}

const MAX_SECONDS = 2_147_483;

/** Parses a duration, such as `90`, `1:30`, or `1:02:03`, into seconds. */
export function readClockTime(text: string): number {
  const parts = /^(?:(?:(\d+):)?([0-5]?\d):)?(\d+(?:\.\d+)?)$/.exec(text);
  const [, hours = '0', minutes = '0', seconds = ''] = parts ?? [];
  const isClock = text.includes(':');
  if (parts !== null && (!isClock || Number(seconds) < 60)) {
    return readSeconds(String(Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)));
  }
  throw new InvalidArgumentError('Use seconds, or a time such as 1:30.');
}

/** Returns a parser for numbers within a range. */
export function readBetween(from: number, to: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (text.trim() !== '' && number >= from && number <= to) return number;
    throw new InvalidArgumentError(`Use a number from ${from} to ${to}.`);
  };
}

/** Returns a parser for integers within a range. */
export function readWhole(from: number, to: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (/^\d+$/.test(text) && number >= from && number <= to) return number;
    throw new InvalidArgumentError(`Use a whole number from ${from} to ${to}.`);
  };
}

/** Collects the values of an option that can be given several times. */
export function collect(text: string, sofar: string[] = []): string[] {
  return [...sofar, text];
}

/** Collects the values of `--env K=V`, which can be given several times. */
export function collectVariable(text: string, sofar: Record<string, string> = {}): Record<string, string> {
  const separator = text.indexOf('=');
  const name = text.slice(0, separator);
  if (separator < 1 || !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
    throw new InvalidArgumentError('Use NAME=VALUE.');
  }
  return { ...sofar, [name]: text.slice(separator + 1) };
}

export function readDollars(text: string): number {
  const dollars = Number(text);
  if (text.trim() !== '' && Number.isFinite(dollars) && dollars > 0) return dollars;
  throw new InvalidArgumentError('Use an amount of dollars above 0.');
}

export function readAmount(text: string): number {
  const amount = Number(text);
  if (text.trim() !== '' && Number.isFinite(amount) && amount > 0) return amount;
  throw new InvalidArgumentError('Use a number greater than 0.');
}

const SPAN_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Parses a time span, such as `45s`, `30m`, `8h`, or `7d`, into milliseconds. */
export function readSpan(text: string): number {
  const [, count, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  const ms = SPAN_MS[unit];
  if (count !== undefined && ms !== undefined && Number(count) > 0) return Number(count) * ms;
  throw new InvalidArgumentError('Use a duration such as 45s, 30m, 8h or 7d.');
}

/** Parses a point in time, given as a time span before now or as an ISO 8601 timestamp. */
export function readMoment(text: string): { agoMs: number } | { at: string } {
  const at = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? { agoMs: readSpan(text) } : { at: new Date(at).toISOString() };
}

/** @throws CommandError if the word is not the number of a turn */
export function readTurnNumber(word: string): number {
  if (/^[1-9]\d{0,8}$/.test(word)) return Number(word);
  throw new UsageError(`${JSON.stringify(word)} isn't a turn number`, 'cbos turns NAME lists the turns');
}

export function collectLabel(text: string, sofar: readonly string[] = []): readonly string[] {
  if (MACHINE_LABEL_PATTERN.test(text)) return [...sofar, text];
  throw new InvalidArgumentError('Use lower-case letters, digits, ".", "_" and "-", starting with a letter or digit.');
}
