/**
 * Returns the link for a code. The code comes after `#`, which browsers never send, so it appears in no log and no
 * `Referer`.
 * @param address `http://HOST:PORT`
 */
export function signInUrl(address: string, code: string): string {
  return `${address.replace(/\/+$/, '')}/#/sign-in/${code}`;
}
