import { join, resolve } from 'node:path';
import { type BudgetRule, readBudgets } from '../../core/budgets/index.ts';
import { resolveHome, resolveSettings, type SettingFlags, type SettingsFile } from '../../core/settings/index.ts';
import type { ScreenRule } from '../../core/status/index.ts';
import type { RepositorySettings } from '../../core/worktrees/index.ts';
import { CatalogueError, type ResolvedSetting, type Settings, settingVariable } from '../../protocol/index.ts';
import { readRegularFileNow } from '../files/regular-file.ts';

export interface SettingsRequest {
  flags: SettingFlags;
  environment: Readonly<Record<string, string | undefined>>;
  /** the absolute path against which relative paths are resolved */
  cwd: string;
  /** the absolute path that `~` stands for */
  userHome: string;
}

export interface ReadSettings {
  settings: Settings;
  /** each setting, together with its origin */
  rows: ResolvedSetting[];
  /** the user's own rules for reading the screen, strongest first */
  rules: ScreenRule[];
  /** how much sessions may spend */
  budgets: BudgetRule[];
}

/** `sun_path` in unix(7) has 108 bytes, including the terminating NUL. */
const MAX_SOCKET_PATH_BYTES = 107;

/**
 * Returns all settings on this machine, from flags, the environment, `$CBOS_HOME/config.toml`, and defaults. Writes
 * nothing; see `prepareHome`.
 * @throws CatalogueError invalid_setting, with line and column if config.toml is not valid TOML
 */
export async function readSettings(request: SettingsRequest): Promise<ReadSettings> {
  const sources = {
    flags: request.flags,
    environment: request.environment,
    toAbsolutePath: (path: string) => toAbsolute(path, request.cwd, request.userHome),
  };
  const home = resolveHome(sources);
  const path = join(home, 'config.toml');
  const values = await readSettingsFile(path);
  const file: SettingsFile | null = values && {
    path,
    values,
    toAbsolutePath: (relative) => toAbsolute(relative, home, request.userHome),
  };
  const resolved = resolveSettings({ ...sources, file });
  assertSocketFits(resolved.settings.socket);
  const rules = values?.rules === undefined ? [] : await readRules(values.rules, path);
  const budgets = values?.budgets === undefined ? [] : readBudgets(values.budgets, path);
  if (values?.repositories !== undefined) await checkRepositories(values.repositories, path);
  return { ...resolved, rules, budgets };
}

/**
 * Returns the current settings of repositories in config.toml, so that no one has to restart the server to change them.
 * Paths are absolute.
 * @throws CatalogueError invalid_setting
 */
export async function readRepositorySettings(home: string, userHome: string): Promise<RepositorySettings[]> {
  const path = join(home, 'config.toml');
  const values = await readSettingsFile(path);
  return (await checkRepositories(values?.repositories, path)).map((one) => ({
    ...one,
    path: toAbsolute(one.path, home, userHome),
  }));
}

/** The parser for repositories is loaded only if there are any, like the engine for rules. */
async function checkRepositories(repositories: unknown, path: string): Promise<RepositorySettings[]> {
  const { readRepositories } = await import('../../core/worktrees/read-set-up.ts');
  return readRepositories(repositories, path);
}

/**
 * Reads the user's rules. The engine for the patterns in the rules is loaded only if there are any rules, because it is
 * as large as everything else that `cbos ls` loads.
 */
async function readRules(rules: unknown, path: string): Promise<ScreenRule[]> {
  const { readUserRules } = await import('../../core/status/user-rules.ts');
  return readUserRules(rules, path);
}

/** Expands only `~` and `~/…`. Expanding another user's home is left to the shell, as in other programs. */
function toAbsolute(path: string, base: string, userHome: string): string {
  if (path === '~' || path.startsWith('~/')) return join(userHome, path.slice(1));
  return resolve(base, path);
}

/**
 * The maximum size of a settings file. Settings and rules take a few kilobytes, and reading a pipe or a device would
 * never end.
 */
const MOST_BYTES = 1_000_000;

/** Reads the settings file. Returns null if it does not exist. */
async function readSettingsFile(path: string): Promise<Record<string, unknown> | null> {
  let text: string | null;
  try {
    text = readRegularFileNow(path, { mostBytes: MOST_BYTES });
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code;
    if (code === 'ENOENT') return null;
    throw new CatalogueError('invalid_setting', `${path} cannot be read (${code})`, {
      hint: `Make the file readable, or remove it`,
      cause,
    });
  }
  if (text === null) {
    throw new CatalogueError('invalid_setting', `${path} isn't a file, or is longer than ${MOST_BYTES} bytes`, {
      hint: `Make the file readable, or remove it`,
    });
  }
  // The parser is loaded only if the file exists.
  const { parse, TomlError } = await import('smol-toml');
  try {
    return parse(text);
  } catch (cause) {
    if (!(cause instanceof TomlError)) throw cause;
    const [reason] = cause.message.replace('Invalid TOML document: ', '').split('\n');
    throw new CatalogueError('invalid_setting', `${path}, line ${cause.line}, column ${cause.column}: ${reason}`, {
      hint: 'https://toml.io describes the format; strings need quotes, as in key = "value"',
      cause,
    });
  }
}

function assertSocketFits(socket: string): void {
  const bytes = Buffer.byteLength(socket);
  if (bytes <= MAX_SOCKET_PATH_BYTES) return;
  throw new CatalogueError(
    'invalid_setting',
    `The path of the local socket, ${socket}, has ${bytes} bytes; the system allows at most ${MAX_SOCKET_PATH_BYTES}`,
    { hint: `Set ${settingVariable('socket')} to a shorter path` },
  );
}
