/**
 * Returns the sign-in link for a code. The code comes after `#`. Browsers never send that part of a link, so the code
 * does not appear in any log or `Referer`.
 * @param address the server's address, in the form `http://HOST:PORT`
 */
export function signInUrl(address: string, code: string): string {
  return `${address.replace(/\/+$/, '')}/#/sign-in/${code}`;
}
