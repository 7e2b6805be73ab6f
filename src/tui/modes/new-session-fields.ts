import type { NewWorktree, SessionType } from '../../protocol/index.ts';
import type { App } from '../app.ts';
import type { Editor } from '../input/editor.ts';

const FIELDS = ['name', 'folder', 'type', 'prompt', 'worktree', 'branch', 'from'] as const;
export type Field = (typeof FIELDS)[number];
/** Fields that offer a choice instead of accepting text. */
export type Choice = 'worktree' | 'type';
export const isChoice = (field: Field): field is Choice => field === 'worktree' || field === 'type';

/** An existing worktree that no session uses. */
export interface FreeWorktree {
  branch: string;
  path: string;
}

export interface Form {
  field: Field;
  texts: Record<Exclude<Field, Choice>, Editor>;
  /** whether the folder is a suggestion, shown as selected text; typing replaces it, and moving the cursor keeps it */
  isProposed: boolean;
  type: SessionType;
  /** whether the session gets its own git worktree */
  inWorktree: boolean;
  /** folders that begin with the text in the field */
  folders: readonly string[];
  /** the worktrees of the folder's repository that no session uses */
  free: readonly FreeWorktree[];
  /** the branch of the free worktree that the user has chosen; it counts while the field still contains it */
  existing: string | null;
  /** the index of the chosen folder or worktree; -1 if none is chosen */
  chosen: number;
  /** whether the folders have been requested from the server and have not arrived yet */
  isLookingUp: boolean;
  /** whether Tab was pressed before the folders arrived; it takes effect as soon as they are known */
  tabWaits: boolean;
}

/** Returns the fields that are shown. The branch is shown only for a worktree, and its start only for a new one. */
export function fieldsOf(form: Form): Field[] {
  const isNew = form.inWorktree && usedWorktree(form) === null;
  return FIELDS.filter((field) => (field === 'branch' ? form.inWorktree : field === 'from' ? isNew : true));
}

export function worktreeBody(form: Form): NewWorktree {
  const { texts } = form;
  const used = usedWorktree(form);
  if (used !== null) return { branch: used.branch, existing: true };
  const [branch, from] = [texts.branch.text.trim(), texts.from.text.trim()];
  return { ...(branch === '' ? {} : { branch }), ...(from === '' ? {} : { from }) };
}

/** Returns the existing worktree that the user has chosen, or null for a new one. */
export function usedWorktree({ inWorktree, existing, free, texts }: Form): FreeWorktree | null {
  if (!inWorktree || existing === null || texts.branch.text.trim() !== existing) return null;
  return free.find(({ branch }) => branch === existing) ?? null;
}

/** How many folders or worktrees are offered. Nobody looks further down, and another letter shortens the list. */
export const MOST_OFFERED = 6;

/** Returns what the current field offers: folders, or worktrees that no session uses. */
export function offeredIn(form: Form): readonly string[] {
  if (form.field === 'folder') return form.folders;
  return form.field === 'branch' ? matchingFree(form).map(({ branch, path }) => `${branch}  ${path}`) : [];
}

/** Returns the free worktrees whose branch contains the text in the field. */
export function matchingFree({ free, texts, existing }: Form): readonly FreeWorktree[] {
  const typed = texts.branch.text.trim();
  return typed === existing ? [] : free.filter(({ branch }) => branch.includes(typed));
}

/** Asks for the worktrees of a folder that no session uses. A folder outside of repositories has none. */
export async function readFree(app: App, path: string): Promise<readonly FreeWorktree[]> {
  const lists = await app.client.call('listWorktrees', { query: { path } }).catch(() => []);
  return lists
    .flatMap(({ worktrees }) => worktrees)
    .flatMap(({ branch, path: folder, free }) => (free && branch !== null ? [{ branch, path: folder }] : []));
}
