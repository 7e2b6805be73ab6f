import { Command, Option } from 'commander';
import { UsageError } from './command-error.ts';
import type { AddCommands } from './command-modules.ts';
import { GROUPS } from './commands/command-help.ts';
import type { CliContext } from './context.ts';

/** The width of the help text, in columns, if there is no terminal. */
const DEFAULT_HELP_WIDTH = 100;

/**
 * Builds the command line with the requested commands. Commander is configured to throw a `CommanderError` instead of
 * printing the error and exiting.
 */
export function buildProgram(context: CliContext, commands: readonly AddCommands[]): Command {
  const { io, version } = context;
  const program = new Command('cbos');
  program
    .description('Run, watch and answer many Claude Code sessions side by side.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help for a command')
    .helpCommand(false)
    .usage('[command]')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void io.stdout.write(text),
      writeErr: () => undefined,
      getOutHelpWidth: () => io.stdout.columns ?? DEFAULT_HELP_WIDTH,
      getOutHasColors: () => false,
    })
    .configureHelp({ showGlobalOptions: false })
    .hook('preAction', async (_, command) => {
      const [first] = command.registeredArguments;
      const given: unknown = command.processedArgs[0];
      const slugs = Array.isArray(given) ? given : [given];
      if (first?.name() === 'name' && slugs.length === 1) context.about = slugs[0];
      const { jq } = command.opts<{ jq?: string }>();
      // Compile the expression before the command does anything, so that an invalid expression has no side effects.
      if (jq !== undefined) context.out.filterJson(await (await import('./output/jq-filter.ts')).jqFilter(jq));
    })
    .addHelpText('after', MAIN_EXAMPLES);

  for (const addCommands of commands) addCommands(program, context);
  addJq(program);
  addHelp(program);
  return program;
}

/** Adds `--jq` to every command that has `--json`, as `gh` does. */
function addJq(command: Command): void {
  if (command.options.some(({ long }) => long === '--json')) {
    command.addOption(new Option('--jq <expression>', 'filter the JSON with a jq expression').implies({ json: true }));
  }
  for (const below of command.commands) addJq(below);
}

/**
 * Adds a help command that supports `cbos help queue edit`. Commander's own help command only considers the first word,
 * and also adds itself to the help of `queue`.
 */
function addHelp(program: Command): void {
  program
    .command('help')
    .helpGroup(GROUPS.server)
    .summary('print help for a command')
    .description('Print help for a command.')
    .argument('[command...]', 'the command, as in `cbos help queue edit`')
    .action((words: string[]) => {
      let command = program;
      for (const word of words) {
        const below = command.commands.find((one) => one.name() === word || one.aliases().includes(word));
        if (below === undefined) throw new UsageError(`No command is named "${words.join(' ')}"`, 'cbos --help');
        command = below;
      }
      command.outputHelp();
    });
}

const MAIN_EXAMPLES = `
Examples:
  cbos                                    # the terminal UI: every session, live; starts the server
  cbos new ~/src/auth                     # launch Claude Code in a directory, as auth
  cbos wait AUTH && cbos show AUTH        # wait until it needs you or is done, then see what it wants
  cbos answer AUTH yes                    # allow it
  cbos send AUTH run the tests --wait     # a prompt, and its answer

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 no such session, 4 refused in this state, 5 no server, 6 timed out.
\`cbos COMMAND --help\` has examples for each command. Every command that lists or shows takes --json,
and --jq to filter it.`;
