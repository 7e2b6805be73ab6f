/**
 * The position of a replay. Times are in milliseconds. `at` and `spent` are in recording time, `since` is in wall-clock
 * time. The functions in this file are pure and take the wall-clock time as `now`.
 */
export interface ReplayClock {
  /** the time of the output that was written last, or the target of the last jump */
  readonly at: number;
  /** how much recording time has passed since `at` */
  readonly spent: number;
  /** when `spent` was last updated */
  readonly since: number;
  /** the speed of the replay, where 2 means twice as fast */
  readonly speed: number;
  /** the longest silence that the replay plays, in recording time, or null if silences are not shortened */
  readonly idleLimitMs: number | null;
  readonly isPaused: boolean;
}

export interface ReplayPace {
  speed: number;
  idleLimitMs: number | null;
}

/**
 * The range of speeds that users can set with keypresses. At lower speeds nothing seems to move, and at higher speeds
 * nothing is readable.
 */
export const SLOWEST = 1 / 16;
export const FASTEST = 64;

export function startClock({ speed, idleLimitMs }: ReplayPace, now: number): ReplayClock {
  return { at: 0, spent: 0, since: now, speed, idleLimitMs, isPaused: false };
}

/**
 * Returns how many wall-clock milliseconds to wait before writing the output at `next`: 0 if the output is due, null
 * while the replay is paused.
 */
export function waitUntilDue(clock: ReplayClock, next: number, now: number): number | null {
  if (clock.isPaused) return null;
  const gap = Math.min(Math.max(next - clock.at, 0), clock.idleLimitMs ?? Number.POSITIVE_INFINITY);
  return Math.max(0, (gap - broughtUp(clock, now).spent) / clock.speed);
}

/**
 * Records that the output at `at` was written. The replay makes up for a short delay at the next output, so that delays
 * do not add up. After a long delay, for example because the terminal accepted no output, the replay continues from
 * this point at its normal speed.
 */
export function reach(clock: ReplayClock, at: number, now: number): ReplayClock {
  const gap = Math.min(Math.max(at - clock.at, 0), clock.idleLimitMs ?? Number.POSITIVE_INFINITY);
  const { spent } = broughtUp(clock, now);
  const ahead = (spent - gap) / clock.speed > LONGEST_CATCH_UP_MS || clock.isPaused ? 0 : Math.max(0, spent - gap);
  return { ...clock, at: Math.max(at, clock.at), spent: ahead, since: now };
}

/**
 * The longest delay that the replay makes up for. Timers fire a few milliseconds late, or tens of milliseconds on a
 * loaded machine. A longer delay has some other cause.
 */
const LONGEST_CATCH_UP_MS = 250;

/** Jumps to a point in recording time. */
export function jumpTo(clock: ReplayClock, at: number, now: number): ReplayClock {
  return { ...clock, at: Math.max(0, at), spent: 0, since: now };
}

/**
 * Returns the position in recording time that the replay shows now. In a shortened silence, only the time that was
 * actually spent counts.
 */
export function positionOf(clock: ReplayClock, now: number): number {
  return clock.at + broughtUp(clock, now).spent;
}

export function pause(clock: ReplayClock, now: number): ReplayClock {
  return { ...broughtUp(clock, now), isPaused: true };
}

export function togglePause(clock: ReplayClock, now: number): ReplayClock {
  return { ...broughtUp(clock, now), isPaused: !clock.isPaused };
}

/** @param factor by how much to multiply the speed: 2 doubles it, and 0.5 halves it */
export function changeSpeed(clock: ReplayClock, factor: number, now: number): ReplayClock {
  const speed = Math.min(Math.max(clock.speed * factor, SLOWEST), FASTEST);
  return { ...broughtUp(clock, now), speed };
}

function broughtUp(clock: ReplayClock, now: number): ReplayClock {
  if (clock.isPaused) return { ...clock, since: now };
  return { ...clock, spent: clock.spent + Math.max(0, now - clock.since) * clock.speed, since: now };
}

/** Returns a line with the position, the speed and the keys. */
export function replayStatus(clock: ReplayClock, { now, hasFiles }: { now: number; hasFiles: boolean }): string {
  const { isPaused, speed } = clock;
  const place = formatPosition(positionOf(clock, now));
  const pace = speed === 1 ? '' : `  ${speed}x`;
  const files = hasFiles ? '  f files' : '';
  return ` ${isPaused ? 'paused' : 'playing'} ${place}${pace}  q quit  space pause${files}  . step  arrows 5 s  + - speed`;
}

/** Formats a position as `0:05` or `1:02:03`. */
function formatPosition(ms: number): string {
  const seconds = Math.floor(ms / 1_000);
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60];
  const two = (value: number): string => String(value).padStart(2, '0');
  return hours === 0 ? `${minutes}:${two(seconds % 60)}` : `${hours}:${two(minutes)}:${two(seconds % 60)}`;
}

/** What a keypress does to a replay. */
export type ReplayKey = 'pause' | 'step' | 'back' | 'forward' | 'faster' | 'slower' | 'files' | 'quit';

const KEYS: ReadonlyMap<string, ReplayKey> = new Map([
  [' ', 'pause'],
  ['.', 'step'],
  ['\u001b[D', 'back'],
  ['\u001bOD', 'back'],
  ['\u001b[C', 'forward'],
  ['\u001bOC', 'forward'],
  ['+', 'faster'],
  ['=', 'faster'],
  ['-', 'slower'],
  ['f', 'files'],
  ['q', 'quit'],
  ['\u0003', 'quit'],
]);

/**
 * Returns the keypresses in a chunk of terminal input. Everything else is skipped, including unknown escape sequences.
 */
export function readReplayKeys(typed: string): ReplayKey[] {
  return [...typed.matchAll(/\u001b(?:\[[0-?]*[ -/]*[@-~]|O[A-Za-z])|[\s\S]/g)].flatMap(([key]) => KEYS.get(key) ?? []);
}
