/**
 * The link that a code makes. The code is behind `#`: browsers keep that part to themselves, so no log and no
 * `Referer` ever has it.
 * @param address `http://HOST:PORT`
 */
export function signInUrl(address: string, code: string): string {
  return `${address.replace(/\/+$/, '')}/#/sign-in/${code}`;
}
