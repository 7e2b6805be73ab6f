import { UsageError } from './command-error.ts';
import type { CliContext } from './context.ts';

/**
 * Returns the text that was passed to a command: the words joined by spaces, or standard input if the only word is `-`.
 * @throws CommandError if there is no text
 */
export async function readText({ io }: CliContext, words: readonly string[], command: string): Promise<string> {
  if (words.length !== 1 || words[0] !== '-') {
    const given = words.join(' ');
    if (given.trim() === '') throw new UsageError('The text is empty', `${command} --help`);
    return given;
  }
  const parts: Buffer[] = [];
  for await (const part of io.stdin) parts.push(Buffer.from(part));
  const text = Buffer.concat(parts).toString('utf8');
  if (text.trim() === '') throw new UsageError('Standard input was empty', `${command} --help`);
  return text;
}
