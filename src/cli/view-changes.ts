import type { SessionView } from '../client/index.ts';
import type { Session, StreamFrame } from '../protocol/index.ts';

/** A change that a user of `cbos watch` wants to see. */
export interface SessionChange {
  /** the frame that reports the change, for programs */
  frame: Extract<StreamFrame, { type: 'session_state' | 'session_added' | 'session_removed' | 'session_renamed' }>;
  /** the session's name before the change */
  slug: string;
  /** the session after the change, or null if it was deleted */
  session: Session | null;
}

/**
 * Returns what happened to the sessions between two views. It compares the views instead of interpreting single frames.
 * It therefore also reports changes that happened while the connection was lost, and ignores frames without a visible
 * change.
 * @param frame the frame that led from the first view to the second; only the frame distinguishes a rename from the
 * removal of one session and the addition of another
 */
export function changesBetween(before: SessionView, after: SessionView, frame: StreamFrame): SessionChange[] {
  if (before === after) return [];
  if (frame.type === 'session_renamed') {
    return [{ frame, slug: frame.session, session: after.get(frame.slug) ?? null }];
  }
  const gone = [...before.keys()]
    .filter((slug) => !after.has(slug))
    .map((slug): SessionChange => {
      // Only the frame itself distinguishes an archived session from a deleted one.
      const isArchived = frame.type === 'session_removed' && frame.session === slug && frame.archived === true;
      const removed = { type: 'session_removed' as const, session: slug };
      return { frame: isArchived ? { ...removed, archived: true } : removed, slug, session: null };
    });
  const others = [...after.values()].flatMap((session): SessionChange[] => {
    const known = before.get(session.slug);
    if (known !== undefined && statusKey(known) === statusKey(session)) return [];
    return [
      {
        frame: known === undefined ? { type: 'session_added', session } : stateFrame(session),
        slug: session.slug,
        session,
      },
    ];
  });
  return [...gone, ...others];
}

/** Returns the parts of a status that matter to users, that is, everything except its times and the evidence. */
export function statusKey({ state, status }: Session): string {
  return JSON.stringify([state, status.primary, status.detail, status.health, status.question?.id ?? null]);
}

/** Returns a frame such as the server would have sent for this change. */
function stateFrame(session: Session): SessionChange['frame'] {
  const { slug, status, json_state } = session;
  return { type: 'session_state', session: slug, state: json_state ?? session.state, status, json_state };
}
