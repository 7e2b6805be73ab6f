import type { Command } from 'commander';

/** Headings of the main help, in order. */
export const GROUPS = {
  sessions: 'Sessions:',
  looking: 'See what they do:',
  talking: 'Talk to them:',
  server: 'Server and machine:',
} as const;

export interface CommandHelp {
  group: keyof typeof GROUPS;
  /** one line for the list of commands */
  summary: string;
  /** further sentences for the command's own help */
  more?: string;
  /** whole command lines, each with a description */
  examples: readonly (readonly [commandLine: string, does: string])[];
}

const HELPS = new WeakMap<Command, CommandHelp>();

/**
 * Returns the help text for a command, or undefined for a subcommand. The manual is generated from it.
 * @public read by scripts/generate/command-tree.mjs as the compiler wrote it
 */
export function helpOf(command: Command): CommandHelp | undefined {
  return HELPS.get(command);
}

/** Gives a command its help text: a description, and examples to copy. */
export function describe(command: Command, help: CommandHelp): Command {
  HELPS.set(command, help);
  const width = Math.max(...help.examples.map(([line]) => line.length));
  const examples = help.examples.map(([line, does]) => `  ${line.padEnd(width)}  # ${does}`);
  return command
    .helpGroup(GROUPS[help.group])
    .summary(help.summary)
    .description(help.more === undefined ? sentence(help.summary) : `${sentence(help.summary)}\n${help.more}`)
    .addHelpText('after', `\nExamples:\n${examples.join('\n')}`);
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
