/**
 * Returns the values of one cookie in the Cookie headers of a request. There may be several values, because browsers do
 * not separate cookies by port: a page served by another program on this machine can set a cookie with our name.
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
 * Returns a Set-Cookie header. Scripts cannot read this cookie, and browsers never send it with a request that another
 * site started.
 * @param secure whether the page was loaded over HTTPS
 */
export function writeCookie(cookie: { name: string; value: string; maxAgeSeconds: number; secure: boolean }): string {
  const { name, value, maxAgeSeconds, secure } = cookie;
  const flags = `Path=/; HttpOnly; SameSite=Strict; Max-Age=${maxAgeSeconds}`;
  return `${name}=${value}; ${flags}${secure ? '; Secure' : ''}`;
}
