import type { Schedule, ScheduleChange } from '../protocol/index.ts';

/**
 * Returns only the fields of a schedule that were changed in a form. The other fields are omitted, because somebody
 * else may have changed them in the meantime.
 */
export function changesIn(schedule: Schedule, asked: ScheduleChange): ScheduleChange {
  const known = new Map<string, unknown>(Object.entries(schedule));
  // The field is empty if the schedule's session was deleted and the user has not chosen another one.
  return Object.fromEntries(
    Object.entries(asked).filter(
      ([key, value]) => value !== '' && JSON.stringify(known.get(key)) !== JSON.stringify(value),
    ),
  );
}
