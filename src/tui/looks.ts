import { type Client, createLookTimer, createRequestLooks } from '../client/index.ts';
import { elsewhereOf } from '../protocol/index.ts';
import type { TuiOptions } from './host.ts';
import type { Mode } from './mode.ts';
import { type Model, selectedSession } from './model.ts';

/**
 * Tells the server when the user has looked at the selected session, which means that it was shown for a while in a
 * terminal that has the focus.
 */
export interface Looks {
  /** Sets which session the picture shows now. */
  note(model: Model, mode: Mode): void;
  /** Call this when another program takes over the terminal and when that program ends. */
  stop(): void;
}

export function createLooks(options: { client: Client } & Pick<TuiOptions, 'startTimer' | 'now'>): Looks {
  const { client, startTimer, now } = options;
  const requests = createRequestLooks(
    (sessions) => void client.call('lookAtPullRequests', { body: { sessions } }).catch(() => undefined),
  );
  const timer = createLookTimer({
    startTimer,
    // If the report cannot be sent, the session stays unread.
    onLook: (slug, news) => void client.call('markSeen', { params: { slug }, body: { news } }).catch(() => undefined),
  });
  return {
    note: (model, mode) => {
      const isLookedAt = mode.page === undefined && model.hasFocus && model.link.isUp;
      const session = selectedSession(model);
      // Looks are recorded only on the machine that the session runs on, for the users of that machine.
      const seen = isLookedAt && session !== null && elsewhereOf(session) === null ? session : null;
      timer.show(seen);
      requests.note(seen === null ? [] : [seen], now());
    },
    stop: () => timer.dispose(),
  };
}
