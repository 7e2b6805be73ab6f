import { AFTER_FAILURE, type AfterFailure, CatalogueError } from '../../protocol/index.ts';

/** The set-up of a repository's worktrees, as configured in a file. */
export interface NamedSetUp {
  /** a command for /bin/sh; null if the file names none; empty to run no set-up, whatever another file names */
  command: string | null;
  /** null if the file does not specify this */
  afterFailure: AfterFailure | null;
}

/** A `[[repositories]]` table in config.toml. */
export interface RepositorySettings extends NamedSetUp {
  /** the path as written, where `~` stands for the user's home */
  path: string;
}

const SET_UP_KEYS = ['set_up', 'after_failure'];
/** The maximum length of a command. Put a longer one into a script. */
const LONGEST_COMMAND = 4_000;
/** The maximum number of repositories, which is far more than one user works on. */
const MOST_REPOSITORIES = 500;

/**
 * Reads the `[[repositories]]` tables in config.toml. Their keys are `path`, `set_up`, and `after_failure`.
 * @param file the path of config.toml, for error messages
 * @throws CatalogueError invalid_setting, with the table and what is wrong with it
 */
export function readRepositories(value: unknown, file: string): RepositorySettings[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw refuse(file, 'repositories', 'must be tables: write [[repositories]]');
  if (value.length > MOST_REPOSITORIES)
    throw refuse(file, 'repositories', `has ${value.length} entries; the limit is ${MOST_REPOSITORIES}`);
  return value.map((one: unknown, index) => {
    const place = `repositories[${index}]`;
    const { path, ...fields } = fieldsOf(one);
    if (typeof path !== 'string' || !/^(\/|~\/)/.test(path))
      throw refuse(file, place, 'needs a path that begins with / or ~/');
    const named = readFields(fields, ['path', ...SET_UP_KEYS]);
    if ('problem' in named) throw refuse(file, place, named.problem);
    return { path, ...named };
  });
}

/** Reads the values in a repository's own file. @returns the values, or what is wrong with them */
export function readProjectSetUp(values: Readonly<Record<string, unknown>>): NamedSetUp | { problem: string } {
  const named = readFields(values, SET_UP_KEYS);
  return 'problem' in named || named.command !== '' ? named : { problem: 'set_up is empty' };
}

function readFields(
  fields: Readonly<Record<string, unknown>>,
  known: readonly string[],
): NamedSetUp | { problem: string } {
  const { set_up: command = null, after_failure: given = null } = fields;
  const unknown = Object.keys(fields).find((key) => !known.includes(key));
  if (unknown !== undefined) return { problem: `unknown key: ${unknown}; known are ${known.join(', ')}` };
  if (command !== null && (typeof command !== 'string' || command.length > LONGEST_COMMAND || command.includes('\0')))
    return { problem: `set_up must be a command of at most ${LONGEST_COMMAND} characters` };
  const afterFailure = AFTER_FAILURE.find((one) => one === given) ?? null;
  if (given !== null && afterFailure === null) return { problem: 'after_failure must be "stop" or "start"' };
  return { command, afterFailure };
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

const refuse = (file: string, place: string, reason: string): CatalogueError =>
  new CatalogueError('invalid_setting', `${file}: ${place}: ${reason}`, {
    hint: `Change or remove [[repositories]] in ${file}; docs/guides/worktrees.md has examples`,
  });
