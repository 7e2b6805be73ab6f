/**
 * The schemes that links in a session may use: those of web pages and e-mail. `javascript:`, `data:`, `file:`, and
 * addresses within this page are not followed.
 */
const SAFE_SCHEMES: ReadonlySet<string> = new Set(['http:', 'https:', 'mailto:']);

/** Returns the address that a link leads to, or null if the link must not be followed. */
export function safeAddress(text: string): string | null {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  return SAFE_SCHEMES.has(url.protocol) ? url.href : null;
}
