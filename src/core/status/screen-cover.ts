import type { Cover } from './evidence.ts';
import type { Layout } from './screen-layout.ts';

const SHELL_MARK = '!';
/** In the footer, after Ctrl+R (2.1.329). */
const SEARCH = /^\s*search prompts:/im;
/** In the footer, after Left in an empty prompt (2.1.329): the list of sessions has a box of its own, for the task of a new one. */
const AGENTS = /^\s*enter to (?:return|create|open|reply)\b/im;

/** What covers the prompt as far as its box tells; a dialog does not count, nor does the detailed transcript, which is a rule of its own. */
export function readCover({ prompt, footer }: Pick<Layout, 'prompt' | 'footer'>): Exclude<Cover, 'transcript'> | null {
  if (prompt === null) return 'unknown';
  if (prompt.mark === SHELL_MARK) return 'shell';
  if (AGENTS.test(footer)) return 'agents';
  return SEARCH.test(footer) ? 'search' : null;
}
