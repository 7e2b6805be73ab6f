import { DIALOG_LAG_MS } from '../arbitrate/races.ts';
import type { HookEvidence } from '../evidence.ts';
import type { Millis } from '../millis.ts';
import { DEFAULT_THRESHOLDS, type Thresholds } from '../thresholds.ts';
import { AWAY_WHILE_SENDING_MS, followFlow, SPINNER_SHAPE } from './flow.ts';
import type { ScreenRule } from './generation.ts';
import type {
  FlowEvidence,
  ScreenDialog,
  ScreenEvidence,
  ScreenFrame,
  ScreenReading,
  SettledReading,
} from './screen-evidence.ts';
import { type ReadOptions, readScreen, SCREEN_RULES, SCREEN_SIGNS } from './screen-rules.ts';
import type { ScreenSigns } from './signs.ts';

/**
 * How long a running command may show no clock. A command that prints nothing shows its clock 3.2 s after the command
 * was drawn (2.1.330), and a command that prints something shows its clock after 2 s.
 */
const COMMAND_CLOCK_MS = 3_300;

/** Whether the screen is the only source, or hooks also report when a turn begins. */
export type Company = 'alone' | 'accompanied';

export const companyOf = (hooks: HookEvidence): Company => (hooks.lastAt === null ? 'alone' : 'accompanied');

interface SettleTimes {
  company: Company;
  active: number;
  activeDetail: number;
  dialog: number;
  idle: number;
  unknown: number;
}

/**
 * How long these readings must last, with or without hooks. A frame that was captured between two writes of a redraw
 * may lack the spinner, the end of a dialog, or everything.
 */
const ALWAYS = { activeDetail: 60, dialog: 40, unknown: 1_500 } as const;
/**
 * These times apply if there are hooks. A hook reports when a turn begins, but the end of a turn is drawn in several
 * writes.
 */
const ACCOMPANIED: SettleTimes = { company: 'accompanied', ...ALWAYS, active: 0, idle: 150 };

/**
 * Returns how long each kind of reading must last before it counts. Without hooks, it takes slightly longer until CBOS
 * believes the screen.
 */
export const settleTimes = (company: Company, thresholds: Thresholds): SettleTimes =>
  company === 'accompanied'
    ? ACCOMPANIED
    : { company: 'alone', ...ALWAYS, active: thresholds.spinnerSettleMs, idle: thresholds.promptSettleMs };

/** Returns how long a reading must last before it counts, given the reading that counted before. */
function settleMs(times: SettleTimes, reading: ScreenReading, before: SettledReading | null): number {
  if (reading.dialog !== null) return reading.dialog.isWhole ? times.dialog : times.unknown;
  if (reading.primary === null) return times.unknown;
  if (reading.primary === 'active') return before?.reading.primary === 'active' ? times.activeDetail : times.active;
  return times.idle;
}

/**
 * Matches the parts of a line that move without any progress: signs that blink or turn, clocks, counters, and the
 * animated startup logo of 2.1.329.
 */
const MOVING = /[▀-▟·✢✳✶✻✽*∗●⏺~]|\d+(?:\.\d+)?(?:[hms]|k?\s+tokens)\b|[↑↓]/g;

const mask = (line: string): string => line.replace(MOVING, ' ').trim();

/**
 * Ignores the spinner's entire line, because its verb changes even if there is no progress. Also ignores the rows below
 * the prompt, because the user's status line may change every second.
 */
function hasProgressed(before: ScreenFrame, after: ScreenFrame, footerRow: number): boolean {
  const rows = Math.min(Math.max(before.lines.length, after.lines.length), footerRow);
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
  return a.primary === b.primary && a.detail === b.detail && isSameDialog(a.dialog, b.dialog);
}

const isSameDialog = (a: ScreenDialog | null, b: ScreenDialog | null): boolean =>
  a?.kind === b?.kind && a?.isWhole === b?.isWhole && JSON.stringify(a?.parts) === JSON.stringify(b?.parts);

/**
 * Treats a dialog that was complete as still complete while Claude Code redraws it, provided that its text is the same
 * as before.
 */
function keptWhole({ dialog }: ScreenReading, reading: ScreenReading): ScreenReading {
  if (dialog?.isWhole !== true || reading.dialog === null || reading.dialog.isWhole) return reading;
  const whole = { ...reading, dialog: { ...reading.dialog, isWhole: true } };
  return isSameDialog(dialog, whole.dialog) ? whole : reading;
}

const NOTHING_SETTLED = { alone: null, accompanied: null } as const;

/** Adds a new frame to the evidence. `at` is the time at which the terminal showed this frame. */
export type ScreenObserver = (previous: ScreenEvidence | null, frame: ScreenFrame, at: Millis) => ScreenEvidence;

export interface ObserverOptions {
  /** the rules that read the screen, strongest first */
  rules: readonly ScreenRule[];
  signs?: ScreenSigns;
  thresholds?: Thresholds;
}

export function screenObserver({
  rules,
  signs = SCREEN_SIGNS,
  thresholds = DEFAULT_THRESHOLDS,
}: ObserverOptions): ScreenObserver {
  return (before, frame, at) => {
    const previous = before && untilNow(before, at, thresholds);
    const flow = followFlow(previous, frame, at);
    const known = { rules, signs, flow: flow.flow, hasReasoned: flow.hasReasoned };
    const drawn = readScreen(frame, known);
    const change = changeByTime(previous, { drawn, flow, at });
    const later = change === null ? drawn : readScreen(frame, { ...known, ...change.means });
    if (change === null || isSameReading(drawn, later)) {
      return fold(previous, { frame, flow, at, reading: drawn, next: null, isLate: false }, thresholds);
    }
    const isStillLate = previous?.isLate === true && isSameReading(previous.reading, later);
    const next = isStillLate ? null : { reading: later, flow: change.flow, at: change.at };
    return fold(
      previous,
      { frame, flow, at, reading: isStillLate ? later : drawn, next, isLate: isStillLate },
      thresholds,
    );
  };
}

/**
 * Returns what the passage of time will reveal about the frame, and when: that an answer is arriving, or that no
 * command is running any more.
 */
function changeByTime(
  previous: ScreenEvidence | null,
  { drawn, flow, at }: { drawn: ScreenReading; flow: FlowEvidence; at: Millis },
): { at: Millis; flow: FlowEvidence; means: Pick<ReadOptions, 'flow' | 'areCallsOver'> } | null {
  if (flow.flow === 'sending' && flow.awaySince !== null) {
    const receiving = { ...flow, flow: 'receiving' as const };
    return { at: flow.awaySince + AWAY_WHILE_SENDING_MS, flow: receiving, means: { flow: 'receiving' } };
  }
  if (drawn.detail !== 'using_tools') return null;
  // If the same reading had no deadline before, the command showed a clock until now. The clock has disappeared, so the
  // command has ended.
  const isSame = previous !== null && isSameReading(previous.reading, drawn);
  const overAt = isSame ? (previous.next?.at ?? at) : at + COMMAND_CLOCK_MS;
  return { at: overAt, flow, means: { areCallsOver: true } };
}

/** Returns the evidence, updated with the changes that are due only to the passage of time. */
export function untilNow(screen: ScreenEvidence, now: Millis, thresholds: Thresholds): ScreenEvidence {
  const { frame, next } = screen;
  if (next === null || now < next.at) return screen;
  return fold(screen, { frame, ...next, next: null, isLate: true }, thresholds);
}

/** Creates an observer that tries the user's rules before the built-in rules. */
export const userObserver = (rules: readonly ScreenRule[], thresholds: Thresholds): ScreenObserver =>
  screenObserver({ rules: [...rules, ...SCREEN_RULES], thresholds });

/** The observer that uses the built-in rules. */
export const observeScreen: ScreenObserver = screenObserver({ rules: SCREEN_RULES });

function fold(
  previous: ScreenEvidence | null,
  {
    frame,
    flow,
    at,
    next,
    isLate,
    reading: drawn,
  }: Pick<ScreenEvidence, 'frame' | 'flow' | 'reading' | 'next' | 'isLate'> & { at: Millis },
  thresholds: Thresholds,
): ScreenEvidence {
  const reading = previous === null ? drawn : keptWhole(previous.reading, drawn);
  const dialogSeenAt = reading.dialog === null ? (previous?.dialogSeenAt ?? null) : at;
  const now = { frame, flow, next, isLate, reading, dialogSeenAt, ...clearness(previous, reading, at) };
  if (previous === null) {
    return { ...now, readingSince: at, primarySince: at, settled: NOTHING_SETTLED, changedAt: at, progressedAt: at };
  }
  const isSame = isSameReading(previous.reading, reading);
  const footerRow = Math.min(previous.reading.footerRow, reading.footerRow);
  const settle = (company: Company): SettledReading | null => {
    const before = previous.settled[company];
    const times = settleTimes(company, thresholds);
    const hasSettled = at - previous.readingSince >= settleMs(times, previous.reading, before);
    return hasSettled ? { reading: previous.reading, since: previous.readingSince } : before;
  };
  return {
    ...now,
    readingSince: isSame ? previous.readingSince : at,
    primarySince: previous.reading.primary === reading.primary ? previous.primarySince : at,
    settled: isSame ? previous.settled : { alone: settle('alone'), accompanied: settle('accompanied') },
    changedAt: hasChanged(previous.frame, frame) ? at : previous.changedAt,
    progressedAt: hasProgressed(previous.frame, frame, footerRow) ? at : previous.progressedAt,
  };
}

function clearness(
  previous: ScreenEvidence | null,
  { dialog, cover, primary }: ScreenReading,
  at: Millis,
): Pick<ScreenEvidence, 'clearSince' | 'clearedAt'> {
  const isClear = dialog === null && cover === null && primary !== null;
  return {
    clearSince: isClear ? (previous?.clearSince ?? at) : null,
    clearedAt: previous === null ? null : clearedAt(previous, at),
  };
}

/** Returns the newest moment at which no dialog waited to be drawn, as far as the screen has shown it by now. */
export function clearedAt({ clearSince, clearedAt: before }: ScreenEvidence, now: Millis): Millis | null {
  return clearSince !== null && now - clearSince >= DIALOG_LAG_MS ? now - DIALOG_LAG_MS : before;
}

/**
 * Returns the reading that counts now and the time when it began. `recheckAt` is when a different reading will count if
 * nothing more is drawn, or null if none will.
 */
export function settledReading(
  screen: ScreenEvidence,
  times: SettleTimes,
  now: Millis,
): SettledReading & { recheckAt: Millis | null } {
  const before = screen.settled[times.company];
  const settlesAt = screen.readingSince + settleMs(times, screen.reading, before);
  const nextAt = screen.next?.at ?? null;
  if (now >= settlesAt || before === null) {
    return { reading: screen.reading, since: screen.readingSince, recheckAt: nextAt };
  }
  return { ...before, recheckAt: Math.min(settlesAt, nextAt ?? settlesAt) };
}
