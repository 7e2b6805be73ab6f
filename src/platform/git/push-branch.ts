import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CatalogueError } from '../../protocol/index.ts';
import { personEnvironment } from '../forge/person-environment.ts';
import { runProgram } from '../process/index.ts';
import { type Environment, findGit } from './git-environment.ts';
import { makeDirectory } from './own-git-dir.ts';

export interface Push {
  /** the git directory that contains the commit */
  commonDir: string;
  /** the address of the remote */
  address: string;
  commit: string;
  branch: string;
  /** the object format of the repository, which is SHA-1 or SHA-256 */
  objectFormat: string;
  /** the folder in which our own git directory is created, to which only this program writes */
  scratchDir: string;
  /** the environment of the server itself */
  environment: Environment;
  signal: AbortSignal;
}

/** How long a push may take. The first push of a large branch over a slow connection takes minutes. */
const TIMEOUT_MS = 300_000;
const MOST_SAID_CHARS = 600;

/**
 * Pushes a commit as a branch on behalf of the user, and never by force. git runs in our own git directory, which only
 * borrows the repository's objects. The user's own configuration applies (credentials, SSH, proxies). Nothing that the
 * repository configures (hooks, helpers, transports) runs or receives data.
 * @throws CatalogueError push_refused, git_not_found, and the file system's error if the disk is full
 */
export async function pushBranch(push: Push): Promise<void> {
  const { commonDir, address, commit, branch, objectFormat, scratchDir, environment, signal } = push;
  await makeDirectory(scratchDir);
  const dir = await mkdtemp(join(scratchDir, 'push-'));
  try {
    for (const name of ['refs', 'objects', 'objects/info']) await mkdir(join(dir, name));
    const format = objectFormat === 'sha1' ? '' : `[extensions]\n\tobjectformat = ${objectFormat}\n`;
    await Promise.all([
      writeFile(join(dir, 'HEAD'), 'ref: refs/heads/none\n'),
      writeFile(
        join(dir, 'config'),
        `[core]\n\trepositoryformatversion = ${format === '' ? 0 : 1}\n\tbare = true\n\thooksPath = /dev/null\n${format}`,
      ),
      writeFile(join(dir, 'objects/info/alternates'), `${join(commonDir, 'objects')}\n`),
      // The oldest commits that a shallow clone contains.
      copyFile(join(commonDir, 'shallow'), join(dir, 'shallow')).catch(() => undefined),
    ]);
    const env = { ...personEnvironment(environment), GIT_DIR: dir, GIT_ALLOW_PROTOCOL: 'https:ssh' };
    const words = ['-c', 'core.hooksPath=/dev/null', '-c', 'push.recurseSubmodules=no', 'push', '--porcelain'];
    const args = [...words, '--no-verify', '--end-of-options', address, `${commit}:refs/heads/${branch}`];
    const ran = await runProgram(findGit(environment), args, { env, timeoutMs: TIMEOUT_MS, cwd: dir, signal });
    if (ran.code === 0) return;
    throw new CatalogueError('push_refused', `git did not push ${branch}: ${reasonIn(ran)}`);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/**
 * In the `--porcelain` output, a line with `!` gives the reason why the branch was refused. If there is no such line,
 * git's message gives the reason.
 */
function reasonIn({ outcome, stdout, stderr }: Awaited<ReturnType<typeof runProgram>>): string {
  if (outcome === 'timed_out') return 'there was no answer';
  const refused = stdout.split('\n').find((line) => line.startsWith('!'));
  const said = stderr
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('hint:') && !line.startsWith('error: failed to push'));
  const reason = [refused?.split('\t').at(-1) ?? '', ...said.slice(-3)].filter(Boolean).join('; ');
  return withoutPasswords(reason).slice(0, MOST_SAID_CHARS) || 'git gave no reason';
}

/** git repeats the address in its message, and the address may contain a password. */
function withoutPasswords(text: string): string {
  return text.replaceAll(/\/\/[^/@\s]+@/g, '//');
}
