import type { Session } from '../protocol/index.ts';
import type { StreamOptions } from './stream-connection.ts';

/**
 * How long a session must be shown before that counts as a look. If the time is shorter, the user may just be moving
 * past it to another session.
 */
export const LOOK_MS = 1_500;

type Shown = Pick<Session, 'slug' | 'news' | 'unread' | 'marked_unread'>;

/** Determines when the user has looked at a session that a face shows. */
export interface LookTimer {
  /** Sets the session that the user sees now. It is null if no session is shown or nobody is looking. */
  show(session: Shown | null): void;
  dispose(): void;
}

/**
 * @param options.onLook called when the user has looked at a session; it receives the session's news count at that time
 */
export function createLookTimer(options: {
  startTimer: StreamOptions['startTimer'];
  onLook: (slug: string, news: number) => void;
}): LookTimer {
  let visited: string | null = null;
  /**
   * whether the session was already marked as unread when the user opened it; a look does not remove a mark that was
   * set later
   */
  let cameToMark = false;
  let waiting: { news: number; cancel: () => void } | null = null;
  /** the news count of the last look that was sent; that look is not sent again if the server refuses it */
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
