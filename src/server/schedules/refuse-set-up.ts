import type { ScheduleStore } from '../../platform/sqlite/schedule-store.ts';
import { CatalogueError, type Session } from '../../protocol/index.ts';
import type { Logger } from '../logger.ts';
import type { Dispose } from '../sessions.ts';
import type { ScheduledSessions } from './scheduled-sessions.ts';
import { deliveryOf } from './view-schedule.ts';

/**
 * Takes back the prompt of a run if its new session first asks for something like trust in the folder or a login. The
 * person may answer only hours later, when last night's prompt is no longer wanted. The session stays listed and needs
 * attention. While it is asking, the schedule launches no further session.
 */
export function refuseSetUp({
  store,
  sessions,
  log,
  onRefused,
}: {
  store: Pick<ScheduleStore, 'all' | 'lastSent' | 'conclude'>;
  sessions: ScheduledSessions;
  log: Logger;
  onRefused: () => void;
}): Dispose {
  async function look({ slug, status }: Session): Promise<void> {
    if (status.question?.kind !== 'setup') return;
    const { text } = status.question;
    for (const schedule of store.all()) {
      const run = schedule.launch === null ? null : store.lastSent(schedule.id);
      if (run === null || run.launches === null || run.outcome !== 'sent') continue;
      const delivery = deliveryOf(sessions, run);
      if (delivery?.session !== slug || delivery.status !== 'queued') continue;
      try {
        await sessions.cancelDelivery(slug, delivery.id);
      } catch (cause) {
        // The prompt is already being typed, so the session accepts prompts after all.
        if (cause instanceof CatalogueError) continue;
        throw cause;
      }
      const [asked = ''] = text.split('\n');
      log.warn({ schedule: schedule.name, slug }, "a schedule's session asks for set-up");
      store.conclude({ ...run, outcome: 'skipped', reason: 'refused', error: `${slug} asks for set-up: ${asked}` });
      onRefused();
    }
  }

  return sessions.onEvent((event) => {
    if (event.kind !== 'state' && event.kind !== 'added' && event.kind !== 'updated') return;
    look(event.session).catch((cause: unknown) => {
      log.error({ slug: event.session.slug, err: cause }, "a schedule's prompt could not be taken back");
    });
  });
}
