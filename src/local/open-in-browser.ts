import { spawn } from 'node:child_process';
import { accessSync, constants, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * Programs that open an address in the user's browser, in order of preference: first WSL's, then the one that every
 * desktop has.
 */
const OPENERS = ['wslview', 'xdg-open'];

/**
 * Opens a sign-in link in the browser. Every process on the machine may read the arguments of any other, and the link
 * signs in whoever uses it first. The browser therefore gets a private file that redirects to the link (Jupyter does
 * the same).
 * @returns false if there is no desktop to open it on
 */
export function openInBrowser(
  url: string,
  { environment, home }: { environment: Readonly<Record<string, string | undefined>>; home: string },
): boolean {
  const { DISPLAY, WAYLAND_DISPLAY, WSL_DISTRO_NAME, PATH } = environment;
  if (DISPLAY === undefined && WAYLAND_DISPLAY === undefined && WSL_DISTRO_NAME === undefined) return false;
  const opener = OPENERS.flatMap((name) => (PATH ?? '').split(delimiter).map((dir) => join(dir, name))).find(isProgram);
  if (opener === undefined) return false;
  const file = join(home, 'open.html');
  writeFileSync(file, redirectTo(url), { mode: 0o600 });
  const child = spawn(opener, [pathToFileURL(file).href], {
    stdio: 'ignore',
    detached: true,
    env: { ...environment },
  });
  child.once('error', () => undefined);
  child.unref();
  return true;
}

/** @param url an address with base64url, in which nothing needs escaping */
function redirectTo(url: string): string {
  return `<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer"><title>CBOS</title>
<meta http-equiv="refresh" content="0;url=${url}"><p><a href="${url}">Open CBOS</a></p>
`;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false; // the next directory may have it
  }
}
