import type { SessionActor } from '../session/actor.ts';
import type { Dispose, TurnFacts } from '../sessions.ts';
import { requireQuiet } from './convert-session.ts';
import type { Member } from './listed-sessions.ts';

export function turnOf({ record, status }: SessionActor): TurnFacts {
  const { hooks, json } = status.evidence();
  return { id: record.id, prompt: (record.type === 'json' ? json?.prompt : hooks.prompt) ?? null };
}

/** Makes a session's tools wait. Only sessions with CBOS's hooks can be made to wait. */
export function holdTurn(actor: SessionActor): Dispose | null {
  const { launchId, type } = actor.record;
  if (launchId === null || type === 'json' || actor.isDead()) return null;
  try {
    return actor.deps.holdTurn(launchId);
  } catch (cause) {
    actor.deps.log.warn({ err: cause, slug: actor.slug }, "a session's tool calls could not be delayed");
    return null;
  }
}

export function whileQuiet<T>(member: Member, work: () => Promise<T>): Promise<T> {
  const { actor } = member;
  return actor.mailbox.post(async () => {
    if (!actor.isDead()) requireQuiet(member);
    return work();
  });
}
