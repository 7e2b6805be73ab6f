import type { StreamConnection } from '../client/index.ts';
import type { Session, StreamFrame } from '../protocol/index.ts';
import { createSessionScreen, type SessionScreen, type Viewport } from './terminal/session-screen.ts';

/** The one session whose screen is followed: the selected one. */
export interface WatchedSession {
  /** Follows this session from now on, and no other; null follows none. The same one again changes nothing. */
  watch(session: Session | null): void;
  /** Forgets what is shown and asks for it anew. */
  restart(): void;
  onFrame(frame: StreamFrame): void;
  /** null: nothing of it has come yet */
  rows(viewport: Viewport): ReturnType<SessionScreen['rows']> | null;
  dispose(): void;
}

/** Where a session does not tell its size. */
const DEFAULT_SIZE = { cols: 80, rows: 24 };

/** @param onChanged its screen shows something else */
export function createWatchedSession(connection: () => StreamConnection | null, onChanged: () => void): WatchedSession {
  let slug: string | null = null;
  let screen: SessionScreen | null = null;
  let size = DEFAULT_SIZE;
  let hasContent = false;

  const begin = (): void => {
    screen?.dispose();
    screen = slug === null ? null : createSessionScreen(size);
    hasContent = false;
  };
  const end = (): void => {
    if (slug !== null) connection()?.unfollow([slug]);
  };

  return {
    watch(session) {
      const next = session?.type === 'screen' ? session : null;
      if (next !== null) size = { cols: next.cols ?? DEFAULT_SIZE.cols, rows: next.rows ?? DEFAULT_SIZE.rows };
      if ((next?.slug ?? null) === slug) {
        screen?.resize(size.cols, size.rows);
        return;
      }
      end();
      slug = next?.slug ?? null;
      begin();
      if (slug !== null) connection()?.follow([slug]);
    },
    restart() {
      end();
      begin();
      if (slug !== null) connection()?.follow([slug]);
      onChanged();
    },
    onFrame(frame) {
      if (frame.type === 'session_renamed' && frame.session === slug) slug = frame.slug;
      if (frame.type === 'reset' && frame.session === slug) begin();
      if (frame.type !== 'stream' || frame.session !== slug) return;
      const { session, offset } = frame;
      screen?.write(frame.data, frame.snapshot === true, () => {
        hasContent = true;
        connection()?.send({ type: 'ack', session, offset });
        onChanged();
      });
    },
    rows: (viewport) => (hasContent ? (screen?.rows(viewport) ?? null) : null),
    dispose() {
      screen?.dispose();
    },
  };
}
