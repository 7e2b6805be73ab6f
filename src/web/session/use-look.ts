import { useEffect, useMemo } from 'preact/hooks';
import { createLookTimer } from '../../client/index.ts';
import type { Session } from '../../protocol/index.ts';
import { client, link } from '../connection/fleet.ts';

/**
 * Tells the server that the user is looking at the open session, which means that its tab is visible and has the focus.
 */
export function useLook(session: Session | null): void {
  const timer = useMemo(
    () =>
      createLookTimer({
        startTimer: (work, delayMs) => {
          const id = window.setTimeout(work, delayMs);
          return () => window.clearTimeout(id);
        },
        // If the report cannot be sent, the session stays unread.
        onLook: (slug, news) =>
          void client.call('markSeen', { params: { slug }, body: { news } }).catch(() => undefined),
      }),
    [],
  );
  const { value: standing } = link;
  useEffect(() => {
    const look = (): void => {
      const isLookedAt = standing === 'live' && !document.hidden && document.hasFocus();
      timer.show(isLookedAt ? session : null);
    };
    look();
    addEventListener('focus', look);
    addEventListener('blur', look);
    document.addEventListener('visibilitychange', look);
    return () => {
      removeEventListener('focus', look);
      removeEventListener('blur', look);
      document.removeEventListener('visibilitychange', look);
    };
  }, [session, standing]);
  useEffect(() => timer.dispose, []);
}
