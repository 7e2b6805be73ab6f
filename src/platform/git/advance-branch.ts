import { CatalogueError } from '../../protocol/index.ts';
import { someNames } from '../../text/name-list.ts';
import { requireNoLock } from './git-locks.ts';
import type { MergePlan } from './merge-branch.ts';
import {
  byteNamesIn,
  bytePath,
  commitOf,
  isThere,
  listWorktrees,
  requireNoOperation,
  textOf,
  uncommittedFiles,
} from './repository.ts';
import { type GitPlace, gitFailed, runGit, tryGit } from './run-git.ts';

/**
 * Refuses a merge if the base is checked out somewhere and updating the files there could lose something.
 * @throws CatalogueError checkout_dirty, checkout_filtered, operation_in_progress, git_locked
 */
export async function requireAdvanceable(place: GitPlace, { base, from, to }: MergePlan): Promise<void> {
  if (from === to) return;
  await requireNoLock(place, [`refs/heads/${base}`, 'packed-refs']);
  const checkout = await checkoutOf(place, base);
  if (checkout === null) return;
  await requireNoLock({ ...place, cwd: checkout }, ['index', 'HEAD']);
  const here = { ...place, cwd: checkout };
  await requireNoOperation(here);
  const files = await uncommittedFiles(here, 'no');
  if (files.length > 0) throw dirty({ base, checkout, what: 'has changes', files });
  const change = (...flags: string[]): Promise<Buffer> =>
    runGit(['diff-tree', '-r', '-z', '--name-only', '--no-renames', ...flags, from, to], here);
  const added = byteNamesIn(await change('--diff-filter=A'));
  const there = await Promise.all(added.map((name) => isThere(bytePath(checkout, name))));
  // git does not track these files (some may even be ignored), so no one could restore them.
  const inTheWay = added.filter((_, index) => there[index]).map(textOf);
  if (inTheWay.length > 0) throw dirty({ base, checkout, what: 'has files that block the merge', files: inTheWay });
  await requireNoFilter(here, base, await change());
}

/**
 * Without filters, git would check out the pointer of a large file instead of the file, or a file in its encrypted
 * form.
 */
async function requireNoFilter(here: GitPlace, base: string, names: Buffer): Promise<void> {
  const asked = await runGit(['check-attr', '-z', '--stdin', 'filter'], { ...here, input: names });
  const words = asked.toString('utf8').split('\0');
  const files = words.filter((_, index) => index % 3 === 0 && isFilter(words[index + 2]));
  if (files.length === 0) return;
  throw new CatalogueError(
    'checkout_filtered',
    `${here.cwd}, where ${base} is checked out, filters ${someNames(files)}`,
    {
      extra: { files, checkout: here.cwd },
    },
  );
}

const isFilter = (value: string | undefined): boolean =>
  value !== undefined && !['unspecified', 'unset', ''].includes(value);

function dirty(said: { base: string; checkout: string; what: string; files: readonly string[] }): CatalogueError {
  const { base, checkout, what, files } = said;
  const message = `${checkout}, where ${base} is checked out, ${what}: ${someNames(files)}`;
  return new CatalogueError('checkout_dirty', message, { extra: { files: [...files], checkout } });
}

/** Returns the folder in which a branch is checked out, or null if it is checked out nowhere. */
export async function checkoutOf(place: GitPlace, base: string): Promise<string | null> {
  const found = (await listWorktrees(place)).find(({ branch }) => branch === base);
  return found !== undefined && (await isThere(found.path)) ? found.path : null;
}

/**
 * Moves the base to the planned commit. If the base is checked out, the checkout is fast-forwarded. A commit that
 * someone else has added since the merge was planned is never lost.
 * @throws CatalogueError everything that `requireAdvanceable` throws, git_failed
 */
export async function advanceBranch(place: GitPlace, plan: MergePlan): Promise<void> {
  const { base, from, to } = plan;
  if (from === to) return;
  await requireAdvanceable(place, plan);
  const checkout = await checkoutOf(place, base);
  if (checkout === null) {
    await runGit(['update-ref', '-m', 'cbos finish', `refs/heads/${base}`, to, from], place);
    return;
  }
  const args = ['merge', '--quiet', '--ff-only', '--no-overwrite-ignore', '--no-autostash', to];
  const here = { ...place, cwd: checkout };
  const merged = await tryGit(args, here);
  if (merged.code === 0) return;
  // git updates the index and the files before the branch. If it could not move the branch, they are moved back. A
  // file that somebody has changed since stops this command before it changes anything.
  if ((await commitOf(here, `refs/heads/${base}`)) === from) await tryGit(['read-tree', '-m', '-u', to, from], here);
  throw gitFailed(args, merged);
}
