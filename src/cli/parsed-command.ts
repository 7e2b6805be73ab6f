import { CommanderError } from 'commander';
import { EXIT } from '../protocol/index.ts';
import { UsageError } from './command-error.ts';
import { loadCommands } from './command-modules.ts';
import type { CliContext } from './context.ts';
import { buildProgram } from './program.ts';

/**
 * Parses a command line with commander, and runs it.
 * @throws CommandError on wrong usage
 */
export async function runParsed(context: CliContext, words: readonly string[]): Promise<void> {
  const commands = await loadCommands(words, context.passedArgs);
  try {
    await buildProgram(context, commands).parseAsync([...words], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // Commander reports `--help` as an error with exit code 0.
    if (error.exitCode !== 0) throw new UsageError(usageMessage(error), usageHint(error, words));
    context.exitCode = EXIT.done;
  }
}

/**
 * Converts commander's error message, such as `error: unknown option '--x'\n(Did you mean --y?)`, into a single line.
 */
function usageMessage({ code, message }: CommanderError): string {
  // For a command without its subcommand, such as `cbos service`, commander's error message is the whole help text.
  if (code === 'commander.help') return 'A subcommand is missing';
  const text = message.replace(/^error: /, '').replace(/\s*\n\s*/g, ' ');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** Commands that accept free text, which may contain words that begin with a dash. */
const TAKES_TEXT: ReadonlySet<string | undefined> = new Set(['send', 'answer', 'queue', 'draft', 'stash', 'invoke']);

function usageHint({ code }: CommanderError, words: readonly string[]): string {
  const [command] = words;
  const isUnknown = code === 'commander.unknownCommand' && words.length === 1;
  if (isUnknown || command === undefined || command.startsWith('-')) return 'cbos --help';
  const help = `cbos ${command} --help`;
  if (code !== 'commander.unknownOption') return help;
  if (TAKES_TEXT.has(command)) return `${help}; put -- before text that starts with a dash`;
  return command === 'new' ? `${help}; put -- before arguments for claude` : help;
}
