import type { NewSnooze, Snooze } from '../protocol/index.ts';
import { formatDateTime } from './durations.ts';
import { cleanLine } from './terminal-text.ts';

/** Returns text such as `snoozed until 17:00`. If the snooze ends on another day, the text includes the date. */
export function snoozeText(snooze: Snooze): string {
  return `snoozed ${wakeText(snooze)}`;
}

/** Returns text such as `until 17:00`, for places below a heading that already says "snoozed". */
export function wakeText({ since, until, until_asks, until_turn_ends, until_ends }: Snooze): string {
  const rules = [
    ...(until === null ? [] : [momentText(Date.parse(until), Date.parse(since))]),
    ...(until_asks ? ['it asks'] : []),
    ...(until_turn_ends ? ['its turn ends'] : []),
    ...until_ends.map((slug) => `${cleanLine(slug)} ends`),
  ];
  return `until ${rules.join(' or ')}`;
}

const WITHOUT_SECONDS = -':00'.length;

function momentText(at: number, from: number): string {
  const [day, clock = ''] = formatDateTime(at).slice(0, WITHOUT_SECONDS).split(' ');
  const [today] = formatDateTime(from).split(' ');
  return day === today ? clock : `${day} ${clock}`;
}

const HOUR_MS = 60 * 60 * 1_000;
const UNITS_MS: Readonly<Record<string, number>> = { m: HOUR_MS / 60, h: HOUR_MS, d: 24 * HOUR_MS };

/** The hour at which a working day begins, which is when `tomorrow` ends a snooze. */
const MORNING_HOUR = 9;

/** The forms of a time that `wakeTime` accepts, for messages. */
export const WAKE_TIME_FORMS = '17:00, 30m, 2h, 3d, tomorrow, or 2026-11-24 09:00';

/**
 * Parses the time at which a snooze ends, in the user's time zone. `17:00` is the next moment at which the user's clock
 * shows this time, even if daylight saving time begins or ends before that.
 * @param now the current time in Unix milliseconds
 * @returns the time in Unix milliseconds, or null if the text is not a time
 */
export function wakeTime(text: string, now: number): number | null {
  const word = text.trim().toLowerCase();
  const here = new Date(now);
  const onDay = (days: number, hour: number, minute: number): number =>
    new Date(here.getFullYear(), here.getMonth(), here.getDate() + days, hour, minute).getTime();
  if (word === 'tomorrow') return onDay(1, MORNING_HOUR, 0);
  const span = /^(\d{1,4})([mhd])$/.exec(word);
  if (span !== null) return now + Number(span[1]) * (UNITS_MS[span[2] ?? ''] ?? 0);
  const clock = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(word);
  if (clock !== null) {
    const today = onDay(0, Number(clock[1]), Number(clock[2]));
    return today > now ? today : onDay(1, Number(clock[1]), Number(clock[2]));
  }
  return readDate(word);
}

/** Parses `2026-11-24`, `2026-11-24 09:00`, or a timestamp with a time zone. */
function readDate(word: string): number | null {
  const parts = /^(\d{4})-(\d\d)-(\d\d)(?:[t ](\d\d):(\d\d))?$/.exec(word);
  if (parts === null) {
    const stamp = /^\d{4}-\d\d-\d\dt[\d:.]+(?:z|[+-]\d\d:\d\d)$/.test(word)
      ? Date.parse(word.toUpperCase())
      : Number.NaN;
    return Number.isNaN(stamp) ? null : stamp;
  }
  const [year = 0, month = 0, day = 0, hour = MORNING_HOUR, minute = 0] = parts
    .slice(1)
    .map((part: string | undefined) => (part === undefined ? undefined : Number(part)));
  const date = new Date(year, month - 1, day, hour, minute);
  // Without this check, 2026-02-30 would become a day in March.
  return date.getMonth() === month - 1 && date.getDate() === day && hour < 24 && minute < 60 ? date.getTime() : null;
}

/** A choice that the terminal UI and the page offer, with its key. */
export interface SnoozeChoice {
  key: string;
  does: string;
  rule: NewSnooze;
}

/** @param now the current time in Unix milliseconds */
export function snoozeChoices(now: number): SnoozeChoice[] {
  const until = (text: string): NewSnooze => ({ until: new Date(wakeTime(text, now) ?? now).toISOString() });
  return [
    { key: 'n', does: 'something new', rule: {} },
    { key: 'a', does: 'it asks', rule: { until_asks: true } },
    { key: 'e', does: 'its turn ends', rule: { until_turn_ends: true } },
    { key: 'h', does: 'in an hour', rule: until('1h') },
    { key: '4', does: 'in four hours', rule: until('4h') },
    { key: 't', does: 'tomorrow, 9:00', rule: until('tomorrow') },
  ];
}
