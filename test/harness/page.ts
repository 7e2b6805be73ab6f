import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { signInUrl } from '../../src/protocol/index.ts';
import { openPage, type WatchedPage } from './browser.ts';
import { call, type FacesUnderTest, type StartOptions, startFaces } from './faces.ts';

/** The built page: what users get is what is tested. */
export const WEB_DIR = fileURLToPath(new URL('../../dist/web', import.meta.url));

/** The page on sessions in memory: everything real but the sessions. */
export interface PageUnderTest extends AsyncDisposable {
  server: FacesUnderTest;
  page: Page;
  watched: WatchedPage;
  url: string;
  /** opens a place of the page, `#/stash` */
  visit(hash: string): Promise<void>;
}

export async function newSignInLink(server: FacesUnderTest): Promise<string> {
  const answer = await call({ socketPath: server.faces.address.socket }, '/sign-in/links', { method: 'POST' });
  return signInUrl(server.faces.address.url, (answer.json() as { code: string }).code);
}

/** Starts a server with the page and signs a browser in. @param prepare sessions that are there from the start */
export async function startPage(
  browser: Browser,
  options: {
    server?: StartOptions;
    context?: Omit<Parameters<typeof openPage>[1], 'origin'>;
    prepare?: (server: FacesUnderTest) => void;
  } = {},
): Promise<PageUnderTest> {
  const server = await startFaces({ webDir: WEB_DIR, ...options.server });
  options.prepare?.(server);
  const { url } = server.faces.address;
  const watched = await openPage(browser, { origin: url, ...options.context });
  const { page } = watched;
  await page.goto(await newSignInLink(server));
  await page.locator('.shell:not(.is-stale)').waitFor();
  return {
    server,
    page,
    watched,
    url,
    visit: async (hash) => {
      // Only the part behind `#` changes, so nothing is loaded again.
      await page.goto(`${url}/${hash}`);
    },
    [Symbol.asyncDispose]: async () => {
      await watched.context.close();
      await server[Symbol.asyncDispose]();
    },
  };
}
