import { spawn } from 'node:child_process';
import { accessSync, constants, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * Programs that open an address in the user's browser, in order of preference: the one from WSL, then the one that
 * every desktop provides.
 */
const OPENERS = ['wslview', 'xdg-open'];

/**
 * Opens a sign-in link in the browser. The link must not be an argument of the browser's command: every process on the
 * machine can read other processes' arguments, and the link signs in whoever uses it first. The browser therefore opens
 * a private file that redirects to the link, as Jupyter does.
 * @returns false if there is no desktop on which to open the link
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

/** @param url a link whose code is in base64url, so nothing in it needs to be escaped */
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
    return false; // the next directory may contain the program
  }
}
