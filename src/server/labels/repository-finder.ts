import { placeOf, type Session } from '../../protocol/index.ts';
import type { SessionEvent } from '../sessions.ts';

/** Determines the repository that a session works in. This is done once for each folder, and never by polling. */
export interface RepositoryFinder {
  find(id: string, session: Session): Promise<void>;
  /** Determines the repository after an event if it may have changed. */
  see(id: string, session: Session, kind: SessionEvent['kind']): void;
  forget(id: string): void;
}

export function createRepositoryFinder(options: {
  /** returns the main checkout of the repository that a folder belongs to; null if the folder is in no repository */
  find(folder: string): Promise<string | null>;
  /** returns the known repository of a session */
  of(id: string): string | null;
  /** called if the repository is another one than was known */
  onFound(id: string, repository: string): void;
}): RepositoryFinder {
  /** the folder for which each session's repository was last determined */
  const lookedIn = new Map<string, string>();

  async function find(id: string, session: Session): Promise<void> {
    const path = placeOf(session);
    if (path === null) return;
    lookedIn.set(id, path);
    const found = await options.find(path).catch(() => null);
    // If the folder no longer exists, the known repository is kept. If the session has moved to another folder by now,
    // another call determines its repository.
    if (found !== null && found !== options.of(id) && lookedIn.get(id) === path) options.onFound(id, found);
  }

  return {
    find,
    see: (id, session, kind) => {
      // The session may have turned its folder into a repository during the turn.
      const mayHaveMade = kind === 'state' && session.status.primary === 'idle' && options.of(id) === null;
      if (lookedIn.get(id) !== placeOf(session) || mayHaveMade) void find(id, session);
    },
    forget: (id) => void lookedIn.delete(id),
  };
}
