import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { findChromium } from '../../scripts/setup/system-programs.mjs';
import type { World } from './world.ts';

/** A phone that is small but in use, and a laptop. */
export const VIEWPORTS = { phone: { width: 360, height: 740 }, desktop: { width: 1280, height: 800 } } as const;

/** Chromium asks these by itself: for updates of its parts, for an account, for what a form's fields mean. */
const ITS_OWN = /^(https?:\/\/)?([\w-]+\.)*(google|googleapis|gstatic|gvt1)\.com[:/]/;

const elsewhere = new WeakMap<Browser, readonly string[]>();

/** What pages and their service workers asked of anybody but loopback, since the browser was opened. */
export function requestsElsewhere(browser: Browser): string[] {
  return (elsewhere.get(browser) ?? []).filter((address) => !ITS_OWN.test(address));
}

/**
 * Chromium without a window. The sandbox needs privileges that containers lack; the pages are our own. WebGL is drawn
 * by software. Nothing of it leaves the machine: what is not on loopback goes to a proxy that refuses it. Ends with the
 * world. `CHROMIUM` names another one than that of the system.
 */
export async function openBrowser(world: Pick<World, 'onDispose' | 'env'>): Promise<Browser> {
  const program = findChromium(process.env);
  if (program === null) throw new Error('there is no Chromium: `npm test` installs it, or says how');
  const { port, asked } = await startRefusingProxy(world);
  const browser = await chromium.launch({
    executablePath: program,
    args: [
      '--no-sandbox',
      '--use-angle=swiftshader',
      '--enable-unsafe-swiftshader',
      `--proxy-server=http://127.0.0.1:${port}`,
    ],
    env: world.env,
  });
  elsewhere.set(browser, asked);
  world.onDispose(() => browser.close());
  return browser;
}

/** Stands for the internet: refuses whatever a browser asks of it, and remembers it. Ends with the world. */
export async function startRefusingProxy(world: Pick<World, 'onDispose'>): Promise<{ port: number; asked: string[] }> {
  const asked: string[] = [];
  const proxy = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.writeHead(502).end();
  });
  proxy.on('connect', (request, socket) => {
    asked.push(request.url ?? '');
    // A browser that ends at this moment resets it.
    socket.on('error', () => undefined);
    socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  world.onDispose(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  return { port: (proxy.address() as AddressInfo).port, asked };
}

/** A page that fails the test when something on it fails: an error, a refused resource, a request to another host. */
export interface WatchedPage {
  page: Page;
  context: BrowserContext;
  /** what went wrong so far, one line each */
  faults: string[];
}

/**
 * Of a server that is away on purpose (refused, or reset in mid-answer), and of being a private window, the browser
 * complains by itself.
 */
const BROWSERS_OWN_COMPLAINT =
  /ERR_CONNECTION_(REFUSED|RESET)|ERR_EMPTY_RESPONSE|ERR_INCOMPLETE_CHUNKED_ENCODING|WebSocket connection|status of 4\d\d|incognito mode/;

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
    if (message.type() === 'error' && !BROWSERS_OWN_COMPLAINT.test(message.text()))
      faults.push(`console: ${message.text()}`);
  });
  page.on('request', (request) => {
    const { protocol, origin: asked } = new URL(request.url());
    if (asked !== origin && protocol !== 'data:' && protocol !== 'blob:')
      faults.push(`foreign request: ${request.url()}`);
  });
  return { page, context, faults };
}

/**
 * From now on a script that the page asks for in vain is a fault, in every browser: those of some months ago never ask
 * for it again. Scripts of workers are not seen here.
 */
export async function watchScripts({ page, context, faults }: WatchedPage): Promise<void> {
  const network = await context.newCDPSession(page);
  const addresses = new Map<string, string>();
  network.on('Network.requestWillBeSent', ({ requestId, request, type }) => {
    if (type === 'Script') addresses.set(requestId, request.url);
  });
  network.on('Network.loadingFailed', ({ requestId, type, canceled }) => {
    if (type === 'Script' && canceled !== true)
      faults.push(`a script that did not come: ${addresses.get(requestId) ?? requestId}`);
  });
  await network.send('Network.enable');
}
