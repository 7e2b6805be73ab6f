import { isRule, type Layout } from './layout.ts';
import type { Cover, ScreenEvidence, ScreenFrame } from './screen-evidence.ts';

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

/**
 * Returns what covers the prompt, based on the prompt's box and the footer. A dialog does not count as a cover. The
 * detailed transcript has a rule of its own.
 */
export function readCover({ prompt, ownFooter, frame }: Layout): Exclude<Cover, 'transcript'> | null {
  if (prompt === null) return isView(frame) || isConversationList(frame) ? 'view' : 'unknown';
  if (prompt.mark === SHELL_MARK) return 'shell';
  if (AGENTS.test(ownFooter)) return 'agents';
  return SEARCH.test(ownFooter) ? 'search' : null;
}

function isView(frame: ScreenFrame): boolean {
  return VIEW.test(lastLine(frame)) && frame.lines.some((line) => isRule(line, frame.cols));
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
      return titleOf(frame);
    default:
      return reading.dialog?.kind === 'setup' && LEAVES.test(lastLine(frame)) ? titleOf(frame) : null;
  }
}

const lastLine = ({ lines }: ScreenFrame): string => (lines.findLast((line) => line.trim() !== '') ?? '').trimEnd();

/** Returns the first words below the lowest rule, where Claude Code draws the title of a view. */
function titleOf({ lines, cols }: ScreenFrame): string {
  const rule = lines.findLastIndex((line) => isRule(line, cols));
  const line = lines.slice(rule + 1).find((one) => one.trim() !== '') ?? '';
  return line.trim().split(/ {2,}/)[0] ?? '';
}
