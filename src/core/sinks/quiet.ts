import { readTimes } from '../schedules/times.ts';

/** The hours of a day in which a sink sends nothing. */
export interface QuietHours {
  /** when the current quiet hours end, in Unix milliseconds; null outside of quiet hours */
  endAfter(now: number): number | null;
}

/**
 * Parses `22:00-07:00` in the local time of the zone. On the day when daylight saving begins, a skipped time is later
 * by the skipped amount. On the day when it ends, only the first of two equal times counts.
 * @returns a text that describes the error
 */
export function readQuiet(text: string, timezone: string): QuietHours | string {
  const [start, end] = text.split('-').map(daily);
  if (start === undefined || end === undefined) return 'write 22:00-07:00';
  if (start === end) return 'they would never end';
  const starts = readTimes(start, timezone);
  const ends = readTimes(end, timezone);
  if (typeof starts === 'string') return starts;
  if (typeof ends === 'string') return ends;
  return {
    endAfter: (now) => {
      const [nextStart, nextEnd] = [starts.after(now), ends.after(now)];
      // If the hours end before they start again, now is within them.
      return nextStart !== null && nextEnd !== null && nextEnd < nextStart ? nextEnd : null;
    },
  };
}

/** Returns the pattern of a daily time. */
function daily(time: string): string | undefined {
  const [, hour, minute] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(time) ?? [];
  return hour === undefined ? undefined : `${Number(minute)} ${Number(hour)} * * *`;
}
