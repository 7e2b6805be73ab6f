import type { FinishHow, FinishPreview, Session } from '../protocol/index.ts';
import { showHiddenMarks } from './hidden-marks.ts';
import { someNames } from './name-list.ts';
import { stateText } from './session-words.ts';
import { cleanLine } from './terminal-text.ts';

/** The ways to finish a worktree, as a person chooses between them. */
export const FINISH_CHOICES: readonly { how: FinishHow; key: string; verb: string; about: string }[] = [
  { how: 'merge', key: 'm', verb: 'Merge', about: 'a fast-forward of the base, or a merge commit of yours' },
  { how: 'rebase', key: 'r', verb: 'Rebase', about: 'its commits, put on top of the base' },
  { how: 'squash', key: 's', verb: 'Squash', about: 'its changes, as one commit of yours on top of the base' },
  { how: 'keep', key: 'k', verb: 'Keep', about: 'only the folder goes; the branch stays, and nothing is merged' },
  { how: 'discard', key: 'd', verb: 'Discard', about: 'nothing is merged; a branch that was made for it goes too' },
];

/** Whether commits come to another branch. */
export function mergesBy(how: FinishHow): boolean {
  return how !== 'keep' && how !== 'discard';
}

/** Whether a session has a worktree that can be finished. */
export function isFinishable({ worktree }: Pick<Session, 'worktree'>): boolean {
  return worktree !== undefined && worktree.finished === undefined;
}

/** A worktree's branch and its base: `fix/login → main`. Empty where there is none. */
export function worktreeBranch(worktree: Session['worktree']): string {
  if (worktree === undefined) return '';
  const branch = shownBranch(worktree.branch);
  if (worktree.finished !== undefined) return `${branch} (finished)`;
  return worktree.base === null ? branch : `${branch} → ${shownBranch(worktree.base)}`;
}

function shownBranch(name: string): string {
  return showHiddenMarks(cleanLine(name));
}

/** Asks whether a worktree is to be finished so, with everything that goes. */
export function finishQuestion(session: Session, how: FinishHow, into?: string): string {
  const { slug, worktree, status } = session;
  const branch = shownBranch(worktree?.branch ?? '');
  const base = shownBranch(into ?? worktree?.base ?? 'its base');
  const does: Readonly<Record<FinishHow, string>> = {
    merge: `Merge ${branch} into ${base}`,
    rebase: `Rebase ${branch} onto ${base}`,
    squash: `Squash ${branch} into ${base}`,
    keep: `Keep ${branch}`,
    discard: worktree?.new_branch === true ? `Discard ${branch}` : `Keep ${branch} as it is`,
  };
  const runs = status.primary === 'dead' ? '' : ` ${slug} runs (${stateText(session)}) and is stopped.`;
  return `${does[how]}, and remove the worktree ${cleanLine(worktree?.path ?? '')}?${runs}`;
}

/** Why nothing is merged yet. @param files in no commit, at least one */
export function uncommittedText(files: readonly string[]): string {
  return `${someNames(files.map(shownBranch))} ${files.length === 1 ? 'is' : 'are'} in no commit, or changed since`;
}

/** What a person should know before: what is merged or not, what is saved, and what is not. */
export function finishNotes(preview: FinishPreview, how: FinishHow): string[] {
  const { uncommitted, ignored } = preview;
  // An older server tells nothing of a merge.
  const { into = null, commits = null, conflicts = [] }: Partial<FinishPreview> = preview;
  const base = shownBranch(into ?? '');
  const merge =
    into === null || commits === null
      ? []
      : conflicts.length > 0
        ? [`in conflict with ${base}: ${someNames(conflicts.map(shownBranch))}`]
        : [
            commits === 0
              ? `${base} has all its commits`
              : `${commits === 1 ? '1 commit' : `${commits} commits`} for ${base}`,
          ];
  return [
    ...(mergesBy(how) ? merge : []),
    ...(uncommitted.length === 0 ? [] : [`saved, but in no commit: ${someNames(uncommitted.map(shownBranch))}`]),
    ...(ignored.length === 0
      ? []
      : [`ignored by git, saved only where .worktreeinclude names it: ${someNames(ignored.map(shownBranch))}`]),
  ];
}

/** What became of a finished worktree, and what brings it back. */
export function finishedLines({ slug, worktree }: Pick<Session, 'slug' | 'worktree'>): string[] {
  if (worktree?.finished === undefined) return [];
  const { finished } = worktree;
  const branch = shownBranch(worktree.branch);
  const at = finished.commit === null ? '' : ` (${finished.commit.slice(0, 8)})`;
  const merged = finished.into === null ? '' : `${branch} is in ${shownBranch(finished.into)}${at}; `;
  const kept = finished.branch_kept ? `the branch ${branch} is kept` : `the branch ${branch} is gone`;
  return [
    `${merged}${slug} is stopped and its worktree removed, ${kept}`,
    `cbos recover ${finished.saved} brings it back as it was`,
    ...(finished.left === null ? [] : [`${cleanLine(finished.left)} could not be removed whole: remove it by hand`]),
  ];
}

/** The prompt that hands a conflict to the session. A name that says something else to its reader is left out. */
export function conflictPrompt(base: string | null, files: readonly string[]): string {
  const what = base !== null && /^[\w./-]+$/.test(base) ? `the branch ${base}` : 'the base branch';
  const named = files.length === 0 ? '' : ` They are in conflict in: ${someNames(files.map(shownBranch))}.`;
  return `Merge ${what} into your branch, resolve the conflicts, and commit the merge.${named}`;
}

/** The files in conflict that an error names; null if it is another error. */
export function conflictFiles(error: { code: string; extra: Readonly<Record<string, unknown>> }): string[] | null {
  if (error.code !== 'merge_conflict') return null;
  const { files } = error.extra;
  return Array.isArray(files) ? files.filter((file) => typeof file === 'string') : [];
}
