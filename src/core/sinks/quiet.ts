import { readTimes } from '../schedules/times.ts';

/** The hours of the day in which a sink sends nothing. */
export interface QuietHours {
  /** when the current quiet hours end, in Unix milliseconds, or null outside quiet hours */
  endAfter(now: number): number | null;
}

/**
 * Parses a range such as `22:00-07:00`, in the time zone's local time. On the day when daylight saving begins, a time
 * that the clock skips moves later by the skipped amount. On the day when it ends, only the first of two identical
 * times counts.
 * @returns a string that describes the error, if the range is invalid
 */
export function readQuiet(text: string, timezone: string): QuietHours | string {
  const [start, end] = text.split('-').map(daily);
  if (start === undefined || end === undefined) return 'write 22:00-07:00';
  if (start === end) return 'quiet hours cannot begin and end at the same time';
  const starts = readTimes(start, timezone);
  const ends = readTimes(end, timezone);
  if (typeof starts === 'string') return starts;
  if (typeof ends === 'string') return ends;
  return {
    endAfter: (now) => {
      const [nextStart, nextEnd] = [starts.after(now), ends.after(now)];
      // If the quiet hours end before they next begin, it is quiet now.
      return nextStart !== null && nextEnd !== null && nextEnd < nextStart ? nextEnd : null;
    },
  };
}

/** Returns the cron pattern for a time of day. */
function daily(time: string): string | undefined {
  const [, hour, minute] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(time) ?? [];
  return hour === undefined ? undefined : `${Number(minute)} ${Number(hour)} * * *`;
}
