import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CatalogueError } from '../../protocol/index.ts';
import { shellWord } from '../../text/shell-word.ts';
import { includedRepositories } from './include-files.ts';
import { byteNamesIn, bytePath, isThere, textOf } from './repository.ts';
import { askGit, type GitPlace, runGit, tryGit } from './run-git.ts';
import { listUntracked } from './snapshot-files.ts';

const SUBMODULE = '160000 ';
/** Below a worktree's git directory, git keeps the repositories of the worktree's submodules here. */
const MODULES = 'modules';

/**
 * Refuses a worktree that contains another repository. CBOS saves a worktree's files, but not the commits of other
 * repositories.
 * @param place the worktree
 * @param root the main checkout
 * @throws CatalogueError worktree_nested, worktree_submodules, git_failed
 */
export async function requireNoInnerRepository(place: GitPlace, root: string): Promise<void> {
  await listUntracked(place);
  const [included] = [...(await includedRepositories(place, root)), ...(await includedRepositories(place, place.cwd))];
  if (included !== undefined) throw separateRepository(join(place.cwd, textOf(included)));
  const folders = new Set<string>();
  for (const line of byteNamesIn(await runGit(['ls-files', '-z', '--stage'], place))) {
    const name = line.slice(line.indexOf('\t') + 1);
    if (line.startsWith(SUBMODULE)) await requireNoSubmodule(place.cwd, textOf(name));
    for (let above = dirname(name); above !== '.' && !folders.has(above); above = dirname(above)) folders.add(above);
  }
  // git lists the files that it tracks in such a folder as files of the worktree.
  for (const folder of folders) {
    if (await isThere(bytePath(place.cwd, `${folder}/.git`))) throw separateRepository(join(place.cwd, textOf(folder)));
  }
  const gitDir = await askGit(['rev-parse', '--absolute-git-dir'], place);
  await requirePushed(place, join(gitDir, MODULES));
}

function separateRepository(path: string): CatalogueError {
  return new CatalogueError('worktree_nested', `${path} is a separate repository`);
}

async function requireNoSubmodule(path: string, name: string): Promise<void> {
  const submodule = join(path, name);
  if (!(await isThere(join(submodule, '.git')))) return;
  throw new CatalogueError('worktree_submodules', `${submodule} is a submodule with its own repository`, {
    hint: `Push its commits, then run \`git -C ${shellWord(path)} submodule deinit ${shellWord(submodule)}\`; nothing was changed`,
  });
}

/**
 * Looks for commits that are in no remote branch in the repositories that `git submodule deinit` leaves behind. These
 * repositories disappear with the worktree.
 */
async function requirePushed(place: GitPlace, dir: string): Promise<void> {
  const entries = await readdir(dir, { withFileTypes: true }).catch(() => []);
  if (!entries.some(({ name }) => name === 'HEAD')) {
    for (const entry of entries) if (entry.isDirectory()) await requirePushed(place, join(dir, entry.name));
    return;
  }
  const words = ['rev-list', '--max-count=1', '--all', '--reflog', '--not', '--remotes'];
  const found = await tryGit(words, { ...place, variables: { GIT_DIR: dir } });
  if (found.code !== 0 || found.stdout.length > 0) {
    throw new CatalogueError('worktree_submodules', `${dir} has commits of a submodule that are in no remote branch`, {
      hint: 'Push the commits, or delete that folder if you do not need them; nothing was changed',
    });
  }
  await requirePushed(place, join(dir, MODULES));
}
