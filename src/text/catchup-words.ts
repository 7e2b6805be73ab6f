import type { Catchup, CatchupEvent, CatchupReplay, CatchupSession } from '../protocol/index.ts';
import { formatClock, formatDateTime, formatDuration } from './durations.ts';
import { dollarsText } from './figure-words.ts';
import { showHiddenMarks } from './hidden-marks.ts';
import { cleanBlock, cleanLine } from './terminal-text.ts';

const KINDS: Readonly<Record<CatchupEvent['kind'], string>> = {
  finished: 'finished a turn',
  interrupted: 'was interrupted',
  failed: 'ended a turn with an error',
  limit: 'was stopped by a usage limit',
  asked: 'asked',
  stuck: 'was stuck',
  stopped: 'stopped',
};

const ASKED: Readonly<Record<NonNullable<CatchupEvent['question']>, string>> = {
  permission: 'asked for permission',
  question: 'asked a question',
  plan: 'asked you to approve a plan',
  setup: 'asked for set-up',
  closing: 'ended a turn with a question',
  form: 'asked you to fill in a form',
};

/** The events whose duration is the time for which the session waited for the user. */
const WAITING: ReadonlySet<CatchupEvent['kind']> = new Set(['asked', 'stuck', 'limit']);

/** Describes an event, such as "asked for a permission, for 12m 03s". */
export function catchupEventText({ kind, question, lasted_ms: lasted }: CatchupEvent): string {
  const what = (question === null ? undefined : ASKED[question]) ?? KINDS[kind] ?? cleanLine(kind);
  if (!WAITING.has(kind)) return what;
  return lasted === null ? `${what}, still open` : `${what}, for ${formatDuration(lasted)}`;
}

/** Formats the time of an event: "14:02" if it happened today, otherwise with its date. */
export function catchupTimeText(at: string, now: number): string {
  const time = Date.parse(at);
  const day = (moment: number): string => formatDateTime(moment).slice(0, 'YYYY-MM-DD'.length);
  return day(time) === day(now) ? formatClock(time).slice(0, 'HH:MM'.length) : formatDateTime(time).slice(5, 16);
}

/** Returns a summary such as "2 turns finished, 3 files +40 -2, $1.20", or an empty string if nothing is known. */
export function catchupSummary({ finished, changes, cost_usd: cost, is_cost_by_day: isByDay }: CatchupSession): string {
  const turns = finished === 0 ? '' : finished === 1 ? 'one turn finished' : `${finished} turns finished`;
  const files =
    changes === null
      ? ''
      : `${changes.files === 1 ? 'one file' : `${changes.files} files`} +${changes.added} -${changes.removed}`;
  const dollars = cost === null ? '' : `${dollarsText(cost)}${isByDay ? ' on these days' : ''}`;
  return [turns, files, dollars].filter((part) => part !== '').join(', ');
}

/** Returns a heading such as "Since 2026-11-26 18:02, when you were last here: 4 sessions". */
export function catchupHead({ since, from, sessions }: Catchup): string {
  const when = `Since ${formatDateTime(Date.parse(since)).slice(0, 'YYYY-MM-DD HH:MM'.length)}`;
  const why = from === 'away' ? ', when you were last here' : '';
  const count =
    sessions.length === 0 ? 'nothing happened' : sessions.length === 1 ? 'one session' : `${sessions.length} sessions`;
  return `${when}${why}: ${count}`;
}

/** Returns the lines of a reply, made safe for a terminal and a page. */
export const replyLines = (reply: string | null): string[] =>
  reply === null ? [] : cleanBlock(showHiddenMarks(reply)).split('\n');

/** Returns the command that plays a recording from a given point, such as `cbos replay AUTH --from 1:02:03`. */
export function replayCommand({ recording, t }: CatchupReplay): string {
  const seconds = Math.floor(t);
  const two = (value: number): string => String(value).padStart(2, '0');
  const from = `${Math.floor(seconds / 3_600)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
  return cleanLine(`cbos replay ${recording} --from ${from}`);
}

/**
 * Returns the events for a short list: those that the user needs to know about, and only the last of the finished
 * turns.
 */
export function tellingEvents({ events }: Pick<CatchupSession, 'events'>): CatchupEvent[] {
  const last = events.findLastIndex(({ kind }) => kind === 'finished');
  return events.filter(({ kind }, index) => kind !== 'finished' || index === last);
}
