import { openDatabase } from '../../src/platform/sqlite/database.ts';
import { createScheduleStore } from '../../src/platform/sqlite/schedule-store.ts';
import type { Clock } from '../../src/server/clock.ts';
import { createScheduler, type Scheduler } from '../../src/server/schedules/scheduler.ts';
import type { Sessions } from '../../src/server/sessions.ts';

const nothing = (): void => undefined;

/** The real schedules over sessions in memory, in a database that nobody keeps. A session's id is its name. */
export function memorySchedules(sessions: Pick<Sessions, 'list' | 'send' | 'delivery'>, clock: Clock): Scheduler {
  return createScheduler({
    store: createScheduleStore(openDatabase(':memory:')),
    sessions: {
      named: () => sessions.list().map(({ slug }) => ({ id: slug, name: slug })),
      send: (slug, request) => sessions.send(slug, request),
      delivery: (slug, id) => sessions.delivery(slug, id),
    },
    clock,
    log: { debug: nothing, info: nothing, warn: nothing, error: nothing },
    timezone: 'Europe/Berlin',
  });
}
