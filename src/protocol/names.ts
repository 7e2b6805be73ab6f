/** Names that are also routes (`/sessions/status`), so no session may carry them. */
export const RESERVED_SLUGS: readonly string[] = ['status', 'waiting', 'adopt'];

export const SLUG_PATTERN = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

/**
 * Whether a text may name a session. Checked before anything else looks at the text: a slug becomes a file name and a
 * Screen name.
 */
export function isSlug(text: string): boolean {
  // `$` would also accept a trailing newline in other languages' regular expressions; not in this one without the m
  // flag.
  return SLUG_PATTERN.test(text) && !RESERVED_SLUGS.includes(text);
}

export const SESSION_TYPES = ['screen', 'json'] as const;

/** Claude Code's own words for `--permission-mode`, as of 2.1.329; a version may know fewer. */
export const PERMISSION_MODES = ['default', 'acceptEdits', 'plan', 'auto', 'dontAsk', 'bypassPermissions'] as const;

/**
 * Where a found text comes from: what was sent to Claude Code, what it answered, a tool call, or what stood on the
 * screen.
 */
export const SEARCH_KINDS = ['prompt', 'answer', 'tool', 'screen'] as const;

/** `manual`: a person applies it. `next_waiting`: applied by itself as soon as the session waits for a prompt. */
export const STASH_WHENS = ['manual', 'next_waiting'] as const;

/** With every answer over the local socket: a command line sees whether the server is as old as it is. */
export const VERSION_HEADER = 'cbos-version';
