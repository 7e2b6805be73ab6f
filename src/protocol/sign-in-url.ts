/**
 * Returns the link for a code. The code comes after `#`, and browsers never send that part, so the code appears in no
 * log and no `Referer`.
 * @param address `http://HOST:PORT`
 */
export function signInUrl(address: string, code: string): string {
  return `${address.replace(/\/+$/, '')}/#/sign-in/${code}`;
}
