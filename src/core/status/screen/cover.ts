import { isRule, type Layout } from './layout.ts';
import type { Cover, ScreenFrame } from './screen-evidence.ts';

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
  if (prompt === null) return isView(frame) ? 'view' : 'unknown';
  if (prompt.mark === SHELL_MARK) return 'shell';
  if (AGENTS.test(ownFooter)) return 'agents';
  return SEARCH.test(ownFooter) ? 'search' : null;
}

function isView({ lines, cols }: ScreenFrame): boolean {
  const last = lines.findLast((line) => line.trim() !== '') ?? '';
  return VIEW.test(last.trimEnd()) && lines.some((line) => isRule(line, cols));
}
