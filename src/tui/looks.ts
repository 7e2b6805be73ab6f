import { type Client, createLookTimer } from '../client/index.ts';
import type { TuiOptions } from './host.ts';
import { type Model, selectedSession } from './model.ts';
import type { Mode } from './modes/mode.ts';

/** Reports that the selected session was looked at: shown for a while, in a terminal that has the focus. */
export interface Looks {
  /** What the picture shows by now. */
  note(model: Model, mode: Mode): void;
  /** Another program has the terminal, or it is given back. */
  stop(): void;
}

export function createLooks({ client, startTimer }: { client: Client; startTimer: TuiOptions['startTimer'] }): Looks {
  const timer = createLookTimer({
    startTimer,
    // One that does not arrive leaves it unread.
    onLook: (slug, news) => void client.call('markSeen', { params: { slug }, body: { news } }).catch(() => undefined),
  });
  return {
    note: (model, mode) => {
      const isLookedAt = mode.page === undefined && model.hasFocus && model.link.isUp;
      timer.show(isLookedAt ? selectedSession(model) : null);
    },
    stop: () => timer.dispose(),
  };
}
