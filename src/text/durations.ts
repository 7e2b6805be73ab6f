const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/**
 * Formats a time span using its two largest units, such as `4s`, `3m 12s`, `2h 05m`, or `6d 3h`. A span of less than a
 * second is `0s`.
 */
export function formatDuration(ms: number): string {
  const span = Math.max(0, ms);
  if (span < MINUTE) return `${Math.floor(span / SECOND)}s`;
  if (span < HOUR) return `${Math.floor(span / MINUTE)}m ${twoDigits(Math.floor((span % MINUTE) / SECOND))}s`;
  if (span < DAY) return `${Math.floor(span / HOUR)}h ${twoDigits(Math.floor((span % HOUR) / MINUTE))}m`;
  return `${Math.floor(span / DAY)}d ${Math.floor((span % DAY) / HOUR)}h`;
}

/**
 * Formats how long ago a point in time was. It returns an empty string if the time is unknown, and `0s` if the clock
 * has been set back.
 */
export function formatSince(timestamp: string | null, now: number): string {
  const at = timestamp === null ? Number.NaN : Date.parse(timestamp);
  return Number.isNaN(at) ? '' : formatDuration(now - at);
}

/** Formats the local time of day, such as `15:04:05`. @param at the time in Unix milliseconds */
export function formatClock(at: number): string {
  const date = new Date(at);
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map(twoDigits).join(':');
}

/** Formats the local date and time, such as `2026-11-20 15:04:05`. */
export function formatDateTime(at: number): string {
  const date = new Date(at);
  return `${[date.getFullYear(), date.getMonth() + 1, date.getDate()].map(twoDigits).join('-')} ${formatClock(at)}`;
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0');
}
