import { mkdir, readdir, readFile, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isThere, listWorktrees } from './repository.ts';
import { type GitPlace, runGit } from './run-git.ts';

/** Because of this file, git ignores the folder even where the worktree's own place is not ignored. */
const NOTE = '.gitignore';
const NOTE_TEXT = '# CBOS is deleting this folder. Its files were saved: see `cbos recover`.\n*\n';
/** The name is unique because session names do not contain dots. */
const NAME = /^\.(.+)\.finished-[0-9a-z]+$/;

/** Moves a worktree whose files have been saved into a folder of its own, where it is no longer a worktree. */
export async function setAside(path: string): Promise<void> {
  const aside = join(dirname(path), `.${basename(path)}.finished-${Date.now().toString(36)}`);
  await mkdir(aside);
  await writeFile(join(aside, NOTE), NOTE_TEXT);
  // The worktree disappears in this single step.
  await rename(path, join(aside, basename(path)));
}

/**
 * Removes worktrees that were set aside from git's list, and deletes their folders. If the server is killed during
 * this, calling this function again completes it.
 * @param place the main checkout
 * @param folder the folder that contained the worktrees
 * @param only the name of a single worktree, or null for all
 * @returns the folders that were deleted, and those that could not be (a file in one may belong to another user)
 */
export async function deleteAsides(
  place: GitPlace,
  folder: string,
  only: string | null,
): Promise<{ deleted: string[]; left: string[] }> {
  const deleted: string[] = [];
  const left: string[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    const aside = join(folder, entry.name);
    const [, name] = NAME.exec(entry.name) ?? [];
    // A link could lead to any folder.
    if (name === undefined || (only !== null && name !== only) || !entry.isDirectory()) continue;
    if (!(await isOurs(aside))) continue;
    await unlist(place, join(folder, name));
    const isLeft = await deleteAside(aside).then(
      () => false,
      // Another server may have deleted the folder at the same time.
      () => isThere(aside),
    );
    (isLeft ? left : deleted).push(aside);
  }
  return { deleted, left };
}

/** Somebody may have created a folder with such a name. */
async function isOurs(aside: string): Promise<boolean> {
  const note = await readFile(join(aside, NOTE), 'utf8').catch(() => null);
  return note === NOTE_TEXT || (note === null && (await readdir(aside).catch(() => [aside])).length === 0);
}

/** git removes a worktree from its list if the worktree's folder no longer exists. */
export async function unlist(place: GitPlace, path: string): Promise<void> {
  if ((await isThere(path)) || !(await listWorktrees(place)).some((one) => one.path === path)) return;
  await runGit(['worktree', 'remove', '--force', '--', path], place);
}

/** Deletes the note last, because a killed deletion must leave the folder recognizable and ignored. */
async function deleteAside(aside: string): Promise<void> {
  const names = (await readdir(aside)).filter((name) => name !== NOTE);
  for (const name of names) await rm(join(aside, name), { recursive: true, force: true });
  await rm(join(aside, NOTE), { force: true });
  await rmdir(aside);
}
