import type { Session } from '../protocol/index.ts';
import type { StreamOptions } from './stream-connection.ts';

/** How long a session has to be shown before that is a look at it, and no passing by on the way to another. */
export const LOOK_MS = 1_500;

type Shown = Pick<Session, 'slug' | 'news' | 'unread' | 'marked_unread'>;

/** Tells when what a face shows of a session was looked at. */
export interface LookTimer {
  /** What the person has before their eyes now; null while that is no session, or nobody looks. */
  show(session: Shown | null): void;
  dispose(): void;
}

/** @param options.onLook the person has looked at a session as it was after that many news */
export function createLookTimer(options: {
  startTimer: StreamOptions['startTimer'];
  onLook: (slug: string, news: number) => void;
}): LookTimer {
  let visited: string | null = null;
  /** whether it was marked as unread before the person came to it; a mark that is made meanwhile stays */
  let cameToMark = false;
  let waiting: { news: number; cancel: () => void } | null = null;
  /** the news of the last look: a server that refuses it is not asked again */
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
      // An older server tells of nothing that could be looked at.
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
