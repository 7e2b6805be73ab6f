import type { Command } from 'commander';

/** The headings of the main help, in order. */
export const GROUPS = {
  sessions: 'Sessions:',
  looking: 'See what they do:',
  talking: 'Talk to them:',
  server: 'Server and machine:',
} as const;

export interface CommandHelp {
  /** the heading in the main help; a subcommand has none */
  group?: keyof typeof GROUPS;
  /** a one-line description for the list of commands */
  summary: string;
  /** additional sentences for the command's own help */
  more?: string;
  /** complete command lines, each with a description */
  examples: readonly (readonly [commandLine: string, does: string])[];
}

/** The option that makes a command print what the API returned. */
export interface JsonOption {
  json?: boolean;
}

const HELPS = new WeakMap<Command, CommandHelp>();

/**
 * Returns a command's help text, or undefined if `describe` gave it none. The manual is generated from this text.
 * @public used by scripts/generate/command-tree.mjs, which loads the compiled module
 */
export function helpOf(command: Command): CommandHelp | undefined {
  return HELPS.get(command);
}

/** Adds a help text to a command: a description and examples to copy. */
export function describe(command: Command, help: CommandHelp): Command {
  HELPS.set(command, help);
  const width = Math.max(...help.examples.map(([line]) => line.length));
  const examples = help.examples.map(([line, does]) => `  ${line.padEnd(width)}  # ${does}`);
  if (help.group !== undefined) command.helpGroup(GROUPS[help.group]);
  return command
    .summary(help.summary)
    .description(help.more === undefined ? sentence(help.summary) : `${sentence(help.summary)}\n${help.more}`)
    .addHelpText('after', `\nExamples:\n${examples.join('\n')}`);
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
