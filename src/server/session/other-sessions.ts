import type { SessionActor } from './actor.ts';

/** What a session must know about the other sessions of its home before it is launched. */
export interface OtherSessions {
  /** whether another session owns this session's conversation */
  isShared(actor: SessionActor): boolean;
  /** returns the name of another session that has a conversation open or is parked with it; null if none has */
  ownerOf(conversation: string, session: Pick<SessionActor, 'record'>): string | null;
  /**
   * Ensures that a session which has ended or is parked may start again in its folder. Sessions that were lost while
   * they shared a worktree may share it again.
   * @throws CatalogueError worktree_in_use
   */
  requireUnshared(session: SessionActor): Promise<void>;
}
