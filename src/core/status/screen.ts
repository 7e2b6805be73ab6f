import type { Millis, ScreenEvidence, ScreenFrame, ScreenReading } from './evidence.ts';
import { readScreen } from './screen-rules.ts';

/**
 * How long a reading must stand before it counts. Redraws come in several writes: a frame between two of them lacks the
 * spinner or the dialog's last option. A spinner never stands by accident; an idle prompt does while a turn goes on.
 */
export const SETTLE_MS = { active: 0, activeDetail: 60, dialog: 40, idle: 150, unknown: 1_500 } as const;

/** How long a reading must stand before it counts, after the one that counted before. */
export function settleMs(reading: ScreenReading, before: ScreenReading | undefined): number {
  if (reading.dialog !== null) return SETTLE_MS.dialog;
  if (reading.primary === null) return SETTLE_MS.unknown;
  if (reading.primary === 'active') return before?.primary === 'active' ? SETTLE_MS.activeDetail : SETTLE_MS.active;
  return SETTLE_MS.idle;
}

/** What of a line moves by itself: signs that blink or turn, clocks, counters, the logo that dances at the start of 2.1.329. */
const MOVING = /[▀-▟·✢✳✶✻✽*∗●⏺~]|\d+(?:\.\d+)?(?:[hms]|k?\s+tokens)\b|[↑↓]/g;

const mask = (line: string): string => line.replace(MOVING, ' ').trim();

/** A spinner line is masked whole: its verb changes by itself. Recognised here by its shape alone, cheap and good enough. */
const SPINNER_SHAPE = /^[·✢✳✶✻✽*∗] .*…/;

function hasProgressed(before: ScreenFrame, after: ScreenFrame): boolean {
  const rows = Math.max(before.lines.length, after.lines.length);
  for (let row = 0; row < rows; row++) {
    const old = before.lines[row] ?? '';
    const fresh = after.lines[row] ?? '';
    if (old === fresh || (SPINNER_SHAPE.test(old) && SPINNER_SHAPE.test(fresh))) continue;
    if (mask(old) !== mask(fresh)) return true;
  }
  return false;
}

function hasChanged(before: ScreenFrame, after: ScreenFrame): boolean {
  return before.lines.length !== after.lines.length || after.lines.some((line, row) => line !== before.lines[row]);
}

function isSameReading(a: ScreenReading, b: ScreenReading): boolean {
  if (a.primary !== b.primary || a.detail !== b.detail || a.dialog?.kind !== b.dialog?.kind) return false;
  return JSON.stringify(a.dialog?.parts) === JSON.stringify(b.dialog?.parts);
}

/**
 * Folds a new frame into the screen's evidence.
 * @param at when the terminal looked like this
 */
export function observeScreen(previous: ScreenEvidence | null, frame: ScreenFrame, at: Millis): ScreenEvidence {
  const reading = readScreen(frame);
  const dialogSeenAt = reading.dialog === null ? (previous?.dialogSeenAt ?? null) : at;
  if (previous === null) {
    return { frame, reading, readingSince: at, settled: null, dialogSeenAt, changedAt: at, progressedAt: at };
  }
  const isSame = isSameReading(previous.reading, reading);
  const hasSettled = at - previous.readingSince >= settleMs(previous.reading, previous.settled?.reading);
  return {
    frame,
    reading,
    readingSince: isSame ? previous.readingSince : at,
    settled: isSame || !hasSettled ? previous.settled : { reading: previous.reading, since: previous.readingSince },
    dialogSeenAt,
    changedAt: hasChanged(previous.frame, frame) ? at : previous.changedAt,
    progressedAt: hasProgressed(previous.frame, frame) ? at : previous.progressedAt,
  };
}

/** The reading that counts now, since when it does, and when the newest one will count if it stays (null: it does already). */
export function settledReading(
  screen: ScreenEvidence,
  now: Millis,
): { reading: ScreenReading; since: Millis; recheckAt: Millis | null } {
  const settlesAt = screen.readingSince + settleMs(screen.reading, screen.settled?.reading);
  if (now >= settlesAt || screen.settled === null) {
    return { reading: screen.reading, since: screen.readingSince, recheckAt: null };
  }
  return { ...screen.settled, recheckAt: settlesAt };
}
