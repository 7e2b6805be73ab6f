import type { Schedule, ScheduleChange } from '../protocol/index.ts';

/**
 * Returns only those fields of a schedule that a form changes. The others are left out, because somebody else may have
 * changed them since.
 */
export function changesIn(schedule: Schedule, asked: ScheduleChange): ScheduleChange {
  const known = new Map<string, unknown>(Object.entries(schedule));
  // The field is empty if the schedule's session was deleted and no other has been chosen.
  return Object.fromEntries(
    Object.entries(asked).filter(
      ([key, value]) => value !== '' && JSON.stringify(known.get(key)) !== JSON.stringify(value),
    ),
  );
}
