/** Names that are also routes (`/sessions/status`), so a session may not have them. */
export const RESERVED_SLUGS: readonly string[] = ['status', 'waiting', 'adopt'];

export const SLUG_PATTERN = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

/**
 * Reports whether a string may name a session. This is checked before anything else uses the string, because a slug
 * becomes a file name and a Screen name.
 */
export function isSlug(text: string): boolean {
  // In other languages, `$` also matches before a trailing newline. In JavaScript it does so only with the m flag.
  return SLUG_PATTERN.test(text) && !RESERVED_SLUGS.includes(text);
}

export const SESSION_TYPES = ['screen', 'json'] as const;

/** Claude Code's own words for `--permission-mode`, as of 2.1.329. A version may support fewer. */
export const PERMISSION_MODES = ['default', 'acceptEdits', 'plan', 'auto', 'dontAsk', 'bypassPermissions'] as const;

/** Where found text came from: a prompt, an answer, a tool call, or the screen. */
export const SEARCH_KINDS = ['prompt', 'answer', 'tool', 'screen'] as const;

/** `manual`: a user sends it. `next_waiting`: CBOS sends it as soon as the session waits for a prompt. */
export const STASH_WHENS = ['manual', 'next_waiting'] as const;

/**
 * A header on every response over the local socket. A command line uses it to notice a server with a different version.
 */
export const VERSION_HEADER = 'cbos-version';
