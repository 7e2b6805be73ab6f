import { cleanLine } from './terminal-text.ts';

/** The maximum number of names in a list. If there are more, the list ends with the number of remaining names. */
const MOST_NAMED = 5;

/** Returns a list such as `a, b, c, d, e and 2 more`. */
export function someNames(names: readonly string[]): string {
  const more = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : '';
  return names.slice(0, MOST_NAMED).join(', ') + more;
}

/** Returns a list such as `2 sessions (AUTH, DOCS)`. */
export function someSessions(slugs: readonly string[]): string {
  return `${slugs.length} session${slugs.length === 1 ? '' : 's'} (${someNames(slugs.map(cleanLine))})`;
}
