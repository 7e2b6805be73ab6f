/**
 * Counts how much each session has changed in its repository. Nothing is polled: events determine which folders'
 * changes to count, and `count-queue.ts` counts them one folder at a time. A request for a list never starts a count
 * (ADR 60).
 */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isInRepository } from '../../platform/git/git-dir.ts';
import {
  type ChangeCounts,
  type Changes,
  isInside,
  isInTurn,
  placeOf,
  rowOf,
  type Session,
} from '../../protocol/index.ts';
import type { Book } from '../book/book.ts';
import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';
import { toTimestamp } from '../session/view.ts';
import type { SessionEvent, Sessions } from '../sessions.ts';
import { createCountQueue } from './count-queue.ts';
import type { SessionChanges } from './session-changes.ts';

export interface CountChangesOptions {
  book: Book;
  sessions: Sessions;
  changes: SessionChanges;
  clock: Clock;
  log: Logger;
}

export interface CountedSessions {
  /** the sessions; looking at one triggers a count */
  sessions: Sessions;
  /** the same changes, but each request also triggers a count */
  changes: SessionChanges;
  /** Resolves when no count is running any more. */
  dispose(): Promise<void>;
}

type Counts = Pick<Changes, 'base' | 'total'>;

export function countChanges({ book, sessions: base, changes, clock, log }: CountChangesOptions): CountedSessions {
  /** the counts by folder, because sessions in the same folder share their counts */
  const counts = new Map<string, ChangeCounts>();
  const seen = new Map<string, Pick<Session, 'path' | 'status'>>();
  const ending = new AbortController();
  const queue = createCountQueue({
    clock,
    count: async (folder) => {
      const session = base.list().find((one) => placeOf(one) === folder);
      if (session === undefined) return forget(folder);
      try {
        keep(folder, await changes.count(session, ending.signal));
      } catch (cause) {
        keep(folder, null);
        log.debug({ err: cause, folder }, 'the changes in a folder were not counted');
      }
    },
  });

  const countsOf = (session: Session): Partial<Session> => {
    const folder = placeOf(session);
    const found = folder === null ? undefined : counts.get(folder);
    // The session, or somebody else, may have removed `.git` since the count.
    return found === undefined || !isCountable(session) ? {} : { changes: found };
  };

  /**
   * Stores the counts, and reports them if they differ from the previous ones. Null means that no correct count is
   * known.
   */
  function keep(folder: string, found: Counts | null): void {
    const here = base.list().filter((session) => placeOf(session) === folder);
    const before = counts.get(folder);
    if (found === null || here.length === 0) counts.delete(folder);
    else counts.set(folder, { ...found.total, base: found.base, counted_at: toTimestamp(clock.now()) });
    if (isSame(before, counts.get(folder))) return;
    for (const { slug } of here) place.tell({ kind: 'updated', session: base.get(slug) });
  }

  function request(session: Session, when: 'now' | 'later'): void {
    const path = placeOf(session);
    if (path === null) return;
    if (isCountable(session)) queue.request(path, when);
    else keep(path, null);
  }

  function forget(path: string | null | undefined): void {
    if (path != null && !base.list().some((session) => placeOf(session) === path)) counts.delete(path);
  }

  function see(session: Session, kind: 'added' | 'changed'): void {
    const { slug, status, worktree } = session;
    const path = placeOf(session);
    const before = seen.get(slug);
    seen.set(slug, { path, status });
    if (before?.path !== path) forget(before?.path);
    // When a worktree is finished, its folder is removed, so nothing is left to count.
    if (worktree?.finished !== undefined && path?.startsWith(worktree.path) === true) {
      counts.delete(path);
      return;
    }
    if (before === undefined || before.path !== path) request(session, kind === 'added' ? 'now' : 'later');
    else if (isInTurn(before.status) && !isInTurn(session.status)) request(session, 'now');
    else if (hasEndedTool(before, session)) request(session, 'later');
  }

  function take(event: SessionEvent): void {
    if (event.kind === 'renamed') {
      const before = seen.get(event.from);
      seen.delete(event.from);
      if (before !== undefined) seen.set(event.session.slug, before);
    } else if (event.kind === 'removed') {
      const before = seen.get(event.slug);
      seen.delete(event.slug);
      forget(before?.path);
    } else if ('session' in event) see(event.session, event.kind === 'added' ? 'added' : 'changed');
  }

  const place = book.add({
    of: (_, session) => countsOf(session),
    take: (event, _, pass) => {
      take(event);
      pass(event);
    },
  });
  for (const session of base.list()) see(session, 'changed');

  return {
    sessions: {
      ...base,
      // The user who is looking at the session may have changed files since the session's last turn.
      seen: (slug, look) => {
        const session = base.seen(slug, look);
        request(session, 'later');
        return session;
      },
    },
    changes: {
      ...changes,
      list: async (session, asked) => {
        const place = placeOf(session);
        const found = await changes.list(session, asked).catch((cause: unknown) => {
          if (place !== null && !isCountable(session)) keep(place, null);
          throw cause;
        });
        if (asked.base === null && place !== null) keep(place, found.left_out.untracked > 0 ? null : found);
        return found;
      },
    },
    dispose: async () => {
      place.dispose();
      ending.abort();
      await queue.dispose();
    },
  };
}

/**
 * Reports whether a session works in a repository. If the `.git` file of its worktree is gone, git would count the
 * changes in the main checkout instead.
 */
function isCountable(session: Pick<Session, 'path' | 'place' | 'worktree'>): boolean {
  const place = placeOf(session);
  if (place === null || !isInRepository(place)) return false;
  const worktree = session.worktree?.path;
  return worktree === undefined || !isInside(place, worktree) || existsSync(join(worktree, '.git'));
}

/** A tool no longer runs not only when a tool has run, but also when the tool asks for permission. */
function hasEndedTool(before: Pick<Session, 'status'>, { status }: Session): boolean {
  return rowOf(before.status).runsTool === true && rowOf(status).runsTool !== true;
}

function isSame(one: ChangeCounts | undefined, other: ChangeCounts | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  const facts = ({ files, added, removed, base }: ChangeCounts): string =>
    JSON.stringify([files, added, removed, base.kind, base.ref, base.commit]);
  return facts(one) === facts(other);
}
