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
    new Intl.DateTimeFormat('en', { timeZone: timezone });
  } catch (error) {
    if (error instanceof RangeError) return `there is no time zone named "${timezone}"`;
    throw error;
  }
  if (isNever) return { after: () => null };
  try {
    const cron = new Cron(fields.join(' '), { timezone, paused: true });
    return { after: (moment) => cron.nextRun(new Date(moment))?.getTime() ?? null };
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    return outOfRange(said, fields) ?? said.replace(/^CronPattern: /, '');
  }
}

/** The fields of a pattern as croner names them (10.0), with the name and the values that a person knows. */
const FIELD_NAMES: readonly [croner: string, name: string, values: string][] = [
  ['minute', 'minute', '0-59'],
  ['hour', 'hour', '0-23'],
  ['day', 'day of the month', '1-31'],
  ['month', 'month', '1-12'],
  ['dayOfWeek', 'day of the week', '0-7'],
];

/** Returns which field is out of range, or null. The value in croner's own message may be off by one. */
function outOfRange(said: string, fields: readonly string[]): string | null {
  const [, field] = /Invalid value for (\w+):/.exec(said) ?? [];
  const index = FIELD_NAMES.findIndex(([croner]) => croner === field);
  const [, name, values] = FIELD_NAMES[index] ?? [];
  return name === undefined ? null : `the ${name} "${fields[index]}" is out of range, which is ${values}`;
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
