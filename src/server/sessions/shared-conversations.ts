import type { SessionRecord } from '../../platform/sqlite/session-store.ts';
import type { ActorDeps, SessionActor } from '../session/actor.ts';
import type { Dispose } from '../sessions.ts';

interface SharedConversations {
  listed: { all(): readonly { readonly actor: SessionActor }[] };
  onEvent: ActorDeps['onEvent'];
}

/** Returns the conversation that a session has open, or null if the session does not run. */
const openIn = ({ claudeSessionId, endedAt }: SessionRecord): string | null =>
  endedAt === null ? claudeSessionId : null;

/** Returns the name of another running session that has a session's conversation open, or null if none has. */
export function alsoOpenIn(members: readonly { readonly actor: SessionActor }[], own: SessionRecord): string | null {
  const conversation = openIn(own);
  if (conversation === null) return null;
  return (
    members.find(({ actor: { record } }) => record.id !== own.id && openIn(record) === conversation)?.actor.slug ?? null
  );
}

/**
 * Notifies the faces about a session when another session opens or leaves its conversation. Claude Code neither refuses
 * nor warns when a person opens a conversation with `/resume` that is open elsewhere (2.1.330).
 */
export function watchSharedConversations({ listed, onEvent }: SharedConversations): Dispose {
  const known = new Map<string, Open>();
  return onEvent((event) => {
    if (!('session' in event)) return;
    const actor = listed.all().find((one) => one.actor.slug === event.session.slug)?.actor;
    if (actor === undefined) return;
    const { id, slug } = actor.record;
    const before = known.get(id) ?? { conversation: null, slug };
    const now = { conversation: openIn(actor.record), slug };
    if (before.conversation === now.conversation && before.slug === slug) return;
    known.set(id, now);
    for (const { actor: other } of listed.all()) {
      const open = openIn(other.record);
      if (other !== actor && open !== null && (open === before.conversation || open === now.conversation))
        other.update({});
    }
  });
}

/** The conversation that a session has open, if any, and the name under which other sessions show it. */
interface Open {
  conversation: string | null;
  slug: string;
}
