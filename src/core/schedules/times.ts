import { Cron } from 'croner';

/**
 * Patterns have the usual five fields. A sixth field would specify seconds, and no one wants a prompt every few
 * seconds.
 */
const FIELDS = 5;

/** The pattern of a schedule that has no times and runs only by hand or through its webhook. */
export const NEVER = 'never';

/** The times at which a schedule runs. */
export interface ScheduleTimes {
  /** the first time after a given moment, in Unix milliseconds, or null if there is none */
  after(moment: number): number | null;
}

/**
 * Parses a pattern. If the clock skips a time because of daylight saving, the run is later by the skipped amount. If
 * the clock shows a time twice, the run happens only the first time.
 * @returns a string that describes the error, if the pattern is invalid
 */
export function readTimes(pattern: string, timezone: string): ScheduleTimes | string {
  const fields = pattern.trim().split(/\s+/);
  const isNever = fields.length === 1 && fields[0] === NEVER;
  if (fields.length !== FIELDS && !isNever) {
    return `a pattern needs ${FIELDS} fields (minute, hour, day of the month, month, day of the week) or the word ${NEVER}; this one has ${fields.length}`;
  }
  try {
    // The next call throws a RangeError if the time zone is unknown.
    new Intl.DateTimeFormat('en', { timeZone: timezone });
    if (isNever) return { after: () => null };
    const cron = new Cron(fields.join(' '), { timezone, paused: true });
    return { after: (moment) => cron.nextRun(new Date(moment))?.getTime() ?? null };
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    return error instanceof RangeError
      ? `there is no time zone named "${timezone}"`
      : said.replace(/^CronPattern: /, '');
  }
}

/** Returns the times that `isLeftOut` does not name. */
export function exceptFor(times: ScheduleTimes, isLeftOut: (at: number) => boolean): ScheduleTimes {
  return {
    after: (moment) => {
      let at = times.after(moment);
      while (at !== null && isLeftOut(at)) at = times.after(at);
      return at;
    },
  };
}
