import type { SessionActor } from '../session/actor.ts';
import { requireUnshared } from '../worktrees/require-unclaimed.ts';
import { conversationOwners } from './restoring.ts';

/** What a session must know about the other sessions of its home before it is launched. */
export interface OtherSessions extends ReturnType<typeof conversationOwners> {
  /**
   * Ensures that a session which has ended or is parked may start again in its folder.
   * @throws CatalogueError worktree_in_use
   */
  requireUnshared(session: SessionActor): Promise<void>;
}

export function otherSessions(members: () => readonly { readonly actor: SessionActor }[]): OtherSessions {
  return {
    ...conversationOwners(members),
    requireUnshared: (session) =>
      requireUnshared(
        members().map(({ actor }) => actor),
        session,
      ),
  };
}
