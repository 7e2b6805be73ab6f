import type { SessionActor } from '../session/actor.ts';
import { requireUnshared } from '../worktrees/require-unclaimed.ts';
import { conversationOwners } from './restoring.ts';

/** What a session must know about the other sessions of its home before it is launched. */
export interface OtherSessions extends ReturnType<typeof conversationOwners> {
  /**
   * Ensures that a session which has ended or is parked may start again in its folder. Sessions that were lost while
   * they shared a worktree may share it again.
   * @throws CatalogueError worktree_in_use
   */
  requireUnshared(session: SessionActor): Promise<void>;
}

export function otherSessions(members: () => readonly { readonly actor: SessionActor }[]): OtherSessions {
  const restored = new Map<string, Restored>();
  const actors = (): SessionActor[] => members().map(({ actor }) => actor);

  /** Reports whether both sessions were lost while the other one worked in its present place. */
  function wereLostTogether({ record: own }: SessionActor, { record: other }: SessionActor): boolean {
    const found = restored.get(other.id);
    if (own.loss === null || found === undefined) return false;
    return found.place === other.reported.place && found.lost.get(own.id) === own.endedAt;
  }

  return {
    ...conversationOwners(members),
    requireUnshared: async (session) => {
      const { id, loss, reported } = session.record;
      await requireUnshared(
        actors().filter((other) => !wereLostTogether(session, other)),
        session,
      );
      restored.delete(id);
      if (loss === null || reported.place === null) return;
      const lost = actors().filter(({ record }) => record.loss !== null && record.id !== id);
      restored.set(id, {
        place: reported.place,
        lost: new Map(lost.map(({ record }) => [record.id, record.endedAt])),
      });
    },
  };
}

/**
 * A lost session that has been launched again and returns to the worktree into which it had moved. The session to which
 * the worktree belongs may be lost too, and may then return there as well.
 */
interface Restored {
  place: string;
  /** the other sessions that were lost at that time, with the time when each of them ended */
  lost: ReadonlyMap<string, number | null>;
}
