import { CatalogueError, EXIT } from '../protocol/index.ts';
import { type CliContext, createContext } from './context.ts';
import { exitCodeOf, reportError } from './error-report.ts';
import type { LocalHost } from './local-host.ts';
import { nameLike } from './name-like.ts';
import { createPrinter } from './output/printer.ts';
import { plainCommand } from './plain-command.ts';
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
    const plain = plainCommand(words);
    if (plain !== null) await plain(context);
    else await (await import('./parsed-command.ts')).runParsed(context, words);
  } catch (error) {
    context.exitCode = tellFailure(context, await withSuggestion(context, error));
  }
  await context.settleVersionCheck();
  if (context.exitCode !== EXIT.done) return context.exitCode;
  try {
    await context.out.written();
  } catch (error) {
    context.exitCode = tellFailure(context, error);
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
function tellFailure({ out, about }: CliContext, error: unknown): number {
  // It is not a failure if the reader closes the pipe early (`cbos ls | head -1`).
  if (out.closed.aborted && isBrokenPipe(error)) return EXIT.done;
  reportError(out, error, about);
  return exitCodeOf(error);
}

function isBrokenPipe(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EPIPE';
}
