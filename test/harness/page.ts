import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { signInUrl } from '../../src/protocol/index.ts';
import { openPage, type WatchedPage } from './browser.ts';
import { call, type FacesUnderTest, type StartOptions, startFaces } from './faces.ts';
import { waitFor } from './wait-for.ts';

/** The built page, because tests run what users get. */
export const WEB_DIR = fileURLToPath(new URL('../../dist/web', import.meta.url));

/** The page with sessions in memory. Everything except the sessions is real. */
export interface PageUnderTest extends AsyncDisposable {
  server: FacesUnderTest;
  page: Page;
  watched: WatchedPage;
  url: string;
  /** opens a location in the page, `#/stash` */
  visit(hash: string): Promise<void>;
}

/** A machine without WebGL, on which xterm draws with DOM elements. */
export const WITHOUT_WEBGL = `{
  const { getContext } = HTMLCanvasElement.prototype;
  HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
    return kind === 'webgl2' ? null : getContext.call(this, kind, ...rest);
  };
}`;

/**
 * Reports a fault if a worker is used again after its script could not be loaded: such a worker never answers.
 * `failedWorkers` counts these workers.
 */
export const FAILED_WORKERS_ARE_DONE = `{
  window.failedWorkers = 0;
  window.Worker = class extends Worker {
    constructor(...args) {
      super(...args);
      this.addEventListener('error', () => {
        this.hasFailed = true;
        window.failedWorkers++;
      });
    }
    postMessage(...args) {
      if (this.hasFailed) console.error('a worker that failed was asked again');
      super.postMessage(...args);
    }
  };
}`;

/** Waits until a page's terminal shows the expected text. The page draws without WebGL. */
export async function untilTerminalShows(
  page: Page,
  describe: string,
  isShown: (lines: string[]) => boolean,
): Promise<void> {
  let lines: string[] = [];
  await waitFor(
    async () => {
      lines = await terminalLines(page);
      return isShown(lines);
    },
    { describe: `of the terminal: ${describe}`, actual: () => lines },
  );
}

/** Returns the lines that the terminal shows, without empty ones. */
export async function terminalLines(page: Page): Promise<string[]> {
  const rows = await page.locator('.xterm-rows > div').allTextContents();
  return rows.map((row) => row.replaceAll('\u00a0', ' ').trimEnd()).filter((row) => row !== '');
}

export async function newSignInLink(server: FacesUnderTest): Promise<string> {
  const answer = await call({ socketPath: server.faces.address.socket }, '/sign-in/links', { method: 'POST' });
  return signInUrl(server.faces.address.url, (answer.json() as { code: string }).code);
}

/**
 * Starts a server with the page, and signs in a browser.
 * @param prepare adds the sessions that exist from the start
 */
export async function startPage(
  browser: Browser,
  options: {
    server?: StartOptions;
    context?: Omit<Parameters<typeof openPage>[1], 'origin'>;
    /** whether terminals are drawn with DOM elements, so that their text can be read */
    readsTerminal?: boolean;
    prepare?: (server: FacesUnderTest) => void;
  } = {},
): Promise<PageUnderTest> {
  const server = await startFaces({ webDir: WEB_DIR, ...options.server });
  try {
    options.prepare?.(server);
    return await openPageOf(server, browser, options);
  } catch (cause) {
    await server[Symbol.asyncDispose]();
    throw cause;
  }
}

/** Signs in a browser to a server that has the page. The server ends with the page. */
export async function openPageOf(
  server: FacesUnderTest,
  browser: Browser,
  options: Pick<NonNullable<Parameters<typeof startPage>[1]>, 'context' | 'readsTerminal'> = {},
): Promise<PageUnderTest> {
  const { url } = server.faces.address;
  const watched = await openPage(browser, { origin: url, ...options.context });
  const { page } = watched;
  if (options.readsTerminal === true) await page.addInitScript(WITHOUT_WEBGL);
  await page.goto(await newSignInLink(server));
  await page.locator('.shell:not(.is-stale)').waitFor();
  await page.getByText('Connecting…').first().waitFor({ state: 'detached' });
  return {
    server,
    page,
    watched,
    url,
    visit: async (hash) => {
      // Only the part after `#` changes, so nothing is loaded again.
      await page.goto(`${url}/${hash}`);
    },
    [Symbol.asyncDispose]: async () => {
      await watched.context.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

/**
 * Loads the page in a browser with an empty cache, then opens a session's terminal.
 * @returns how many bytes, gzipped, were transferred until then
 */
export async function measureLoad(
  one: PageUnderTest,
  slug: string,
): Promise<{ withoutTerminal: number; withTerminal: number }> {
  const { page, server } = one;
  const loaded = new Set<string>();
  page.on('request', (request) => loaded.add(new URL(request.url()).pathname));
  const gzipped = async (): Promise<number> => {
    const answers = await Promise.all(
      [...loaded].map((path) =>
        server.call(path, { token: null, headers: { accept: 'text/html', 'accept-encoding': 'gzip' } }),
      ),
    );
    return answers.reduce((sum, { status, bytes }) => sum + (status === 200 ? bytes.length : 0), 0);
  };
  await page.goto('about:blank');
  await page.goto(await newSignInLink(server));
  await page.locator('.session-row').first().waitFor();
  const withoutTerminal = await gzipped();
  await one.visit(`#/s/${slug}`);
  await page.locator('.xterm-screen').waitFor();
  return { withoutTerminal, withTerminal: await gzipped() };
}
