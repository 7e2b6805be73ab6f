import type { SessionActor } from '../session/actor.ts';
import type { OtherSessions } from '../session/other-sessions.ts';
import { requireUnshared } from '../worktrees/require-unclaimed.ts';
import { conversationOwners } from './restoring.ts';

export function otherSessions(members: () => readonly { readonly actor: SessionActor }[]): OtherSessions {
  const actors = (): SessionActor[] => members().map(({ actor }) => actor);

  return {
    ...conversationOwners(members),
    requireUnshared: async (session) => {
      const { id, loss, reported } = session.record;
      await requireUnshared(
        actors().filter((other) => !wereLostTogether(session, other)),
        session,
      );
      // Saved, because the server may be restarted before the others are restored.
      const beside = loss === null || reported.place === null ? [] : [{ id, place: reported.place }];
      for (const other of actors()) {
        if (other.record.id !== id) noteBeside(other, id, beside);
      }
    },
  };
}

/** Reports whether both sessions were lost while the other one worked in its present place. */
function wereLostTogether({ record: own }: SessionActor, { record: other }: SessionActor): boolean {
  const beside = own.loss?.restoredBeside ?? [];
  return beside.some(({ id, place }) => id === other.id && place === other.reported.place);
}

/**
 * Notes in a lost session that another one is started again. If that one was lost too, and returns to the worktree into
 * which it had moved, the session to which the worktree belongs may return there as well.
 */
function noteBeside(lost: SessionActor, id: string, beside: readonly Beside[]): void {
  const { loss } = lost.record;
  if (loss === null) return;
  const others = loss.restoredBeside?.filter((one) => one.id !== id) ?? [];
  if (beside.length === 0 && others.length === (loss.restoredBeside ?? []).length) return;
  lost.commit({ loss: { ...loss, restoredBeside: [...others, ...beside] } });
}

/** A session that has been started again since it was lost, and the place to which it returns. */
interface Beside {
  id: string;
  place: string;
}
