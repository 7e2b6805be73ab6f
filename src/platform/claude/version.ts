import { execFile } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { CatalogueError } from '../../protocol/index.ts';

/** A version of Claude Code, such as 2.1.329. */
export interface ClaudeVersion {
  major: number;
  minor: number;
  patch: number;
}

/**
 * Parses a string such as `2.1.329 (Claude Code)` into the numbers of the version. Returns null if the string does not
 * begin with a version.
 */
export function parseClaudeVersion(text: string): ClaudeVersion | null {
  const match = /^\s*(\d+)\.(\d+)\.(\d+)/.exec(text);
  if (match === null) return null;
  return { major: Number(match[1]), minor: Number(match[2]), patch: Number(match[3]) };
}

export function formatClaudeVersion(version: ClaudeVersion): string {
  return `${version.major}.${version.minor}.${version.patch}`;
}

/** Reports whether `version` is `floor` or newer. `floor` is a string such as `2.0.77`. */
export function isAtLeast(version: ClaudeVersion, floor: string): boolean {
  const other = parseClaudeVersion(floor);
  if (other === null) throw new Error(`no version: ${floor}`);
  return (version.major - other.major || version.minor - other.minor || version.patch - other.patch) >= 0;
}

function isExecutableFile(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/**
 * Finds the Claude Code executable as a shell would. A command that contains a slash is a path, and anything else is
 * looked up in PATH.
 * @returns the absolute path
 * @throws CatalogueError claude_not_found
 */
export function resolveClaude(command: string, path: string): string {
  const candidates = command.includes('/')
    ? [resolve(command)]
    : path.split(delimiter).flatMap((directory) => (directory === '' ? [] : [join(directory, command)]));
  const found = candidates.find(isExecutableFile);
  if (found === undefined) {
    throw new CatalogueError('claude_not_found', `The Claude Code command ${JSON.stringify(command)} was not found`);
  }
  return found;
}

/**
 * How long to wait for the executable to report its version. Claude Code answers in 0.1 to 0.4 s (2.1.329), or later on
 * a machine under load, and a wrong executable may never answer.
 */
const VERSION_TIMEOUT_MS = 20_000;

const run = promisify(execFile);
const known = new Map<string, Promise<ClaudeVersion>>();

/**
 * Asks an executable for its version. The answer is cached until the file changes, as happens in an update in place.
 * @param program the absolute path of the executable; see `resolveClaude`
 * @param env the complete environment in which the executable runs
 * @throws CatalogueError launch_failed if the executable reports no version
 */
export async function claudeVersion(program: string, env: Readonly<Record<string, string>>): Promise<ClaudeVersion> {
  const { mtimeMs, size, ino } = statSync(program);
  const key = `${program}\0${mtimeMs}\0${size}\0${ino}`;
  const earlier = known.get(key);
  if (earlier !== undefined) return earlier;
  const asked = askVersion(program, env);
  known.set(key, asked);
  // The failure may be temporary, so the next call asks again.
  asked.catch(() => known.delete(key));
  return asked;
}

async function askVersion(program: string, env: Readonly<Record<string, string>>): Promise<ClaudeVersion> {
  let output: string;
  try {
    ({ stdout: output } = await run(program, ['--version'], { env: { ...env }, timeout: VERSION_TIMEOUT_MS }));
  } catch (cause) {
    throw new CatalogueError('launch_failed', `${program} --version failed`, { cause });
  }
  const version = parseClaudeVersion(output);
  if (version === null) {
    throw new CatalogueError('launch_failed', `${program} isn't Claude Code: its version is ${JSON.stringify(output)}`);
  }
  return version;
}
