const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A time span for people, the two largest units: `4s`, `3m 12s`, `2h 05m`, `6d 3h`. Below a second: `0s`. */
export function formatDuration(ms: number): string {
  const span = Math.max(0, ms);
  if (span < MINUTE) return `${Math.floor(span / SECOND)}s`;
  if (span < HOUR) return `${Math.floor(span / MINUTE)}m ${twoDigits(Math.floor((span % MINUTE) / SECOND))}s`;
  if (span < DAY) return `${Math.floor(span / HOUR)}h ${twoDigits(Math.floor((span % HOUR) / MINUTE))}m`;
  return `${Math.floor(span / DAY)}d ${Math.floor((span % DAY) / HOUR)}h`;
}

/** How long ago a point in time was; empty where it is unknown. A clock that was set back gives `0s`. */
export function formatSince(timestamp: string | null, now: number): string {
  const at = timestamp === null ? Number.NaN : Date.parse(timestamp);
  return Number.isNaN(at) ? '' : formatDuration(now - at);
}

/** The time of day where the person is: `15:04:05`. @param at milliseconds since 1970 */
export function formatClock(at: number): string {
  const date = new Date(at);
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map(twoDigits).join(':');
}

/** The same with its day: `2026-11-20 15:04:05`. */
export function formatDateTime(at: number): string {
  const date = new Date(at);
  return `${[date.getFullYear(), date.getMonth() + 1, date.getDate()].map(twoDigits).join('-')} ${formatClock(at)}`;
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0');
}
