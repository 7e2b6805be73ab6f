import type { Attention } from './attention/attend.ts';
import type { BaseSessions } from './base-sessions.ts';
import type { Book } from './book/book.ts';
import type { LabelledRequests } from './labels/label-sessions.ts';
import type { Sessions } from './sessions.ts';

/** Joins the requests that the sessions answer with those that the features answer. */
export function joinSessions(
  base: BaseSessions,
  { attention, labels, book }: { attention: Attention; labels: LabelledRequests; book: Book },
): Sessions {
  const { seen, unseen, snooze, unsnooze, acting, actingUntilSeen } = attention;
  return {
    ...base,
    ...{ seen, unseen, snooze, unsnooze },
    ...labels,
    onEvent: book.onEvent,
    kill: async (slug) => {
      const { slug: name } = await actingUntilSeen(slug, () => base.kill(slug));
      return base.get(name);
    },
    // A prompt sent by another session does not show that a person has looked.
    send: (slug, request) =>
      'from' in request ? base.send(slug, request) : acting(slug, () => base.send(slug, request)),
    answer: (slug, request) => acting(slug, () => base.answer(slug, request)),
    continueAfterLimit: (slug) => acting(slug, () => base.continueAfterLimit(slug)),
    interrupt: (slug) => acting(slug, () => base.interrupt(slug)),
    keys: (slug, keys) => acting(slug, () => base.keys(slug, keys)),
    invoke: (slug, request) => acting(slug, () => base.invoke(slug, request)),
    applyStash: (id) => {
      const draft = base.stash().find((one) => one.id === id);
      return acting(draft?.session_slug, () => base.applyStash(id));
    },
  };
}
