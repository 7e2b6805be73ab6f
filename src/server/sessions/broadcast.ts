import { toHomeError } from '../../platform/sqlite/home-fault.ts';
import { type BroadcastResult, CatalogueError } from '../../protocol/index.ts';
import type { NamedBroadcast } from '../base-sessions.ts';
import type { Logger } from '../logger.ts';
import type { SentText } from '../session/delivery-journal.ts';
import type { ListedSessions } from './listed-sessions.ts';

/** Sends one prompt to several sessions. A session that cannot accept the prompt does not affect the others. */
export async function broadcast(
  { listed, log }: { listed: Pick<ListedSessions, 'get'>; log: Logger },
  { slugs, ...text }: NamedBroadcast & Pick<SentText, 'from'>,
): Promise<BroadcastResult[]> {
  return Promise.all(
    slugs.map(async (session): Promise<BroadcastResult> => {
      try {
        return { session, delivery: await listed.get(session).controls.deliverer.send(text) };
      } catch (cause) {
        const known = toHomeError(cause);
        if (known instanceof CatalogueError) return { session, error: known.toBody() };
        log.error({ err: cause, slug: session }, 'a broadcast failed');
        return { session, error: new CatalogueError('internal').toBody() };
      }
    }),
  );
}
