import { InvalidArgumentError } from 'commander';
import { MACHINE_NAME_PATTERN, RIGHTS, type Right } from '../../protocol/index.ts';

/** Parsers for option values that concern the machines in a fleet. */

export function readMachineName(text: string): string {
  if (MACHINE_NAME_PATTERN.test(text)) return text;
  throw new InvalidArgumentError('Use up to 32 lower-case letters, digits and "-", starting with a letter or digit.');
}

export function readAllowed(text: string): Right[] {
  return text === 'none' ? [] : readRights(text);
}

export function readRights(text: string): Right[] {
  const words = text.split(',').map((word) => word.trim());
  const known = RIGHTS.filter((right) => words.includes(right));
  if (known.length === new Set(words).size) return known;
  throw new InvalidArgumentError(`Use ${RIGHTS.join(', ')}, separated by commas.`);
}
