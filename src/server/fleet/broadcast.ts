import { toHomeError } from '../../platform/sqlite/home-fault.ts';
import {
  type Broadcast,
  type BroadcastResult,
  CatalogueError,
  matchesState,
  parseStateSelector,
} from '../../protocol/index.ts';
import type { Logger } from '../logger.ts';
import type { SentText } from '../session/delivery-journal.ts';
import type { Roster } from './roster.ts';

/** Sends one text to several sessions. A session that cannot accept the text does not affect the others. */
export async function broadcast(
  { roster, log }: { roster: Pick<Roster, 'all' | 'get'>; log: Logger },
  request: Broadcast & Pick<SentText, 'from'>,
): Promise<BroadcastResult[]> {
  const { slugs: _slugs, state: _state, all: _all, ...send } = request;
  const slugs = request.slugs ?? chooseSlugs(roster, request);
  return Promise.all(
    slugs.map(async (session): Promise<BroadcastResult> => {
      try {
        return { session, delivery: await roster.get(session).controls.deliverer.send(send) };
      } catch (cause) {
        const known = toHomeError(cause);
        if (known instanceof CatalogueError) return { session, error: known.toBody() };
        log.error({ err: cause, slug: session }, 'a broadcast failed');
        return { session, error: new CatalogueError('internal').toBody() };
      }
    }),
  );
}

/**
 * Returns the sessions that receive a broadcast. Without names, those are all sessions that accept texts. Stopped and
 * merely observed sessions are left out.
 */
function chooseSlugs(roster: Pick<Roster, 'all'>, request: Broadcast): string[] {
  const selector = request.state === undefined ? null : parseStateSelector(request.state);
  return roster
    .all()
    .filter(({ actor }) => actor.isListed() && actor.record.adopted && (actor.isParked() || !actor.isDead()))
    .map(({ actor }) => actor.view())
    .filter((session) => selector === null || matchesState(session, selector))
    .map((session) => session.slug);
}
