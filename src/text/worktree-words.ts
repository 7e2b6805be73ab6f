import type { FinishHow, FinishPreview, Session } from '../protocol/index.ts';
import { showHiddenMarks } from './hidden-marks.ts';
import { someNames } from './name-list.ts';
import { stateText } from './session-words.ts';
import { cleanLine } from './terminal-text.ts';

/** The ways to finish a worktree that the user can choose from. */
export const FINISH_CHOICES: readonly { how: FinishHow; key: string; verb: string; about: string }[] = [
  {
    how: 'merge',
    key: 'm',
    verb: 'Merge',
    about: 'merge into the base: fast-forward, or with a merge commit in your name',
  },
  { how: 'rebase', key: 'r', verb: 'Rebase', about: 'rebase its commits onto the base' },
  { how: 'squash', key: 's', verb: 'Squash', about: 'squash its changes into one commit in your name on the base' },
  { how: 'keep', key: 'k', verb: 'Keep', about: 'remove only the folder; keep the branch, and merge nothing' },
  {
    how: 'discard',
    key: 'd',
    verb: 'Discard',
    about: 'merge nothing; also delete the branch if it was created for the session',
  },
];

/** Reports whether this way of finishing moves the commits to another branch. */
export function mergesBy(how: FinishHow): boolean {
  return how !== 'keep' && how !== 'discard';
}

/** Reports whether a session has a worktree that can be finished. */
export function isFinishable({ worktree }: Pick<Session, 'worktree'>): boolean {
  return worktree !== undefined && worktree.finished === undefined;
}

/** Returns a worktree's branch and base, such as `fix/login → main`, or an empty string if there is no worktree. */
export function worktreeBranch(worktree: Session['worktree']): string {
  if (worktree === undefined) return '';
  const branch = shownBranch(worktree.branch);
  if (worktree.finished !== undefined) return `${branch} (finished)`;
  return worktree.base === null ? branch : `${branch} → ${shownBranch(worktree.base)}`;
}

/** Returns a line about a fork, such as `AUTH-2 begins with the conversation of AUTH, on the branch AUTH-2`. */
export function forkedText(original: string, { slug, worktree }: Pick<Session, 'slug' | 'worktree'>): string {
  const where = worktree === undefined ? 'in the same folder' : `on the branch ${shownBranch(worktree.branch)}`;
  return cleanLine(`${slug} begins with the conversation of ${original}, ${where}`);
}

function shownBranch(name: string): string {
  return showHiddenMarks(cleanLine(name));
}

/**
 * Returns the question that asks the user whether to finish a worktree in this way. The question lists everything that
 * will be removed.
 * @param more the base that the user has named, and what is checked out according to the preview
 */
export function finishQuestion(
  session: Session,
  how: FinishHow,
  { into, on }: { into?: string | undefined; on?: string | null | undefined } = {},
): string {
  const { slug, worktree, status } = session;
  const branch = shownBranch(worktree?.branch ?? '');
  const base = shownBranch(into ?? worktree?.base ?? 'its base');
  const does: Readonly<Record<FinishHow, string>> = {
    merge: `Merge ${branch} into ${base}`,
    rebase: `Rebase ${branch} onto ${base}`,
    squash: `Squash ${branch} into ${base}`,
    keep: `Keep ${branch}`,
    discard: worktree?.new_branch === true && typeof on !== 'string' ? `Discard ${branch}` : `Keep ${branch} as it is`,
  };
  const runs = status.primary === 'dead' ? '' : ` ${slug} is running (${stateText(session)}) and will be stopped.`;
  return `${does[how]}, and remove the worktree ${cleanLine(worktree?.path ?? '')}?${runs}`;
}

/** Says why nothing has been merged yet. @param files the files that are not in any commit, at least one */
export function uncommittedText(files: readonly string[]): string {
  return `${someNames(files.map(shownBranch))} ${files.length === 1 ? 'is' : 'are'} not committed`;
}

/**
 * Says what the user should know before a worktree is finished: what will be merged, what will be saved, and what will
 * be lost.
 */
export function finishNotes(preview: FinishPreview, how: FinishHow): string[] {
  const { uncommitted, ignored } = preview;
  // An older server does not send these fields.
  const { into = null, commits = null, conflicts = [], skipped_hooks: hooks }: Partial<FinishPreview> = preview;
  const base = shownBranch(into ?? '');
  const merge =
    into === null || commits === null
      ? []
      : conflicts.length > 0
        ? [`in conflict with ${base}: ${someNames(conflicts.map(shownBranch))}`]
        : [
            commits === 0
              ? `${base} already has all its commits`
              : `${commits === 1 ? '1 commit' : `${commits} commits`} for ${base}`,
          ];
  return [
    ...switchedNotes(preview, how),
    ...(mergesBy(how) ? merge : []),
    ...hooksNotes('will not run', how === 'keep' || how === 'discard' ? undefined : hooks?.[how]),
    ...(uncommitted.length === 0 ? [] : [`saved, but not committed: ${someNames(uncommitted.map(shownBranch))}`]),
    ...(ignored.length === 0
      ? []
      : [`ignored by git, saved only if .worktreeinclude names it: ${someNames(ignored.map(shownBranch))}`]),
  ];
}

/** @param what whether the hooks `will not run` or `did not run` */
export function hooksNotes(what: string, names: readonly string[] | undefined): string[] {
  if (names === undefined || names.length === 0) return [];
  const many = names.length === 1 ? 'git hook' : 'git hooks';
  return [`CBOS runs no hooks of the repository; ${many} that ${what}: ${names.map(shownBranch).join(', ')}`];
}

function switchedNotes({ on }: FinishPreview, how: FinishHow): string[] {
  if (on === undefined) return [];
  const where = on === null ? 'no branch' : `the branch ${shownBranch(on)}`;
  const kept = on === null ? 'its commits are saved' : 'that branch is kept';
  return [`the worktree is on ${where}, not on its session's; ${mergesBy(how) ? 'nothing can be merged' : kept}`];
}

/** Describes the outcome of finishing a worktree, including the command that recovers it. */
export function finishedLines({ slug, worktree }: Pick<Session, 'slug' | 'worktree'>): string[] {
  if (worktree?.finished === undefined) return [];
  const { finished } = worktree;
  const branch = shownBranch(worktree.branch);
  const at = finished.commit === null ? '' : ` (${finished.commit.slice(0, 8)})`;
  const merged = finished.into === null ? '' : `${branch} is in ${shownBranch(finished.into)}${at}; `;
  const { branch_missing: isMissing, other_branch: other } = finished;
  const gone = isMissing === true ? `there is no branch ${branch}` : `the branch ${branch} is deleted`;
  const kept = finished.branch_kept ? `the branch ${branch} is kept` : gone;
  const left = other === undefined ? '' : `; the branch ${shownBranch(other)}, which it was on, is kept`;
  return [
    `${merged}${slug} is stopped, its worktree is removed, and ${kept}${left}`,
    `cbos recover ${finished.saved} restores the worktree as it was`,
    ...hooksNotes('did not run', finished.skipped_hooks),
    ...(finished.left === null
      ? []
      : [`${cleanLine(finished.left)} could not be removed completely; remove the rest by hand`]),
  ];
}

/**
 * Returns the prompt that asks the session to resolve a conflict. A base branch with an unusual name is not named,
 * because the name could mislead the reader.
 */
export function conflictPrompt(base: string | null, files: readonly string[]): string {
  const what = base !== null && /^[\w./-]+$/.test(base) ? `the branch ${base}` : 'the base branch';
  const named = files.length === 0 ? '' : ` They conflict in: ${someNames(files.map(shownBranch))}.`;
  return `Merge ${what} into your branch, resolve the conflicts, and commit the merge.${named}`;
}

/** Returns the files with conflicts that an error lists, or null if the error is not about conflicts. */
export function conflictFiles(error: { code: string; extra: Readonly<Record<string, unknown>> }): string[] | null {
  if (error.code !== 'merge_conflict') return null;
  const { files } = error.extra;
  return Array.isArray(files) ? files.filter((file) => typeof file === 'string') : [];
}
