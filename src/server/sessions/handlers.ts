import type { ATTENTION_ROUTES } from '../../protocol/attention-routes.ts';
import {
  countAttentions,
  isUnread,
  matchesSelector,
  type Session,
  State,
  type StatusCounts,
  tagsIn,
} from '../../protocol/index.ts';
import type { RESTORE_ROUTES, SESSION_ROUTES } from '../../protocol/session-routes.ts';
import type { Handlers } from '../handlers.ts';
import type { Sessions } from '../sessions.ts';

type SessionRoute =
  | keyof typeof SESSION_ROUTES
  | keyof typeof ATTENTION_ROUTES
  | keyof typeof RESTORE_ROUTES
  | 'convertSession'
  | 'conversations';

/** Creates the handlers that list, launch, change and end sessions. */
export function createSessionHandlers(sessions: Sessions): Pick<Handlers, SessionRoute> {
  return {
    listSessions: ({ query: { archived, state, tag, repo } }) => {
      const tags = tag === undefined ? undefined : tagsIn(tag);
      const all = archived === 'true' ? sessions.archived() : sessions.list();
      return all.filter((session) => matchesSelector(session, { state, tags, repo }));
    },
    countSessions: () => countByState(sessions.list()),
    waitingSessions: () => longestWaitingFirst(sessions.list()),
    createSession: ({ body }) => sessions.create(body),
    adoptSession: ({ body }) => sessions.adopt(body),
    getSession: ({ params }) => sessions.get(params.slug),
    patchSession: ({ params, body }) => sessions.patch(params.slug, body),
    deleteSession: async ({ params }) => {
      await sessions.remove(params.slug);
      return { status: 'deleted' };
    },
    killSession: ({ params }) => sessions.kill(params.slug),
    setPath: ({ params, body }) => sessions.patch(params.slug, { path: body.path }),
    convertSession: ({ params, body }) => sessions.convert(params.slug, body.type),
    conversations: () => sessions.conversations(),
    markSeen: async ({ params, body }) => sessions.seen(params.slug, body),
    markUnseen: async ({ params }) => sessions.unseen(params.slug),
    snoozeSession: async ({ params, body }) => sessions.snooze(params.slug, body),
    unsnoozeSession: async ({ params }) => sessions.unsnooze(params.slug),
    tagSession: async ({ params, body }) => sessions.tag(params.slug, body),
    archiveSession: async ({ params }) => sessions.archive(params.slug),
    unarchiveSession: async ({ params }) => sessions.unarchive(params.slug),
    parkSession: ({ params }) => sessions.park(params.slug),
    wakeSession: ({ params }) => sessions.wake(params.slug),
    resources: () => sessions.resources(),
    restore: ({ body }) => sessions.restore(body),
    restoration: () => sessions.restoration(),
    restartSession: ({ params, query }) =>
      sessions.restart(params.slug, {
        isNewConversation: query.new_conversation === 'true',
        isSameFolder: query.same_folder === 'true',
        isInStartFolder: query.start_folder === 'true',
      }),
  };
}

function countByState(all: readonly Session[]): StatusCounts {
  const by_state: Record<State, number> = {
    waiting: 0,
    thinking: 0,
    working: 0,
    idle: 0,
    error: 0,
    dead: 0,
    unknown: 0,
  };
  for (const session of all) by_state[session.state]++;
  const unread = all.filter(isUnread).length;
  return { total: all.length, by_state, by_attention: countAttentions(all), unread };
}

/**
 * Returns the sessions whose `state` is `waiting` (a dialog is open, or the prompt is empty after a turn). The session
 * that has waited longest comes first.
 */
function longestWaitingFirst(all: readonly Session[]): Session[] {
  return all
    .filter((session) => session.state === State.enum.waiting)
    .sort((one, other) => Date.parse(one.status.since) - Date.parse(other.status.since));
}
