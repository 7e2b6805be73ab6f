import type { Attention } from './attention/attend.ts';
import type { Sessions } from './sessions.ts';

export interface PersonOptions {
  attention: Pick<Attention, 'acting' | 'actingUntilSeen'>;
  /** called when a person shows that they are at the desk */
  acted(): void;
}

/**
 * Returns the sessions for the faces, through which a person acts. Whoever acts on a session has just seen its state,
 * so each action also counts as a look. What the server itself sends, such as the prompt of a schedule, is no action of
 * a person and never goes through here.
 */
export function byPerson(sessions: Sessions, { attention, acted }: PersonOptions): Sessions {
  const { acting, actingUntilSeen } = attention;
  const act = <T>(slug: string, work: () => Promise<T>): Promise<T> => {
    acted();
    return acting(slug, work);
  };
  return {
    ...sessions,
    seen: (slug, look) => {
      acted();
      return sessions.seen(slug, look);
    },
    snooze: (slug, request) => {
      acted();
      return sessions.snooze(slug, request);
    },
    kill: async (slug) => {
      const { slug: name } = await actingUntilSeen(slug, () => sessions.kill(slug));
      return sessions.get(name);
    },
    // A prompt sent by another session shows nothing about a person.
    send: (slug, request) =>
      'from' in request ? sessions.send(slug, request) : act(slug, () => sessions.send(slug, request)),
    answer: (slug, request) => act(slug, () => sessions.answer(slug, request)),
    interrupt: (slug) => act(slug, () => sessions.interrupt(slug)),
    keys: (slug, keys) => act(slug, () => sessions.keys(slug, keys)),
    continueAfterLimit: (slug) => acting(slug, () => sessions.continueAfterLimit(slug)),
    invoke: (slug, request) => acting(slug, () => sessions.invoke(slug, request)),
    applyStash: (id) => {
      const draft = sessions.stash().find((one) => one.id === id);
      return acting(draft?.session_slug, () => sessions.applyStash(id));
    },
  };
}
