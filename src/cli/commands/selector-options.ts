import { type Command, InvalidArgumentError } from 'commander';
import { isTag, TAG_RULE } from '../../protocol/index.ts';
import { readStateWord } from './option-values.ts';

/**
 * Adds the options that select sessions to a command.
 * @param verb what the command does with the selected sessions, for the help text
 */
export function addSelectors(command: Command, verb: string): Command {
  return command
    .option('-s, --state <state>', `${verb} those in this state; \`cbos ls --help\` lists the states`, readStateWord)
    .option('--tag <tag>', `${verb} those with this tag; repeat it for sessions that have all the tags`, collectTag)
    .option('--repo <name>', `${verb} those in this repository, given by its name or a folder in it`);
}

/** Collects the values of `--tag`, which can be given several times. */
export function collectTag(word: string, sofar: readonly string[] = []): readonly string[] {
  if (!isTag(word)) throw new InvalidArgumentError(`${TAG_RULE}.`);
  return [...sofar, word];
}
