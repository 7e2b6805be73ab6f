import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { CHROMIUM, findOnPath } from '../../scripts/setup/system-programs.mjs';
import type { World } from './world.ts';

/** A phone that is small but in use, and a laptop. */
export const VIEWPORTS = { phone: { width: 360, height: 740 }, desktop: { width: 1280, height: 800 } } as const;

/**
 * Chromium without a window. The sandbox needs privileges that containers lack; the pages are our own. WebGL is drawn by software.
 * Ends with the world.
 */
export async function openBrowser(world: Pick<World, 'onDispose' | 'env'>): Promise<Browser> {
  const program = findOnPath(CHROMIUM.programs, process.env.PATH);
  if (program === null) throw new Error('there is no Chromium: `npm test` installs it, or says how');
  const browser = await chromium.launch({
    executablePath: program,
    args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'],
    env: world.env,
  });
  world.onDispose(() => browser.close());
  return browser;
}

/** A page that fails the test when something on it fails: an error, a refused resource, a request to another host. */
export interface WatchedPage {
  page: Page;
  context: BrowserContext;
  /** what went wrong so far, one line each */
  faults: string[];
}

export async function openPage(
  browser: Browser,
  options: Parameters<Browser['newContext']>[0] & { origin: string },
): Promise<WatchedPage> {
  const { origin, ...rest } = options;
  const context = await browser.newContext({ viewport: VIEWPORTS.desktop, ...rest });
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(`error: ${error.message}`));
  page.on('console', (message) => {
    // Of a server that is away on purpose, and of itself being a private window, the browser complains by itself.
    if (
      message.type() === 'error' &&
      !/ERR_CONNECTION_REFUSED|WebSocket connection|status of 4\d\d|incognito mode/.test(message.text())
    ) {
      faults.push(`console: ${message.text()}`);
    }
  });
  page.on('request', (request) => {
    const { protocol, origin: asked } = new URL(request.url());
    if (asked !== origin && protocol !== 'data:' && protocol !== 'blob:')
      faults.push(`foreign request: ${request.url()}`);
  });
  return { page, context, faults };
}
