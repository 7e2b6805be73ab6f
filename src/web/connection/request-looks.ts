import { effect } from '@preact/signals';
import { createRequestLooks } from '../../client/index.ts';
import { now } from '../display/clock.ts';
import { client, link, sessions } from './fleet.ts';

/** Makes the server look up the states of pull requests while the user sees them in the list. */
export function startRequestLooks(): void {
  const looks = createRequestLooks(
    // An older server does not support this.
    (slugs) => void client.call('lookAtPullRequests', { body: { sessions: slugs } }).catch(() => undefined),
  );
  effect(() => {
    const at = now.value;
    if (link.value === 'live' && !document.hidden && document.hasFocus()) looks.note(sessions.value.values(), at);
  });
}
