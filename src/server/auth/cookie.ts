/**
 * The values of one cookie in the Cookie headers of a request. There may be several: cookies know no ports, so another
 * program's page on this machine sets its own under our name.
 */
export function readCookies(headers: readonly string[], name: string): string[] {
  return headers
    .flatMap((header) => header.split(';'))
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1))
    .filter((value) => value !== '');
}

/**
 * Out of reach of scripts, and never sent along with what a foreign site starts. @param secure the page came over HTTPS
 */
export function writeCookie(cookie: { name: string; value: string; maxAgeSeconds: number; secure: boolean }): string {
  const { name, value, maxAgeSeconds, secure } = cookie;
  const flags = `Path=/; HttpOnly; SameSite=Strict; Max-Age=${maxAgeSeconds}`;
  return `${name}=${value}; ${flags}${secure ? '; Secure' : ''}`;
}
