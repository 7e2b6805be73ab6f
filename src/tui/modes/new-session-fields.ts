import { MOST_TIMES } from '../../client/launch-several.ts';
import type { NewWorktree, SessionType } from '../../protocol/index.ts';
import type { App } from '../app.ts';
import type { Editor } from '../input/editor.ts';

const FIELDS = ['name', 'folder', 'type', 'prompt', 'worktree', 'branch', 'from', 'times'] as const;
export type Field = (typeof FIELDS)[number];
/** The fields that offer choices instead of accepting text. */
export type Choice = 'worktree' | 'type' | 'times';
export const isChoice = (field: Field): field is Choice => ['worktree', 'type', 'times'].includes(field);

/** A free worktree: one that exists and that no session uses. */
export interface FreeWorktree {
  branch: string;
  path: string;
}

export interface Form {
  field: Field;
  texts: Record<Exclude<Field, Choice>, Editor>;
  /**
   * whether the folder is a suggestion, which is shown as selected text: typing replaces it, and moving the cursor
   * accepts it
   */
  isProposed: boolean;
  type: SessionType;
  /** whether the session gets a git worktree of its own */
  inWorktree: boolean;
  /** how many sessions get the same task, each in its own new worktree */
  times: number;
  /** the folders that begin with the text in the field */
  folders: readonly string[];
  /** the free worktrees of the folder's repository */
  free: readonly FreeWorktree[];
  /** the branch of the free worktree that the user has chosen, which counts only as long as the field contains it */
  existing: string | null;
  /** the index of the chosen folder or worktree, or -1 if none is chosen */
  chosen: number;
  /** whether the folders have been requested from the server but have not arrived yet */
  isLookingUp: boolean;
  /** whether the user pressed Tab before the folders arrived; the key takes effect as soon as the folders are known */
  tabWaits: boolean;
}

/** Returns the fields that are shown. Some are shown only for a worktree, and some of these only for a new one. */
export function fieldsOf(form: Form): Field[] {
  const hidden = !form.inWorktree ? ['branch', 'from', 'times'] : usedWorktree(form) !== null ? ['from', 'times'] : [];
  return FIELDS.filter((field) => !hidden.includes(field));
}

/** Returns how many sessions to launch. There can be several only if each gets a new worktree. */
export function timesOf(form: Form): number {
  return fieldsOf(form).includes('times') ? form.times : 1;
}

/** Changes the choice in the current field by a key. */
export function changeChoice(form: Form, key: string): void {
  if (form.field === 'type') form.type = form.type === 'screen' ? 'json' : 'screen';
  else if (form.field === 'worktree') form.inWorktree = !form.inWorktree;
  else form.times = Math.max(1, Math.min(MOST_TIMES, form.times + (key === 'left' ? -1 : 1)));
}

export function worktreeBody(form: Form): NewWorktree {
  const { texts } = form;
  const used = usedWorktree(form);
  if (used !== null) return { branch: used.branch, existing: true };
  const [branch, from] = [texts.branch.text.trim(), texts.from.text.trim()];
  return { ...(branch === '' ? {} : { branch }), ...(from === '' ? {} : { from }) };
}

/** Returns the existing worktree that the user has chosen, or null for a new worktree. */
export function usedWorktree({ inWorktree, existing, free, texts }: Form): FreeWorktree | null {
  if (!inWorktree || existing === null || texts.branch.text.trim() !== existing) return null;
  return free.find(({ branch }) => branch === existing) ?? null;
}

/**
 * The maximum number of folders or worktrees to offer. No one looks further down, and typing another letter shortens
 * the list.
 */
export const MOST_OFFERED = 6;

/** Returns what the current field offers: folders, or free worktrees. */
export function offeredIn(form: Form): readonly string[] {
  if (form.field === 'folder') return form.folders;
  return form.field === 'branch' ? matchingFree(form).map(({ branch, path }) => `${branch}  ${path}`) : [];
}

/** Returns the free worktrees whose branch contains the text in the field. */
export function matchingFree({ free, texts, existing }: Form): readonly FreeWorktree[] {
  const typed = texts.branch.text.trim();
  return typed === existing ? [] : free.filter(({ branch }) => branch.includes(typed));
}

/** Requests the free worktrees of a folder's repository. A folder outside a repository has none. */
export async function readFree(app: App, path: string): Promise<readonly FreeWorktree[]> {
  const lists = await app.client.call('listWorktrees', { query: { path } }).catch(() => []);
  return lists
    .flatMap(({ worktrees }) => worktrees)
    .flatMap(({ branch, path: folder, free }) => (free && branch !== null ? [{ branch, path: folder }] : []));
}
