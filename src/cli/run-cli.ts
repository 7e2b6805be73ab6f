import { CommanderError } from 'commander';
import { CatalogueError, EXIT } from '../protocol/index.ts';
import { CommandError } from './command-error.ts';
import { loadCommands } from './command-modules.ts';
import { type CliContext, createContext } from './context.ts';
import { exitCodeOf, reportError } from './error-report.ts';
import type { LocalHost } from './local-host.ts';
import { nameLike } from './name-like.ts';
import { createPrinter } from './output/printer.ts';
import { buildProgram } from './program.ts';
import type { TerminalIo } from './terminal-io.ts';

export interface CliRun {
  /** the arguments, without the paths of Node and the script */
  argv: readonly string[];
  host: LocalHost;
  io: TerminalIo;
  /** the version of this program */
  version: string;
  /**
   * how this program is called in the commands that it suggests, such as `npx cbos` in a checkout; `cbos` by default
   */
  program?: string;
}

/**
 * Runs one command line, and resolves to its exit code. It never rejects: expected errors are printed as one line on
 * standard error.
 */
export async function runCli(run: CliRun): Promise<number> {
  const out = createPrinter(run.io);
  const { words, passedArgs } = splitArguments(run.argv);
  const context = createContext({
    host: run.host,
    io: run.io,
    out,
    version: run.version,
    program: run.program ?? 'cbos',
    passedArgs,
  });
  try {
    const commands = await loadCommands(words, passedArgs);
    await buildProgram(context, commands).parseAsync([...words], { from: 'user' });
  } catch (error) {
    context.exitCode = tellFailure(context, await withSuggestion(context, error), words);
  }
  await context.settleVersionCheck();
  if (context.exitCode !== EXIT.done) return context.exitCode;
  try {
    await context.out.written();
  } catch (error) {
    context.exitCode = tellFailure(context, error, words);
  }
  return context.exitCode;
}

/** The commands that pass on the arguments after `--`. */
const PASS_ON: ReadonlySet<string | undefined> = new Set(['new', 'complete']);

/**
 * Expands `cbos` alone to `cbos start`. If the command passes on its arguments after `--`, removes these first, because
 * commander would take `--verbose` in `cbos new AUTH -- --verbose` for a path.
 */
function splitArguments(argv: readonly string[]): { words: readonly string[]; passedArgs: readonly string[] } {
  if (argv.length === 0) return { words: ['start'], passedArgs: [] };
  const separator = argv.indexOf('--');
  if (separator === -1 || !PASS_ON.has(argv[0])) return { words: argv, passedArgs: [] };
  return { words: argv.slice(0, separator), passedArgs: argv.slice(separator + 1) };
}

/** Adds the name that the user probably meant to an error about an unknown session. */
async function withSuggestion(context: CliContext, error: unknown): Promise<unknown> {
  const { about } = context;
  if (!(error instanceof CatalogueError) || error.code !== 'no_such_session' || about === undefined) return error;
  try {
    const client = await context.client();
    const like = nameLike(about, await client.call('listSessions'));
    return like === null
      ? error
      : new CatalogueError(error.code, error.message, {
          hint: `did you mean ${like}? \`cbos ls\` lists the sessions`,
          cause: error,
        });
  } catch {
    return error; // the server is gone by now, so report its earlier error
  }
}

/** Prints what went wrong, and returns the exit code. */
function tellFailure({ out, about }: CliContext, error: unknown, words: readonly string[]): number {
  if (!(error instanceof CommanderError)) {
    // It is not a failure if the reader closes the pipe early (`cbos ls | head -1`).
    if (out.closed.aborted && isBrokenPipe(error)) return EXIT.done;
    reportError(out, error, about);
    return exitCodeOf(error);
  }
  // Commander reports `--help` and `--version` as errors with exit code 0.
  if (error.exitCode === 0) return EXIT.done;
  reportError(out, new CommandError(usageMessage(error), usageHint(error, words), EXIT.usage));
  return EXIT.usage;
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

function isBrokenPipe(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EPIPE';
}
