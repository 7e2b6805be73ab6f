/** The part of a time span that lies within one day. */
export interface DayPart {
  /** the day, such as `2026-11-21`, in the machine's time zone */
  day: string;
  ms: number;
}

/** Returns the day on which a moment falls, in the machine's time zone. @param at the moment, in Unix milliseconds */
export function localDay(at: number): string {
  const date = new Date(at);
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/**
 * Returns the end of the day on which a moment falls, in the machine's time zone. Both times are in Unix milliseconds.
 */
export function endOfDay(at: number): number {
  const date = new Date(at);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + 1).getTime();
}

/**
 * Splits a time span into days. The length of a day follows the local clock, so a day has 23 or 25 hours when daylight
 * saving time begins or ends.
 */
export function partsByDay(from: number, to: number): DayPart[] {
  const parts: DayPart[] = [];
  for (let at = from; at < to; ) {
    const end = Math.min(to, endOfDay(at));
    parts.push({ day: localDay(at), ms: end - at });
    at = end;
  }
  return parts;
}
