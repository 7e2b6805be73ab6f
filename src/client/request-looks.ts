import type { Session } from '../protocol/index.ts';

/** The server does not query a forge more often, so clients need not report more often. */
const LOOK_EVERY_MS = 120_000;

/** Reports to the server which pull requests a user sees. */
export interface RequestLooks {
  /** Sets what a user currently sees. @param nowMs by any clock */
  note(sessions: Iterable<Pick<Session, 'slug' | 'worktree'>>, nowMs: number): void;
}

/**
 * @param onLook called with sessions that have an open pull request, at most every two minutes for each
 */
export function createRequestLooks(onLook: (slugs: string[]) => void): RequestLooks {
  const toldAt = new Map<string, number>();
  return {
    note: (sessions, nowMs) => {
      const slugs: string[] = [];
      for (const { slug, worktree } of sessions) {
        if (worktree?.pull_request?.state !== 'open') continue;
        if (nowMs - (toldAt.get(slug) ?? Number.NEGATIVE_INFINITY) < LOOK_EVERY_MS) continue;
        toldAt.set(slug, nowMs);
        slugs.push(slug);
      }
      if (slugs.length > 0) onLook(slugs);
    },
  };
}
