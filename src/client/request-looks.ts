import type { Session } from '../protocol/index.ts';

/** How often to report pull requests. The server does not query a forge more often than this. */
const LOOK_EVERY_MS = 120_000;

/** Tells the server which pull requests the user is looking at. */
export interface RequestLooks {
  /** Sets which sessions the user currently sees. @param nowMs the current time in milliseconds, by any clock */
  note(sessions: Iterable<Pick<Session, 'slug' | 'worktree'>>, nowMs: number): void;
}

/**
 * @param onLook called with sessions that have an open pull request, at most once every two minutes for each session
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
