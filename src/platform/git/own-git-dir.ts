import { constants } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readRegularFile } from '../files/regular-file.ts';
import { type GitCall, type GitContext, readGit } from './read-git.ts';
import type { WorkingTree } from './working-tree.ts';

/**
 * A git directory of our own for someone else's working tree, with a copy of its index and without its configuration.
 * With this directory, git writes nothing into the repository and takes no lock that the session's own git might wait
 * for. Whatever the repository's configuration and attributes say, git runs no filter, `textconv`, external diff, or
 * hook. Objects are read from the repository.
 */
export interface OwnGitDir {
  /** how to call git so that it reads the working tree */
  call: GitContext;
  /** the hash that names the repository's objects */
  objectFormat: 'sha1' | 'sha256';
  dispose(): Promise<void>;
}

export interface OwnGitDirOptions {
  repository: WorkingTree;
  /** the folder in which the directory is created, to which only this program writes */
  scratchDir: string;
  /** how to call git so that it reads the repository's own configuration */
  call: Pick<GitCall, 'env' | 'signal'>;
  /** the user's home, to which `~` in `core.excludesFile` refers */
  userHome: string;
}

/**
 * The settings that git needs to read the files in the same way as the repository does. All their values consist of
 * letters, digits, and `-`.
 */
const KEPT_SETTINGS: readonly string[] = [
  'core.autocrlf',
  'core.eol',
  'core.filemode',
  'core.ignorecase',
  'core.symlinks',
  'core.sparsecheckout',
  'core.sparsecheckoutcone',
  'extensions.objectformat',
  'index.sparse',
];

/**
 * The settings that every git directory of our own has. They ensure that no program runs, that large files are not
 * compared line by line, and that git writes nothing that the next call does not need.
 */
export const SAFE_SETTINGS = `[core]
\tbare = false
\tbigFileThreshold = 8m
\tquotePath = false
\tfsmonitor = false
\tsplitIndex = false
\tuntrackedCache = false
\thooksPath = /dev/null
[gc]
\tauto = 0
[diff]
\trenameLimit = 1000
`;

/**
 * Returns a call that uses a repository's files with the git directory `dir`. Only the configuration in that directory
 * applies.
 */
export function callWith<Call extends Pick<GitCall, 'env'>>(dir: string, { root }: WorkingTree, call: Call) {
  const { HOME: _, XDG_CONFIG_HOME: __, ...env } = call.env;
  return {
    ...call,
    cwd: root,
    env: {
      ...env,
      HOME: dir,
      GIT_DIR: dir,
      GIT_WORK_TREE: root,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_ATTR_NOSYSTEM: '1',
    },
  };
}

/** The maximum size of a list of ignored files that is read. */
const MOST_RULES_BYTES = 1024 * 1024;
/** The maximum size of an index. An index of a million files takes a tenth of this. */
const MOST_INDEX_BYTES = 1024 ** 3;

/**
 * The parent must exist already. If the home was removed while the server was running, it must not reappear as an empty
 * one.
 */
export async function makeDirectory(path: string): Promise<void> {
  await mkdir(path, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
}

/** @throws CatalogueError git_failed, and the file system's error if the disk is full */
export async function makeOwnGitDir(options: OwnGitDirOptions): Promise<OwnGitDir> {
  const { repository, scratchDir, call, userHome } = options;
  await makeDirectory(scratchDir);
  const dir = await mkdtemp(join(scratchDir, 'compare-'));
  const dispose = () => rm(dir, { recursive: true, force: true });
  try {
    const settings = await readSettings(repository, call);
    for (const name of ['refs', 'objects', 'objects/info', 'info']) await mkdir(join(dir, name));
    await Promise.all([
      writeFile(join(dir, 'HEAD'), `${repository.head ?? 'ref: refs/heads/none'}\n`),
      writeFile(join(dir, 'config'), ownConfig(settings)),
      writeFile(join(dir, 'objects/info/alternates'), `${join(repository.commonDir, 'objects')}\n`),
      writeFile(join(dir, 'info/exclude'), await ignoreRules({ repository, settings, userHome, env: call.env })),
      copyText(join(repository.commonDir, 'info/attributes'), join(dir, 'info/attributes')),
      copyText(join(repository.gitDir, 'info/sparse-checkout'), join(dir, 'info/sparse-checkout')),
      copyIndex(repository.gitDir, dir),
    ]);
    const objectFormat = settings.get('extensions.objectformat') === 'sha256' ? 'sha256' : 'sha1';
    return { call: callWith(dir, repository, call), objectFormat, dispose };
  } catch (cause) {
    await dispose();
    throw cause;
  }
}

export type Settings = ReadonlyMap<string, string>;

/** Returns all settings, keyed by their lower-case names. If a setting has several values, the last one counts. */
export async function readSettings({ root }: WorkingTree, call: OwnGitDirOptions['call']): Promise<Settings> {
  const { stdout } = await readGit(['config', '-z', '--list'], { ...call, cwd: root });
  const entries = stdout.toString('utf8').split('\0').slice(0, -1);
  return new Map(
    entries.map((entry) => {
      const end = entry.indexOf('\n');
      return end === -1 ? [entry.toLowerCase(), 'true'] : [entry.slice(0, end).toLowerCase(), entry.slice(end + 1)];
    }),
  );
}

function ownConfig(settings: Settings): string {
  const kept = KEPT_SETTINGS.flatMap((name) => {
    const value = settings.get(name);
    const [section, key] = name.split('.');
    return value !== undefined && /^[A-Za-z0-9-]+$/.test(value) ? [`[${section}]\n\t${key} = ${value}\n`] : [];
  });
  const version = settings.has('extensions.objectformat') ? 1 : 0;
  // With this, git reports a missing object as not downloaded, and not as an unreadable one.
  const isPartial = [...settings].some(([name, value]) => name.endsWith('.promisor') && value === 'true');
  const promisor = isPartial ? '[remote "origin"]\n\tpromisor = true\n' : '';
  return `${kept.join('')}${promisor}[core]\n\trepositoryformatversion = ${version}\n${SAFE_SETTINGS}\tignoreSubmodules = dirty\n`;
}

/**
 * Returns the user's own list of ignored files, followed by that of the repository. The later list takes precedence.
 */
export async function ignoreRules(options: {
  repository: WorkingTree;
  settings: Settings;
  userHome: string;
  env: GitCall['env'];
}): Promise<string> {
  const { repository, settings, userHome, env } = options;
  const named = settings.get('core.excludesfile')?.replace(/^~(?=\/)/, userHome);
  const usual = join(env.XDG_CONFIG_HOME ?? join(userHome, '.config'), 'git/ignore');
  const files = [named ?? usual, join(repository.commonDir, 'info/exclude')];
  const rules = await Promise.all(files.map((file) => (file.startsWith('/') ? readText(file) : '')));
  return rules.map((text) => `${text}\n`).join('');
}

/**
 * Copies the index. git may write the index at any moment, but always replaces the whole file, so a copy is consistent.
 * The copy gets a slightly earlier date, because git treats a file that is older than the index as unchanged. If the
 * dates were the same, a file that changes at this very moment would not be compared.
 */
async function copyIndex(gitDir: string, dir: string): Promise<void> {
  const from = join(gitDir, 'index');
  const to = join(dir, 'index');
  const stats = await stat(from).catch(() => null);
  if (stats === null || !stats.isFile() || stats.size > MOST_INDEX_BYTES) return;
  await copyFile(from, to, constants.COPYFILE_FICLONE);
  const back = Math.floor(stats.mtimeMs - 1) / 1_000;
  await utimes(to, back, back);
  // If the index is split in two, the larger part is in a file next to it.
  const shared = (await readdir(gitDir)).filter((name) => /^sharedindex\.[0-9a-f]+$/.test(name));
  await Promise.all(shared.map((name) => copyFile(join(gitDir, name), join(dir, name), constants.COPYFILE_FICLONE)));
}

async function copyText(from: string, to: string): Promise<void> {
  const text = await readText(from);
  if (text !== '') await writeFile(to, text);
}

/** Returns the text of a file, or an empty string if the file does not exist or cannot be read. */
async function readText(path: string): Promise<string> {
  return (await readRegularFile(path, { mostBytes: MOST_RULES_BYTES }).catch(() => null)) ?? '';
}
