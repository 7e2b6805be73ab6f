import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { CatalogueError } from '../../protocol/index.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The variables in the server's environment that are passed to git. They contain the location of the user's own
 * configuration, and the user's identity. None of them specifies a program (`GIT_SSH_COMMAND`, `GIT_EXTERNAL_DIFF`), a
 * repository (`GIT_DIR`), or a trace file.
 */
const ALLOWED: readonly string[] = [
  'HOME',
  'XDG_CONFIG_HOME',
  'USER',
  'LOGNAME',
  'EMAIL',
  'TMPDIR',
  'GIT_CONFIG_GLOBAL',
  'GIT_CONFIG_SYSTEM',
  'GIT_CONFIG_NOSYSTEM',
  'GIT_AUTHOR_NAME',
  'GIT_AUTHOR_EMAIL',
  'GIT_COMMITTER_NAME',
  'GIT_COMMITTER_EMAIL',
];

/**
 * A program that does nothing and fails. It replaces every program that git would run to prompt, sign, connect, or
 * edit.
 */
const REFUSE = 'false';

/**
 * Variables that are always set. They prevent prompts and network access, keep commands that only read from taking
 * locks, and make git take file names literally.
 */
const FIXED: Readonly<Record<string, string>> = {
  LC_ALL: 'C',
  GIT_TERMINAL_PROMPT: '0',
  GIT_ASKPASS: REFUSE,
  SSH_ASKPASS: REFUSE,
  GIT_SSH_COMMAND: REFUSE,
  GIT_PROXY_COMMAND: REFUSE,
  GIT_EDITOR: REFUSE,
  GIT_SEQUENCE_EDITOR: REFUSE,
  GIT_PAGER: 'cat',
  // With an empty list, no transport is allowed, not even one to a local path.
  GIT_ALLOW_PROTOCOL: '',
  GIT_NO_LAZY_FETCH: '1',
  GIT_LFS_SKIP_SMUDGE: '1',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_LITERAL_PATHSPECS: '1',
  GIT_ATTR_NOSYSTEM: '1',
};

/**
 * Repository settings that specify a program, or that make a command run one. The values given here override those in
 * the repository's configuration file.
 */
const HARMLESS: readonly (readonly [key: string, value: string])[] = [
  ['core.hooksPath', '/dev/null'],
  ['core.fsmonitor', 'false'],
  ['core.pager', 'cat'],
  ['core.askPass', REFUSE],
  ['core.editor', REFUSE],
  ['core.sshCommand', REFUSE],
  ['core.gitProxy', REFUSE],
  ['core.alternateRefsCommand', REFUSE],
  ['core.quotePath', 'false'],
  ['credential.helper', ''],
  ['protocol.allow', 'never'],
  ['safe.bareRepository', 'explicit'],
  ['submodule.recurse', 'false'],
  ['fetch.recurseSubmodules', 'false'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['log.showSignature', 'false'],
  ['merge.verifySignatures', 'false'],
  ['merge.default', 'text'],
  ['commit.gpgSign', 'false'],
  ['tag.gpgSign', 'false'],
  ['gpg.program', REFUSE],
  ['gpg.openpgp.program', REFUSE],
  ['gpg.ssh.program', REFUSE],
  ['gpg.x509.program', REFUSE],
  ['gpg.ssh.defaultKeyCommand', REFUSE],
];

/** What replaces each driver in the repository's configuration. It runs nothing. */
const HARMLESS_DRIVERS: Readonly<Record<string, readonly (readonly [key: string, value: string])[]>> = {
  filter: [
    ['clean', ''],
    ['smudge', ''],
    ['process', ''],
    ['required', 'false'],
  ],
  // A driver that fails causes a conflict, so that no merge silently uses rules other than those of the repository.
  merge: [
    ['driver', REFUSE],
    ['recursive', 'text'],
  ],
  // This is in addition to `--no-ext-diff` and `--no-textconv`, which CBOS passes to every command that shows a
  // difference.
  diff: [['cachetextconv', 'false']],
  // Hooks can be defined in the configuration (git 2.54), in addition to hooks in files.
  hook: [
    ['command', REFUSE],
    ['enabled', 'false'],
  ],
};

/** Matches configuration keys that define drivers, such as `filter.lfs.clean`. */
export const DRIVER_KEYS = '^(filter|merge|diff|hook)\\..*\\.';

/**
 * Returns the environment in which git runs.
 * @param driverKeys the keys in the repository's configuration that match `DRIVER_KEYS`
 */
export function gitEnvironment(base: Environment, driverKeys: readonly string[]): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const name of ALLOWED) {
    const value = base[name];
    if (value !== undefined) environment[name] = value;
  }
  const settings = [...HARMLESS, ...harmlessDrivers(driverKeys)];
  // The settings are passed in numbered variables instead of with `-c`, because a driver's name may contain `=`, and
  // `-c` ends the key at the first `=`.
  settings.forEach(([key, value], index) => {
    environment[`GIT_CONFIG_KEY_${index}`] = key;
    environment[`GIT_CONFIG_VALUE_${index}`] = value;
  });
  return {
    ...environment,
    ...FIXED,
    PATH: absolutePath(base.PATH).join(delimiter),
    GIT_CONFIG_COUNT: String(settings.length),
  };
}

function harmlessDrivers(keys: readonly string[]): (readonly [string, string])[] {
  const drivers = new Set(keys.map((key) => key.slice(0, key.lastIndexOf('.'))));
  return [...drivers].flatMap((driver) => {
    const kind = driver.slice(0, driver.indexOf('.'));
    return (HARMLESS_DRIVERS[kind] ?? []).map(([key, value]) => [`${driver}.${key}`, value] as const);
  });
}

/**
 * Returns PATH without relative entries, which would lead to programs in the repository when git runs in the
 * repository's folder.
 */
function absolutePath(path: string | undefined): string[] {
  return (path ?? '').split(delimiter).filter(isAbsolute);
}

/** Returns the absolute path of the git found in PATH. @throws CatalogueError git_not_found */
export function findGit(base: Environment): string {
  const found = absolutePath(base.PATH)
    .map((directory) => join(directory, 'git'))
    .find(isExecutableFile);
  if (found === undefined) throw new CatalogueError('git_not_found', 'git was not found');
  return found;
}

function isExecutableFile(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
