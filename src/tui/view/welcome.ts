import { truncate } from '../../text/display-width.ts';
import type { Style } from '../../text/style.ts';

/** Renders what the user sees while there are no sessions. */
export function welcome(dress: Style, cols: number): string[] {
  const lines: [string, string][] = [
    ['n', 'create a session, which runs Claude Code in one of your folders'],
    ['?', 'list all keys'],
    ['q', 'quit; the sessions and the server keep running'],
  ];
  return ['', ...lines.map(([key, does]) => `   ${dress('bold', key)}  ${truncate(does, cols - 6)}`)];
}
