import { resolve } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import {
  EXIT,
  isSelective,
  isTag,
  matchesSelector,
  type Session,
  type SessionSelector,
  TAG_RULE,
} from '../protocol/index.ts';
import { someSessions } from '../text/name-list.ts';
import { cleanLine } from '../text/terminal-text.ts';
import { CommandError } from './command-error.ts';
import { readStateWord } from './commands/option-values.ts';
import { confirm } from './confirm.ts';
import type { CliContext } from './context.ts';

/** The options that select sessions. Every command that accepts several sessions has the same options. */
export interface SelectorOptions {
  state?: string;
  tag?: readonly string[];
  repo?: string;
}

/** Adds these options to a command. @param verb what the command does with the selected sessions, for the help text */
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

/** Converts the options into a selector. A path names a folder on this machine. */
export function selectorOf({ io }: CliContext, { state, tag, repo }: SelectorOptions): SessionSelector {
  const isPath = repo !== undefined && /^\.{0,2}(\/|$)/.test(repo);
  return {
    ...(state === undefined ? {} : { state }),
    ...(tag === undefined ? {} : { tags: tag }),
    ...(repo === undefined ? {} : { repo: isPath ? resolve(io.cwd, repo) : repo }),
  };
}

/** Describes a selection for a message, such as `needs-you, tagged night, of shop`. */
export function selectorText({ state, tags, repo }: SessionSelector): string {
  const parts = [
    state ?? '',
    tags === undefined ? '' : `tagged ${tags.join(' and ')}`,
    repo === undefined ? '' : `of ${cleanLine(repo)}`,
  ];
  return parts.filter((part) => part !== '').join(', ');
}

interface Choice {
  /** the session names that the user typed */
  names: readonly string[];
  options: SelectorOptions;
  /** the command's usage line, for the error message */
  command: string;
  /** whether the command applies to a session; sessions to which it does not apply are not selected */
  fits?: (session: Session) => boolean;
}

/**
 * Returns the sessions with the given names, or otherwise the sessions that the options select.
 * @throws CommandError if the user gave both names and options, or neither
 */
export async function chosenSessions(
  context: CliContext,
  choice: Choice,
): Promise<{ slugs: string[]; selected: boolean }> {
  const { names, options, command, fits = () => true } = choice;
  const selector = selectorOf(context, options);
  if (!isSelective(selector)) {
    if (names.length > 0) return { slugs: [...new Set(names)], selected: false };
    throw new CommandError(`Missing required argument 'name'`, `cbos ${command} --help`, EXIT.usage);
  }
  if (names.length > 0) {
    throw new CommandError(
      'Names cannot be combined with --state, --tag or --repo',
      'leave one of them out',
      EXIT.usage,
    );
  }
  const client = await context.client();
  const sessions = (await client.call('listSessions')).filter((one) => matchesSelector(one, selector) && fits(one));
  if (sessions.length === 0) context.out.notice(`no session is ${selectorText(selector)} — cbos ls`);
  return { slugs: sessions.map(({ slug }) => slug), selected: true };
}

/**
 * Asks for confirmation before several sessions are ended. For a single session given by name, no confirmation is
 * needed.
 * @returns whether the command may proceed
 */
export async function mayActOnSeveral(
  context: CliContext,
  {
    slugs,
    selected,
    verb,
    yes,
  }: { slugs: readonly string[]; selected: boolean; verb: string; yes?: boolean | undefined },
): Promise<boolean> {
  if (yes === true || slugs.length === 0 || !selected) return true;
  if (await confirm(context, `${verb} ${someSessions(slugs)}?`)) return true;
  context.out.notice('nothing was done');
  context.exitCode = EXIT.failed;
  return false;
}
