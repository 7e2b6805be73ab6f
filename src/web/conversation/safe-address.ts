/**
 * Where a link of a session may lead: out, to a page or a mail. `javascript:`, `data:`, `file:` and addresses of this
 * very page lead nowhere.
 */
const SAFE_SCHEMES: ReadonlySet<string> = new Set(['http:', 'https:', 'mailto:']);

/** The address to follow, null where it must not be followed. */
export function safeAddress(text: string): string | null {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  return SAFE_SCHEMES.has(url.protocol) ? url.href : null;
}
