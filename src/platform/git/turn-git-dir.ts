import { createHash } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { callWith, ignoreRules, makeDirectory, readSettings, SAFE_SETTINGS } from './own-git-dir.ts';
import type { GitCall, GitContext } from './read-git.ts';
import { AS_THEY_ARE } from './restore-work.ts';
import type { WorkingTree } from './working-tree.ts';

/**
 * A separate git directory for the checkpoints of one working tree. This directory is kept, because its index remembers
 * which files have been read, so the next checkpoint reads only files that have changed since then. Its configuration
 * specifies no programs, and its attributes override those of the repository, so git stores the exact bytes of each
 * file. New objects go into the repository, where a ref keeps them.
 */
export interface TurnGitDir {
  dir: string;
  repository: WorkingTree;
  /** how to call git with our index and our configuration */
  call: GitContext;
  /** how to call git with the repository's own index; use it only for commands that read no file in the working tree */
  theirs: GitContext;
}

export interface TurnGitDirOptions {
  repository: WorkingTree;
  /** the folder that contains the git directories of all working trees, to which only this program writes */
  parent: string;
  call: Pick<GitCall, 'env' | 'signal'>;
  /** the user's home, to which `~` in `core.excludesFile` refers */
  userHome: string;
}

/**
 * Files are stored exactly as they are on this system. Loose objects are compressed only lightly, because `git gc`
 * later compresses them thoroughly.
 */
const OWN_SETTINGS = `${SAFE_SETTINGS}\tignoreSubmodules = all
[core]
\tfilemode = true
\tsymlinks = true
\tignorecase = false
\tprotectNTFS = false
\tprotectHFS = false
\tlooseCompression = 1
`;

/** @throws CatalogueError git_failed, and the file system's error if the disk is full */
export async function openTurnGitDir(options: TurnGitDirOptions): Promise<TurnGitDir> {
  const { repository, parent, call, userHome } = options;
  await makeDirectory(parent);
  const key = createHash('sha256').update(`${repository.root}\0${repository.gitDir}`).digest('hex').slice(0, 32);
  const dir = join(parent, key);
  const settings = await readSettings(repository, call);
  for (const name of ['', 'refs', 'objects', 'info']) await mkdir(join(dir, name), { recursive: true, mode: 0o700 });
  // A killed server may have left the lock behind. Nothing else writes this index.
  await rm(join(dir, 'index.lock'), { force: true });
  const format = settings.get('extensions.objectformat');
  const isSha256 = format?.toLowerCase() === 'sha256';
  const extensions = isSha256 ? '[extensions]\n\tobjectFormat = sha256\n' : '';
  await Promise.all([
    writeFile(join(dir, 'HEAD'), `${repository.head ?? 'ref: refs/heads/none'}\n`),
    writeFile(
      join(dir, 'config'),
      `[core]\n\trepositoryformatversion = ${isSha256 ? 1 : 0}\n${OWN_SETTINGS}${extensions}`,
    ),
    writeFile(join(dir, 'info/attributes'), AS_THEY_ARE),
    writeFile(join(dir, 'info/exclude'), await ignoreRules({ repository, settings, userHome, env: call.env })),
  ]);
  const { env, ...own } = callWith(dir, repository, call);
  return {
    dir,
    repository,
    theirs: { ...call, cwd: repository.root },
    call: { ...own, env: { ...env, GIT_OBJECT_DIRECTORY: join(repository.commonDir, 'objects') } },
  };
}

/** Forgets which files have been read, so that the next checkpoint reads every file again. */
export async function forgetRead({ dir }: Pick<TurnGitDir, 'dir'>): Promise<void> {
  await rm(join(dir, 'index'), { force: true });
}
