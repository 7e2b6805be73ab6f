import type { SeenSession } from '../protocol/index.ts';
import { cleanLine } from '../text/terminal-text.ts';
import type { App } from './app.ts';

const USAGE = '/file PATH [TEXT]';

/**
 * Sends a file on this machine to the selected session, using the command line.
 * @param words the path, in quotes if it contains spaces, followed by the text of the prompt
 */
export function sendFile(app: App, session: SeenSession, words: string): void {
  const request = readWords(words, app.options.env.HOME);
  if (request === null) {
    app.toast('bad', `No file given — ${USAGE}`);
    return;
  }
  const { path, text } = request;
  app.toast('wait', `sending ${cleanLine(path)}…`);
  app.run(async () => {
    // A single dash would make the command wait for standard input.
    const given = text === '' || text === '-' ? [] : ['--', text];
    const { code, said } = await app.host.runAside(['send', '--file', path, session.slug, ...given]);
    app.toast(code === 0 ? 'good' : 'bad', cleanLine(said.trim()).replace(/^cbos: /, ''));
  });
}

/**
 * Returns the path and the prompt, or null if there is no path. `~` must be expanded here, because no shell does it.
 */
export function readWords(words: string, home: string | undefined): { path: string; text: string } | null {
  const [, double, single, bare, text = ''] =
    /^\s*(?:"([^"]+)"|'([^']+)'|((?:\\.|[^\s\\])+))(?:\s+(.*))?$/s.exec(words) ?? [];
  // When the user drops a file onto a terminal, the terminal puts a backslash before each space in the file's path.
  const path = double ?? single ?? bare?.replaceAll(/\\(.)/g, '$1');
  if (path === undefined) return null;
  const isInHome = home !== undefined && path.startsWith('~/');
  return { path: isInHome ? `${home}${path.slice(1)}` : path, text: text.trim() };
}
