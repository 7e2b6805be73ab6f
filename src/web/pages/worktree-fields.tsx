import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { NewWorktree, RepositoryWorktree } from '../../protocol/index.ts';
import { client } from '../connection/fleet.ts';
import { bind, Check, Field } from '../parts/field.tsx';

/** How long to wait after a keypress before requesting the folder's worktrees from the server. */
const SETTLE_MS = 250;

/** The worktree that the user has chosen for a new session. */
export interface WorktreeChoice {
  inWorktree: Signal<boolean>;
  /** the branch of an existing worktree, or an empty string for a new worktree */
  existing: Signal<string>;
  branch: Signal<string>;
  from: Signal<string>;
}

export function useWorktreeChoice(): WorktreeChoice {
  return { inWorktree: useSignal(false), existing: useSignal(''), branch: useSignal(''), from: useSignal('') };
}

export function worktreeBody({ inWorktree, existing, branch, from }: WorktreeChoice): { worktree?: NewWorktree } {
  if (!inWorktree.value) return {};
  if (existing.value !== '') return { worktree: { branch: existing.value, existing: true } };
  return {
    worktree: {
      ...(branch.value.trim() === '' ? {} : { branch: branch.value.trim() }),
      ...(from.value.trim() === '' ? {} : { from: from.value.trim() }),
    },
  };
}

/** Offers a new worktree and the free worktrees. */
export function WorktreeFields({ choice, path, slug }: { choice: WorktreeChoice; path: string; slug: string }) {
  const { inWorktree, existing, branch, from } = choice;
  const free = useFreeWorktrees(inWorktree.value ? path : '');
  useEffect(() => {
    if (!free.some((one) => one.branch === existing.value)) existing.value = '';
  }, [free]);
  return (
    <fieldset class="stack">
      <legend class="label">Worktree</legend>
      <Check checked={inWorktree}>In its own git worktree</Check>
      {inWorktree.value && free.length > 0 && (
        <Field label="Which worktree" hint="No session uses the existing ones in this list">
          {(id) => (
            <select
              id={id}
              class="input mono"
              value={existing.value}
              onChange={({ currentTarget }) => {
                existing.value = currentTarget.value;
              }}
            >
              <option value="">a new one</option>
              {free.map((one) => (
                <option key={one.path} value={one.branch ?? ''}>
                  {one.branch} — {one.path}
                </option>
              ))}
            </select>
          )}
        </Field>
      )}
      {inWorktree.value && existing.value === '' && (
        <div class="cards">
          <Field label="Branch" hint="An existing branch is used; otherwise a new one is created">
            {(id) => (
              <input
                {...bind(branch)}
                id={id}
                class="input mono"
                placeholder={slug}
                spellcheck={false}
                autocomplete="off"
              />
            )}
          </Field>
          <Field label="From" hint="Where a new branch starts">
            {(id) => (
              <input
                {...bind(from)}
                id={id}
                class="input mono"
                placeholder="the commit of the folder"
                spellcheck={false}
                autocomplete="off"
              />
            )}
          </Field>
        </div>
      )}
    </fieldset>
  );
}

/** @param path the folder, or an empty string to request nothing */
function useFreeWorktrees(path: string): readonly RepositoryWorktree[] {
  const free = useSignal<readonly RepositoryWorktree[]>([]);
  useEffect(() => {
    if (path.trim() === '') {
      free.value = [];
      return;
    }
    let isOld = false;
    const timer = setTimeout(() => {
      client
        .call('listWorktrees', { query: { path: path.trim() } })
        .then((lists) => lists.flatMap(({ worktrees }) => worktrees.filter((one) => one.free)))
        // If the user is still typing the folder's path, or the folder is not in a repository, there are no worktrees.
        .catch(() => [])
        .then((found) => {
          if (!isOld) free.value = found;
        });
    }, SETTLE_MS);
    return () => {
      isOld = true;
      clearTimeout(timer);
    };
  }, [path]);
  return free.value;
}
