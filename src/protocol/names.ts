/** Names that no session may have, because they are part of a route (`/sessions/status`). */
export const RESERVED_SLUGS: readonly string[] = ['status', 'waiting', 'adopt'];

export const SLUG_PATTERN = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

/**
 * Reports whether a string is a valid name for a session. Check this before using the string for anything else, because
 * the name becomes part of file names and the name of a Screen session.
 */
export function isSlug(text: string): boolean {
  // In some other languages, `$` also matches before a trailing newline. In JavaScript, it does so only with the m
  // flag.
  return SLUG_PATTERN.test(text) && !RESERVED_SLUGS.includes(text);
}

export const SESSION_TYPES = ['screen', 'json'] as const;

/** The values that Claude Code accepts for `--permission-mode`, as of 2.1.329. Older versions may support fewer. */
export const PERMISSION_MODES = ['default', 'acceptEdits', 'plan', 'auto', 'dontAsk', 'bypassPermissions'] as const;

/** What happens if the set-up of a worktree fails: Claude Code either does not start or starts anyway. */
export const AFTER_FAILURE = ['stop', 'start'] as const;
export type AfterFailure = (typeof AFTER_FAILURE)[number];

/** Where the text that a search found comes from: a prompt, an answer, a tool call, or the screen. */
export const SEARCH_KINDS = ['prompt', 'answer', 'tool', 'screen'] as const;

/**
 * When a draft is sent. `manual` means that the user sends it. `next_waiting` means that CBOS sends it as soon as the
 * session is waiting for a prompt.
 */
export const STASH_WHENS = ['manual', 'next_waiting'] as const;

/**
 * A header of every response over the local socket. It contains the server's version, which the command line compares
 * with its own.
 */
export const VERSION_HEADER = 'cbos-version';

/** Who or what ended a session. */
export const ENDED_BY = ['cbos', 'user', 'signal', 'killed', 'error', 'unknown'] as const;
