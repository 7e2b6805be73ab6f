/**
 * The schemes that a link in a session may use: web pages and mail. `javascript:`, `data:`, `file:`, and addresses of
 * this page are not followed.
 */
const SAFE_SCHEMES: ReadonlySet<string> = new Set(['http:', 'https:', 'mailto:']);

/** Returns the address to follow, or null if it must not be followed. */
export function safeAddress(text: string): string | null {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  return SAFE_SCHEMES.has(url.protocol) ? url.href : null;
}
