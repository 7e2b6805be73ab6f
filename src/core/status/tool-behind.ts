import { askedQuestions, dialogKindOf, isRecord, squeeze, stringOf } from './asked-call.ts';
import type { PendingTool } from './evidence.ts';
import { hasSameInput } from './hooks/hooks.ts';
import type { ScreenDialog } from './screen/screen-evidence.ts';

/**
 * Caches the results of `toldBy`. An input can be 200 kB long, and it is compared with a dialog in each frame of its
 * session.
 */
const told = new WeakMap<PendingTool, string[]>();

const shownText = (dialog: ScreenDialog): string => dialog.parts.map((part) => part.text).join('\n');

/** Returns, without spaces, the parts of a call that its dialog repeats. */
function toldBy(tool: PendingTool): string[] {
  const known = told.get(tool);
  if (known !== undefined) return known;
  const input = isRecord(tool.input) ? tool.input : {};
  const fields = ['command', 'file_path', 'notebook_path', 'url'].map((key) => stringOf(input[key]));
  const texts = [...fields, ...askedQuestions(input).map(({ text }) => text)].map(squeeze).filter((one) => one !== '');
  told.set(tool, texts);
  return texts;
}

/** Returns the lines of a dialog without spaces and without the frame around them. */
const squeezedLines = (dialog: ScreenDialog): string[] =>
  shownText(dialog)
    .split('\n')
    .map((line) => squeeze(line.replace(/^\s*│|│\s*$/g, '')));

/**
 * Returns how many characters of a call are repeated in a dialog with questions, or 0 if the dialog is about something
 * else.
 */
function mentioned(dialog: ScreenDialog, tool: PendingTool): number {
  const shown = squeeze(shownText(dialog));
  return Math.max(0, ...toldBy(tool).flatMap((one) => (shown.includes(one.slice(0, 60)) ? [one.length] : [])));
}

/**
 * Reports whether part of a call fills entire lines of a dialog. If the dialog shows that part only within a longer
 * line, it shows a different command.
 */
function fillsLines(dialog: ScreenDialog, tool: PendingTool): boolean {
  let shown = '';
  const edges = new Set([0]);
  for (const line of squeezedLines(dialog)) {
    shown += line;
    edges.add(shown.length);
  }
  return toldBy(tool).some((told) => {
    for (let at = shown.indexOf(told); at >= 0; at = shown.indexOf(told, at + 1))
      if (edges.has(at) && edges.has(at + told.length)) return true;
    return false;
  });
}

/**
 * Reports whether a dialog shows the beginning of a call, at least 60 characters, up to an ellipsis or the end of the
 * dialog. That two commands begin alike is not enough: the folder of both may have a long path.
 */
function isCutOff(dialog: ScreenDialog, tool: PendingTool): boolean {
  const shown = squeezedLines(dialog).join('');
  return toldBy(tool).some((told) => {
    const at = shown.indexOf(told.slice(0, 60));
    if (told.length <= 60 || at < 0) return false;
    const ellipsis = shown.indexOf('…', at);
    return told.startsWith(shown.slice(at)) || (ellipsis > at && told.startsWith(shown.slice(at, ellipsis)));
  });
}

/** Matches a string that a terminal shows exactly as written. */
const PLAIN = /^[\x20-\x7e\n]+$/;

const MARKDOWN = /[`*_~#]/;

/**
 * Matches the beginning of the summary that follows the last of several questions. The summary repeats the questions,
 * but the window may cut them off.
 */
const SUMMARY = /^\s*Review your answers\b/;

/**
 * Reports whether a dialog is about a different call. The dialog for a command shows that command, and a dialog with
 * questions shows one of them. A dialog may be about a different call if that call's hook has not arrived yet and CBOS
 * still remembers an interrupted call.
 */
function isAboutAnother(dialog: ScreenDialog, tool: PendingTool): boolean {
  if (dialog.kind === 'question') return isOtherQuestion(dialog, tool);
  const command = isRecord(tool.input) ? stringOf(tool.input.command) : '';
  const isOfCommand = tool.name === 'Bash' && /^\s*Bash command\b/.test(dialog.parts[0]?.text ?? '');
  if (!isOfCommand || !PLAIN.test(command) || WITHHELD.test(shownText(dialog))) return false;
  return !fillsLines(dialog, tool) && !isCutOff(dialog, tool);
}

/** Matches what a dialog shows instead of a command that is several thousand characters long (2.1.330). */
export const WITHHELD = /^\s*\(value cannot be shown in full\b.*\)\s*$/m;

function isOtherQuestion(dialog: ScreenDialog, tool: PendingTool): boolean {
  const shown = dialog.parts[0]?.text ?? '';
  const asked = askedQuestions(tool.input).map(({ text }) => text);
  // If the window cuts off the top of a question, the end of the question is still visible. If a string is drawn
  // differently from how it is written, its absence proves nothing.
  const isShown = (text: string): boolean =>
    !PLAIN.test(text) ||
    MARKDOWN.test(text) ||
    squeeze(text).endsWith(squeeze(shown)) ||
    squeeze(shown).includes(squeeze(text));
  return shown !== '' && !SUMMARY.test(shown) && asked.length > 0 && !asked.some(isShown);
}

/**
 * Returns the call that an open dialog asks about, among the calls that open a dialog of this kind. `tools` still
 * contains interrupted calls, because no hook reports an interrupt. Only one question or plan can be open at a time, so
 * the newest is the open one. Several agents, however, can have open permission requests at the same time.
 */
export function toolBehind(dialog: ScreenDialog, tools: readonly PendingTool[]): PendingTool | null {
  const fitting = tools.filter((tool) => dialogKindOf(tool.name) === dialog.kind && !isAboutAnother(dialog, tool));
  const asked = fitting.filter((tool) => tool.requestedAt !== null);
  const candidates = asked.length > 0 ? asked : fitting;
  if (dialog.kind === 'permission') return permissionBehind(dialog, candidates);
  const lengths = candidates.map((tool) => mentioned(dialog, tool));
  const most = Math.max(0, ...lengths);
  return (most > 0 ? candidates[lengths.indexOf(most)] : candidates.at(-1)) ?? null;
}

/**
 * Returns the permission request whose hook has waited longest among those that the dialog may be about, or null if no
 * hook is waiting.
 */
export function longestWaiting(dialog: ScreenDialog, tools: readonly PendingTool[]): PendingTool | null {
  if (dialog.kind !== 'permission') return null;
  const isMeant = (tool: PendingTool): boolean =>
    tool.wait !== undefined && dialogKindOf(tool.name) === 'permission' && !isAboutAnother(dialog, tool);
  return tools.find(isMeant) ?? null;
}

/**
 * Returns the call that a permission dialog asks about. If several different calls are possible, the result is the only
 * one that the dialog shows in full, or null if there is not exactly one such call. The agent chooses the wording, so
 * two commands may begin alike, or the description of one may repeat the other. A wrong guess would let users allow
 * something that they cannot see. If the result is null, CBOS relies on what the dialog shows.
 */
function permissionBehind(dialog: ScreenDialog, candidates: readonly PendingTool[]): PendingTool | null {
  const [only] = candidates;
  // If two inputs were truncated, CBOS cannot know whether they end alike.
  const isSame = (one: PendingTool, other: PendingTool): boolean =>
    one === other || (one.cut !== true && other.cut !== true && hasSameInput(one, other));
  const isOne = (calls: readonly PendingTool[]): boolean => calls.every((call) => isSame(call, calls[0] ?? call));
  if (only === undefined || isOne(candidates)) return only ?? null;
  const whole = candidates.filter((tool) => fillsLines(dialog, tool));
  const [found] = whole;
  if (found === undefined || !isOne(whole)) return null;
  return candidates.some((other) => !isSame(other, found) && couldShow(other, found)) ? null : found;
}

/**
 * Reports whether the dialog for `tool` could show the text of `other`, or does not draw its own text exactly as it is
 * written.
 */
function couldShow(tool: PendingTool, other: PendingTool): boolean {
  const own = toldBy(tool);
  return stringsOf(tool.input).some(
    (one) =>
      !PLAIN.test(one) || (!own.includes(squeeze(one)) && toldBy(other).some((told) => squeeze(one).includes(told))),
  );
}

function stringsOf(value: unknown): string[] {
  if (typeof value === 'string') return value === '' ? [] : [value];
  return isRecord(value) ? Object.values(value).flatMap(stringsOf) : [];
}
