/**
 * The value of one cookie in the Cookie headers of a request, null where it is missing. Several of the same name are none: the second was
 * set by somebody else (another program's page on this machine shares our name, cookies know no ports).
 */
export function readCookie(headers: readonly string[], name: string): string | null {
  const values = headers
    .flatMap((header) => header.split(';'))
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
  return values.length === 1 && values[0] !== undefined && values[0] !== '' ? values[0] : null;
}

/** Out of reach of scripts, and never sent along with what a foreign site starts. @param secure the page came over HTTPS */
export function writeCookie(cookie: { name: string; value: string; maxAgeSeconds: number; secure: boolean }): string {
  const { name, value, maxAgeSeconds, secure } = cookie;
  const flags = `Path=/; HttpOnly; SameSite=Strict; Max-Age=${maxAgeSeconds}`;
  return `${name}=${value}; ${flags}${secure ? '; Secure' : ''}`;
}
