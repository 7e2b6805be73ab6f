import { createHmac } from 'node:crypto';
import { openDatabase } from '../../src/platform/sqlite/database.ts';
import { createScheduleStore } from '../../src/platform/sqlite/schedule-store.ts';
import type { Clock } from '../../src/server/clock.ts';
import type { ScheduledSessions } from '../../src/server/schedules/scheduled-sessions.ts';
import { createScheduler, type Scheduler } from '../../src/server/schedules/scheduler.ts';
import type { Sessions } from '../../src/server/sessions.ts';

const nothing = (): void => undefined;

type Wanted = Exclude<keyof ScheduledSessions & keyof Sessions, 'archive' | 'tag'> | 'list';

/** Creates the real schedules with sessions in memory and a database in memory. A session's id is its name. */
export function memorySchedules(
  sessions: Pick<Sessions, Wanted>,
  clock: Clock,
  database = openDatabase(':memory:'),
): Scheduler {
  return createScheduler({
    store: createScheduleStore(database),
    sessions: {
      get: (slug) => sessions.get(slug),
      send: (slug, request) => sessions.send(slug, request),
      delivery: (slug, id) => sessions.delivery(slug, id),
      cancelDelivery: (slug, id) => sessions.cancelDelivery(slug, id),
      create: (request) => sessions.create(request),
      restart: (slug) => sessions.restart(slug),
      park: (slug) => sessions.park(slug),
      kill: (slug) => sessions.kill(slug),
      archive: (slug) => sessions.get(slug),
      tag: (slug) => sessions.get(slug),
      onEvent: (listener) => sessions.onEvent(listener),
      named: () => sessions.list().map(({ slug }) => ({ id: slug, name: slug })),
      idOf: (slug) => slug,
      overBudget: () => null,
    },
    clock,
    log: { debug: nothing, info: nothing, warn: nothing, error: nothing },
    timezone: 'Europe/Berlin',
    baseUrl: () => 'http://127.0.0.1:32205',
  });
}

/** Adds a schedule that never runs automatically during a test. */
export function addQuietSchedule(schedules: Scheduler, name: string): void {
  schedules.add({ name, cron: '0 0 29 2 *', session: 'AUTH', prompt: 'run the tests' });
}

/** Adds a schedule with a webhook, and returns a request that triggers it. */
export function signedTrigger(schedules: Scheduler): { params: { id: string }; headers: Record<string, string> } {
  addQuietSchedule(schedules, 'TRIGGERED');
  const { url, secret } = schedules.createTrigger('TRIGGERED');
  const signature = createHmac('sha256', secret).update('').digest('hex');
  return { params: { id: url.split('/').at(-1) ?? '' }, headers: { 'x-hub-signature-256': `sha256=${signature}` } };
}
