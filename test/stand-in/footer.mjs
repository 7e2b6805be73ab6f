// The rows that say what Claude Code does: the spinner, the row after a turn, and the footer.
import { recordedRow, widthOf } from './screen.mjs';

/** Some of the words of the spinner, and of the line after a turn. */
const VERBS = ['Gallivanting', 'Jitterbugging', 'Symbioting', 'Nucleating', 'Scurrying'];
const PAST_VERBS = ['Brewed', 'Worked', 'Baked', 'Churned', 'Crunched'];
const MARKS = ['·', '✢', '*', '✶', '✻', '✽', '✻', '✶', '*', '✢'];
/** The commands of the menu. */
const COMMANDS = [
  ['clear', 'Start a new session with empty context; previous session stays on disk'],
  ['compact', 'Free up context by summarizing the conversation so far'],
  ['context', 'Show what fills the context'],
  ['exit', 'Exit the CLI'],
  ['model', 'Switch model'],
  ['resume', 'Resume a conversation'],
];
const NAME_COLS = 28;

/**
 * @typedef {{ startedAt: number, verb: string, tokens: number, hook: string | null, isThinking: boolean,
 *   note: string | null }} Work what a turn does now
 */

/** @param {number} count how many turns there were @returns {Work} */
export const beginWork = (count) => ({
  ...{ startedAt: Date.now(), verb: VERBS[count % VERBS.length] ?? 'Working', tokens: 0 },
  ...{ hook: null, isThinking: false, note: null },
});

/** The line with the sign that turns. @param {Work} work @param {number} tick */
export function workRow(work, tick) {
  const mark = MARKS[tick % MARKS.length] ?? '✻';
  const seconds = Math.floor((Date.now() - work.startedAt) / 1_000);
  const { verb, tokens } = work;
  if (work.note !== null) return work.note.replace('{mark}', mark).replace('{seconds}', String(seconds));
  if (work.hook !== null) return recordedRow('spinnerHook', { mark, verb, seconds, event: work.hook });
  if (tokens === 0) return recordedRow('spinnerFirst', { mark, verb });
  return recordedRow(work.isThinking ? 'spinnerThinks' : 'spinner', { mark, verb, seconds, tokens });
}

/** The line after a turn. @param {{ count: number, durationMs: number, at: Date, tasks: number }} turn */
export function workedRow({ count, durationMs, at, tasks }) {
  const time = at.toLocaleTimeString('en-US', { hour: 'numeric', minute: '2-digit', timeZone: 'UTC' });
  const verb = PAST_VERBS[count % PAST_VERBS.length] ?? 'Worked';
  const row = recordedRow('worked', { verb, seconds: Math.floor(durationMs / 1_000), time });
  return tasks === 0 ? row : `${row} · ${shells(tasks)} still running`;
}

const shells = (/** @type {number} */ count) => (count === 1 ? '1 shell' : `${count} shells`);

/**
 * The rows below the prompt: the menu of commands, or the mode and what keys do now.
 * @param {{ box: string, mode: string, tasks: number, isBusy: boolean, isNew: boolean, isExitNear: boolean,
 *   cols: number }} state
 */
export function footerRows({ box, mode, tasks, isBusy, isNew, isExitNear, cols }) {
  const found = COMMANDS.filter(([name = '']) => box.startsWith('/') && `/${name}`.startsWith(box));
  if (found.length > 0) {
    return found.map(([name, about], at) => `${at === 0 ? '  ❯ ' : '    '}${`/${name}`.padEnd(NAME_COLS)}${about}`);
  }
  const isManual = mode === 'default' || mode === 'manual';
  let left = recordedRow(isManual ? 'manual' : mode);
  if (isExitNear) left = recordedRow('exitHint');
  else if (box === '' && tasks > 0) left += ` · ${shells(tasks)} · ↓ to manage`;
  else if (box === '' && isBusy) left += recordedRow('interruptHint');
  else if (box === '' && isManual) left += recordedRow('shortcuts');
  if (isNew && box === '' && !isExitNear) left += recordedRow('agentsHint');
  const right = isNew ? recordedRow('effort') : '';
  const gap = cols - 2 - widthOf(left) - widthOf(right);
  return [right === '' || gap < 1 ? left : left + ' '.repeat(gap) + right];
}
