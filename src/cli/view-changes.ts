import type { SessionView } from '../client/index.ts';
import type { Session, StreamFrame } from '../protocol/index.ts';

/** Something that a person watches for. */
export interface SessionChange {
  /** the frame that tells it, for programs */
  frame: Extract<StreamFrame, { type: 'session_state' | 'session_added' | 'session_removed' | 'session_renamed' }>;
  /** the name under which it was known before */
  slug: string;
  /** the session after it, null when it was deleted */
  session: Session | null;
}

/**
 * What happened to the sessions between two views. Derived from the views and not from single frames, so that what
 * happened while the connection was lost is told as well, and a frame that changes nothing one can see is not.
 * @param frame the frame between the two: only it tells a rename from one session that went and another that came
 */
export function changesBetween(before: SessionView, after: SessionView, frame: StreamFrame): SessionChange[] {
  if (before === after) return [];
  if (frame.type === 'session_renamed') {
    return [{ frame, slug: frame.session, session: after.get(frame.slug) ?? null }];
  }
  const gone = [...before.keys()]
    .filter((slug) => !after.has(slug))
    .map((slug): SessionChange => ({ frame: { type: 'session_removed', session: slug }, slug, session: null }));
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

/** What makes a status another one for a person: not its clocks, not the evidence. */
export function statusKey({ state, status }: Session): string {
  return JSON.stringify([state, status.primary, status.detail, status.health, status.question?.id ?? null]);
}

/** The frame as the server would have sent it. */
function stateFrame(session: Session): SessionChange['frame'] {
  const { slug, status, json_state } = session;
  return { type: 'session_state', session: slug, state: json_state ?? session.state, status, json_state };
}
