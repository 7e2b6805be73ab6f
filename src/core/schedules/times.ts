import { Cron } from 'croner';

/** Five fields, as everywhere. A sixth one would be seconds, and a schedule by the second is a loop. */
const FIELDS = 5;

/** The times of a schedule. */
export interface ScheduleTimes {
  /** the first time after a moment, in Unix milliseconds; null if none ever comes */
  after(moment: number): number | null;
}

/**
 * Reads a pattern. A time that the clock skips, as daylight saving begins, comes as much later; one that the clock
 * shows twice comes once, the first time.
 * @returns a text that says what is wrong
 */
export function readTimes(pattern: string, timezone: string): ScheduleTimes | string {
  const fields = pattern.trim().split(/\s+/);
  if (fields.length !== FIELDS) {
    return `a pattern has ${FIELDS} fields (minute, hour, day of the month, month, day of the week), not ${fields.length}`;
  }
  try {
    // Throws RangeError for an unknown zone.
    new Intl.DateTimeFormat('en', { timeZone: timezone });
    const cron = new Cron(fields.join(' '), { timezone, paused: true });
    return { after: (moment) => cron.nextRun(new Date(moment))?.getTime() ?? null };
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    return error instanceof RangeError ? `there is no time zone "${timezone}"` : said.replace(/^CronPattern: /, '');
  }
}
