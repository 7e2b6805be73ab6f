import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { MOST_TIMES } from '../../client/launch-several.ts';
import { mayTrustSetUp, type NewWorktree, type RepositoryWorktrees } from '../../protocol/index.ts';
import { client } from '../connection/fleet.ts';
import { bind, Check, Field } from '../parts/field.tsx';
import { SetUpFile } from './set-up-file.tsx';

/** How long to wait after a keypress before requesting the folder's worktrees from the server. */
const SETTLE_MS = 250;

/** The worktree that the user has chosen for a new session. */
export interface WorktreeChoice {
  inWorktree: Signal<boolean>;
  /** the branch of an existing worktree, or an empty string for a new worktree */
  existing: Signal<string>;
  branch: Signal<string>;
  from: Signal<string>;
  /** how many sessions get the same task, each in its own new worktree; as typed */
  times: Signal<string>;
}

export function useWorktreeChoice(): WorktreeChoice {
  return {
    inWorktree: useSignal(false),
    existing: useSignal(''),
    branch: useSignal(''),
    from: useSignal(''),
    times: useSignal('1'),
  };
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

/** Returns how many sessions to launch. There can be several only if each gets a new worktree. */
export function timesOf({ inWorktree, existing, times }: WorktreeChoice): number {
  return inWorktree.value && existing.value === '' ? Number(times.value) : 1;
}

/** Offers a new worktree and the free worktrees. */
export function WorktreeFields({ choice, path, slug }: { choice: WorktreeChoice; path: string; slug: string }) {
  const { inWorktree, existing, branch, from, times } = choice;
  const { list, load } = useRepository(inWorktree.value ? path : '');
  const free = list?.worktrees.filter((one) => one.free) ?? [];
  useEffect(() => {
    if (!free.some((one) => one.branch === existing.value)) existing.value = '';
  }, [list]);
  return (
    <fieldset class="stack">
      <legend class="label">Worktree</legend>
      <Check checked={inWorktree}>In its own git worktree</Check>
      {inWorktree.value && free.length > 0 && (
        <Field label="Which worktree" hint="No session uses the existing ones in this list">
          {(id) => (
            <select {...bind(existing)} id={id} class="input mono">
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
          <Field
            label="How many sessions"
            hint={
              Number(times.value) > 1 ? `With the same task: ${slug}-1 to ${slug}-${times.value}` : 'With the same task'
            }
          >
            {(id) => (
              <input {...bind(times)} id={id} class="input" type="number" required min={1} max={MOST_TIMES} step={1} />
            )}
          </Field>
        </div>
      )}
      {inWorktree.value && existing.value === '' && list !== null && isSetUpUntrusted(list) && (
        <SetUpFile key={list.repository} list={list} onDone={load} />
      )}
    </fieldset>
  );
}

/** Reports whether the repository's own file names a set-up that does not run until a user trusts the file. */
function isSetUpUntrusted({ own, set_up: file }: RepositoryWorktrees): boolean {
  return own === null && file !== null && mayTrustSetUp(file);
}

/**
 * Returns the repository of a folder; null outside of repositories.
 * @param path the folder; if empty, no request is sent
 */
function useRepository(path: string): { list: RepositoryWorktrees | null; load(): Promise<void> } {
  const list = useSignal<RepositoryWorktrees | null>(null);
  const asked = useRef('');
  const load = async (): Promise<void> => {
    const folder = path.trim();
    asked.current = folder;
    const [found = null] =
      folder === ''
        ? []
        : // A folder that is still being typed, or that is in no repository, has no worktrees.
          await client.call('listWorktrees', { query: { path: folder } }).catch(() => []);
    if (asked.current === folder) list.value = found;
  };
  useEffect(() => {
    const timer = setTimeout(() => void load(), path.trim() === '' ? 0 : SETTLE_MS);
    return () => clearTimeout(timer);
  }, [path]);
  return { list: list.value, load };
}
