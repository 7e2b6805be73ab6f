import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from '../root.mjs';

/**
 * A command, as its help describes it.
 * @typedef {object} CommandEntry
 * @property {string} name with the words before it: `queue edit`; empty for `cbos` itself
 * @property {readonly string[]} aliases
 * @property {string | null} group the heading of the main help; null for a subcommand
 * @property {string} summary
 * @property {string} description one or several paragraphs
 * @property {readonly string[]} usages whole lines, without `cbos`
 * @property {readonly Term[]} args
 * @property {readonly Term[]} options
 * @property {readonly (readonly [line: string, does: string])[]} examples
 * @property {readonly CommandEntry[]} below its subcommands
 */

/** @typedef {{ term: string, about: string }} Term */

/**
 * Reads all commands from the compiled command line. Hidden commands are omitted: former names, and what only programs
 * run.
 * @returns {Promise<CommandEntry>} `cbos` itself, with the commands in the order of the main help
 */
export async function commandTree() {
  const [{ buildProgram }, { COMMAND_MODULES }, { helpOf }] = await Promise.all([
    compiled('program'),
    compiled('command-modules'),
    compiled('commands/command-help'),
  ]);
  const io = { stdout: { write: () => true, columns: 100 } };
  const modules = await Promise.all(
    COMMAND_MODULES.map((/** @type {{ load(): Promise<unknown> }} */ one) => one.load()),
  );
  return entryOf(buildProgram({ io, version: '' }, modules), helpOf);
}

/**
 * @param {import('commander').Command} command
 * @param {(command: import('commander').Command) => { examples: CommandEntry['examples'] } | undefined} helpOf
 * @returns {CommandEntry}
 */
function entryOf(command, helpOf) {
  const help = command.createHelp();
  help.showGlobalOptions = false;
  const usages = help.commandUsage(command).split('\n');
  return {
    name: wordsOf(command).join(' '),
    aliases: command.aliases(),
    group: command.helpGroup()?.replace(/:$/, '') ?? null,
    summary: command.summary(),
    description: command.description(),
    usages: usages.map((line) => line.trim().replace(/^cbos ?/, '')),
    args: help.visibleArguments(command).map((one) => ({ term: one.name(), about: help.argumentDescription(one) })),
    options: help
      .visibleOptions(command)
      .map((one) => ({ term: help.optionTerm(one), about: help.optionDescription(one) })),
    examples: helpOf(command)?.examples ?? [],
    below: help.visibleCommands(command).map((one) => entryOf(one, helpOf)),
  };
}

/** @param {import('commander').Command} command @returns {string[]} */
function wordsOf(command) {
  return command.parent === null ? [] : [...wordsOf(command.parent), command.name()];
}

/** @param {string} name @returns {Promise<any>} the compiled module */
function compiled(name) {
  return import(pathToFileURL(join(ROOT, 'build', 'cli', `${name}.js`)).href);
}
