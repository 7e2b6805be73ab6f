import type { Session } from '../protocol/index.ts';
import type { StreamOptions } from './stream-connection.ts';

/**
 * How long a session must be shown before that counts as a look. If it is shown for less, the user may only be passing
 * it on the way to another session.
 */
export const LOOK_MS = 1_500;

type Shown = Pick<Session, 'slug' | 'news' | 'unread' | 'marked_unread'>;

/** Determines when a user has looked at a session that a face shows. */
export interface LookTimer {
  /** Sets what the user sees now, or null if it is not a session, or if nobody is looking. */
  show(session: Shown | null): void;
  dispose(): void;
}

/** @param options.onLook called when the user has looked at a session, with the session's news count at that moment */
export function createLookTimer(options: {
  startTimer: StreamOptions['startTimer'];
  onLook: (slug: string, news: number) => void;
}): LookTimer {
  let visited: string | null = null;
  /** whether the session was already marked as unread when the user came to it; a mark that was added later is kept */
  let cameToMark = false;
  let waiting: { news: number; cancel: () => void } | null = null;
  /** the news count of the last look, which is not sent again if the server refuses it */
  let lookedAt: number | null = null;

  function stop(): void {
    waiting?.cancel();
    waiting = null;
  }

  return {
    show: (session) => {
      if (session === null) return stop();
      const { slug, news, unread, marked_unread: isMarked } = session;
      if (slug !== visited) {
        stop();
        visited = slug;
        cameToMark = isMarked;
        lookedAt = null;
      }
      cameToMark &&= isMarked;
      // An older server does not report whether a session is unread.
      const isLook = unread === true && (!isMarked || cameToMark) && lookedAt !== news;
      if (waiting?.news === news && isLook) return;
      stop();
      if (!isLook) return;
      const look = (): void => {
        waiting = null;
        lookedAt = news;
        options.onLook(slug, news);
      };
      waiting = { news, cancel: options.startTimer(look, LOOK_MS) };
    },
    dispose: stop,
  };
}
