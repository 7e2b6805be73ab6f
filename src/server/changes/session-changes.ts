import { rm } from 'node:fs/promises';
import type { SideOptions } from '../../platform/git/changed-side.ts';
import { type Comparer, type CountedChanges, createComparer } from '../../platform/git/compare.ts';
import { findForgottenAround, goneError } from '../../platform/git/gone-worktree.ts';
import {
  CatalogueError,
  type ChangedSide,
  type Changes,
  type Patch,
  placeOf,
  type Session,
} from '../../protocol/index.ts';
import { createSlots } from '../slots.ts';
import { requireThere } from '../worktrees/require-there.ts';

/**
 * How many comparisons run at once. The disk limits how fast git is, so with more comparisons at once, each would be
 * slower.
 */
const MOST_AT_ONCE = 2;

/** Provides the faces with the changes that sessions have made in their repositories. */
export interface SessionChanges {
  /** @throws CatalogueError no_such_path, not_a_repository, no_such_ref, git_not_found, git_failed */
  list(session: Session, asked: { base: string | null; patchOf: string | null }): Promise<Changes>;
  /** Counts the changes of a session; see `Comparer.count`. @throws everything that `list` throws */
  count(session: Session, signal: AbortSignal): Promise<CountedChanges | null>;
  /** @throws everything that `list` throws */
  patch(session: Session, query: { base: string | null; file: string | null; oldFile: string | null }): Promise<Patch>;
  /** @throws no_such_file, and everything that `list` throws */
  side(session: Session, query: SideOptions & { base: string | null }): Promise<ChangedSide>;
}

export interface SessionChangesOptions {
  /** the environment of the server's own process */
  environment: Readonly<Record<string, string | undefined>>;
  /** a folder in the home that is used for nothing else; any files that a killed server left there are removed */
  scratchDir: string;
}

/** Clients that request the same changes at the same time share a single comparison. */
export function createSessionChanges({ environment, scratchDir }: SessionChangesOptions): SessionChanges {
  const comparer: Comparer = createComparer({ environment, scratchDir });
  const emptied = rm(scratchDir, { recursive: true, force: true });
  const inTurn = createSlots(MOST_AT_ONCE);
  const running = new Map<string, Promise<Changes>>();
  return {
    list(session, asked) {
      const key = JSON.stringify([session.slug, placeOf(session), asked.base, asked.patchOf]);
      const same = running.get(key);
      if (same !== undefined) return same;
      const changes = Promise.all([requireFolder(environment, session), emptied])
        .then(([folder]) => inTurn(() => comparer.changes({ folder, ...asked })))
        .finally(() => running.delete(key));
      running.set(key, changes);
      return changes;
    },
    async count(session, signal) {
      const folder = await requireFolder(environment, session);
      await emptied;
      return inTurn(() => comparer.count({ folder, base: null, signal }));
    },
    async patch(session, query) {
      const folder = await requireFolder(environment, session);
      await emptied;
      return inTurn(() => comparer.patch({ folder, ...query }));
    },
    async side(session, query) {
      const folder = await requireFolder(environment, session);
      await emptied;
      return inTurn(() => comparer.side({ folder, ...query }));
    },
  };
}

/**
 * Returns the folder in which a session works.
 * @throws CatalogueError no_such_path if the folder is not known, or its worktree was deleted by hand
 */
export async function requireFolder(
  environment: SessionChangesOptions['environment'],
  session: Session,
): Promise<string> {
  const { slug, worktree, repository } = session;
  const folder = placeOf(session);
  if (folder !== null) {
    await requireThere(environment, { slug, folder, worktree, repository });
    const forgotten = await findForgottenAround(environment, folder);
    if (forgotten !== null) throw goneError('no_such_path', forgotten, null);
    return folder;
  }
  throw new CatalogueError('no_such_path', `CBOS does not know which folder ${slug} works in`, {
    hint: 'Set it with PUT /sessions/SLUG/path; for an observed session, use `cbos adopt`',
  });
}
