import { signal } from '@preact/signals';

/**
 * How often to update ages. Most of them are shown in minutes. Counting every second of the first minute is not worth
 * the additional redraws.
 */
const TICK_MS = 5_000;

/** The current time in Unix milliseconds, at most a few seconds old. */
export const now = signal(Date.now());

setInterval(() => {
  if (!document.hidden) now.value = Date.now();
}, TICK_MS);
document.addEventListener('visibilitychange', () => {
  now.value = Date.now();
});

const UNITS = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
] as const;

/** Formats how long ago something happened, in a single unit: `now`, `40 s`, `12 min`, `3 h`, or `2 d`. */
export function ageText(sinceMs: number, nowMs: number): string {
  const seconds = Math.max(0, Math.round((nowMs - sinceMs) / 1000));
  for (const [unit, size] of UNITS) if (seconds >= size) return `${Math.floor(seconds / size)} ${unit}`;
  return seconds < 5 ? 'now' : `${seconds} s`;
}
