import { z } from 'zod';

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

export const SessionType = z.enum(['screen', 'json']);
export type SessionType = z.infer<typeof SessionType>;

/** A point in time on the wire: ISO 8601, UTC, milliseconds. */
export const Timestamp = z.iso.datetime();

/** Claude Code's own words for `--permission-mode`, as of 2.1.329; a version may know fewer. */
export const PermissionMode = z.enum(['default', 'acceptEdits', 'plan', 'auto', 'dontAsk', 'bypassPermissions']);
export type PermissionMode = z.infer<typeof PermissionMode>;

/** Terminal sizes that Screen 4.9 and Claude Code both draw without faults. */
export const Columns = z.int().min(20).max(500);
export const Rows = z.int().min(5).max(200);
