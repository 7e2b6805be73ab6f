import type { Layout } from './layout.ts';
import { isRule, lowestRule } from './rule-line.ts';
import type { Cover, ScreenEvidence, ScreenFrame } from './screen-evidence.ts';
import { viewAbove } from './view-above.ts';

const SHELL_MARK = '!';
/** Matches the footer after Ctrl+R (2.1.329). */
const SEARCH = /^\s*search prompts:/im;
/**
 * Matches the footer after Left was pressed in an empty prompt (2.1.329). The session list then has a separate box for
 * a new session's task.
 */
const AGENTS = /^\s*enter to (?:return|create|open|reply)\b/im;

/** Matches the last line of `/help` and `/status`. Both are drawn below a rule (2.1.329). */
const VIEW = /\bEsc to close$/;

/** Matches the line of `/mobile` that names its key. The code below the line is not text (2.1.330). */
const CLOSED_BY = /^ {2}Esc to close$/;

/**
 * Returns what covers the prompt, based on the prompt's box and the footer. A dialog does not count as a cover. The
 * detailed transcript has a rule of its own.
 */
export function readCover({ prompt, ownFooter, frame, isBelowView }: Layout): Exclude<Cover, 'transcript'> | null {
  if (prompt === null) return isView(frame) || isConversationList(frame) ? 'view' : 'unknown';
  if (prompt.mark === SHELL_MARK) return 'shell';
  if (AGENTS.test(ownFooter)) return 'agents';
  if (SEARCH.test(ownFooter)) return 'search';
  return isBelowView ? 'view' : null;
}

function isView(frame: ScreenFrame): boolean {
  if (VIEW.test(lastLine(frame))) return lowestRule(frame) >= 0;
  return frame.lines.slice(lowestRule(frame) + 1).some((line) => CLOSED_BY.test(line)) && isBelowCommand(frame);
}

/**
 * Matches the title of the list of conversations that `/resume` opens. Its rows are not the options of a question: each
 * conversation has several rows, and a row is chosen by searching (2.1.330).
 */
const CONVERSATIONS = /^Resume session\b/i;

/** Reports whether the window shows the list of conversations, although the list looks like a dialog. */
export const isConversationList = (frame: ScreenFrame): boolean => CONVERSATIONS.test(titleOf(frame));

/**
 * Matches the last line of views with a list, such as `/config` and `/permissions`. They count as questions, but Esc
 * only closes them. In a dialog that Claude Code itself opens, Esc cancels something (2.1.330).
 */
const LEAVES = /\bEsc to (?:close|go back)$/;
/**
 * Matches the last line of views in which something can be set, such as `/model` and `/effort`, but also of dialogs
 * that Claude Code opens on its own (2.1.330).
 */
const CANCELS = /\bEsc to cancel$/;
/** Matches a slash command in the conversation. Claude Code draws the view that the command opens right below it. */
const COMMAND = /^❯ \/\w/;
/** Matches the rule with the conversation's name, which then is above the rule of the view (2.1.330). */
const NAMED_RULE = /^─{3,} .* ─+$/;
/** Matches the titles of such views that keys open as well, or that fill the window (2.1.330). */
const OPENED_BY_KEYS = /^(?:Rewind|Select model|↯ Fast mode)$/;

/**
 * Returns the name of the view that a person or a command has opened and that Esc closes, or null if none is open. The
 * name of one of Claude Code's own views is its title.
 */
export function viewOn({ frame, reading }: Pick<ScreenEvidence, 'frame' | 'reading'>): string | null {
  switch (reading.cover) {
    case 'transcript':
      return 'transcript';
    case 'search':
      return 'search';
    case 'agents':
      return 'list of agents';
    case 'view':
      return nameOf(frame, reading.footerRow);
    default:
      return isSetting(reading) && isClosedByEscape(frame) ? titleOf(frame) : null;
  }
}

/** A view in which something can be set looks like a set-up dialog. If it has no options, CBOS cannot read it. */
const isSetting = ({ cover, dialog }: ScreenEvidence['reading']): boolean =>
  dialog === null ? cover === 'unknown' : dialog.kind === 'setup';

function isClosedByEscape(frame: ScreenFrame): boolean {
  const last = lastLine(frame);
  return LEAVES.test(last) || (CANCELS.test(last) && isOpenedByPerson(frame));
}

function isOpenedByPerson(frame: ScreenFrame): boolean {
  return OPENED_BY_KEYS.test(titleOf(frame)) || isBelowCommand(frame);
}

function isBelowCommand(frame: ScreenFrame): boolean {
  const rule = lowestRule(frame);
  const above = frame.lines
    .slice(0, Math.max(rule, 0))
    .findLast((line) => line.trim() !== '' && !NAMED_RULE.test(line));
  return above !== undefined && COMMAND.test(above);
}

/** Returns the name of a view. The title of a view that is taller than the window is not visible. */
function nameOf(frame: ScreenFrame, footerRow: number): string {
  const bottom = footerRow - 1;
  if (!isRule(frame.lines[bottom] ?? '', frame.cols)) return titleOf(frame);
  const top = lowestRule({ ...frame, lines: frame.lines.slice(0, bottom) });
  const view = viewAbove({ ...frame, lines: frame.lines.slice(0, top) }, '');
  return view?.isWhole === true ? firstWords(frame, view.row) : UNTITLED;
}

const UNTITLED = 'untitled';

const lastLine = ({ lines }: ScreenFrame): string => (lines.findLast((line) => line.trim() !== '') ?? '').trimEnd();

/**
 * Returns the first words of a view, which are its title. Claude Code draws them below a rule. Only the answer to
 * `/btw` has no rule and is right below the command (2.1.330). A row of a list may begin like a command.
 */
function titleOf(frame: ScreenFrame): string {
  const rule = lowestRule(frame);
  const title = firstWords(frame, rule + 1);
  if (rule >= 0 || CONVERSATIONS.test(title)) return title;
  return firstWords(frame, frame.lines.findLastIndex((line) => COMMAND.test(line)) + 1);
}

function firstWords({ lines }: ScreenFrame, from: number): string {
  const line = lines.slice(from).find((one) => one.trim() !== '') ?? '';
  return line.trim().split(/ {2,}/)[0] ?? '';
}
