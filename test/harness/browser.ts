import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { findChromium, findHeadlessShell } from '../../scripts/setup/system-programs.mjs';
import type { World } from './world.ts';

/** A small phone that is still in use, and a laptop. */
export const VIEWPORTS = { phone: { width: 360, height: 740 }, desktop: { width: 1280, height: 800 } } as const;

/** Hosts that Chromium itself contacts: for component updates, for an account, for the meaning of form fields. */
const ITS_OWN = /^(https?:\/\/)?([\w-]+\.)*(google|googleapis|gstatic|gvt1)\.com[:/]/;

const elsewhere = new WeakMap<Browser, readonly string[]>();

/**
 * Returns the requests from pages and their service workers to hosts other than loopback, since the browser was opened.
 */
export function requestsElsewhere(browser: Browser): string[] {
  return (elsewhere.get(browser) ?? []).filter((address) => !ITS_OWN.test(address));
}

/**
 * Opens a headless Chromium, which ends with the world. The sandbox needs privileges that containers lack, and the
 * pages are our own. Nothing leaves the machine, because every non-loopback request goes to a proxy that refuses it.
 * `CHROMIUM` names a program to use instead of the system's.
 * @param webgl whether pages have WebGL, as on most people's machines; the whole page is then drawn by software, which
 * takes twice the processor time
 * @param isWhole whether it is the browser that people use. Otherwise it is Chromium's headless shell if that is
 * installed: the same engine, which opens a page for half the processor time, but shows no notifications.
 */
export async function openBrowser(
  world: Pick<World, 'onDispose' | 'env'>,
  { webgl = false, isWhole = false }: { webgl?: boolean; isWhole?: boolean } = {},
): Promise<Browser> {
  const program = (isWhole ? null : findHeadlessShell(process.env)) ?? findChromium(process.env);
  if (program === null) throw new Error('there is no Chromium: `npm test` installs it, or says how');
  const { port, asked } = await startRefusingProxy(world);
  const browser = await chromium.launch({
    executablePath: program,
    args: [
      '--no-sandbox',
      ...(webgl ? ['--use-angle=swiftshader', '--enable-unsafe-swiftshader'] : ['--disable-gpu']),
      `--proxy-server=http://127.0.0.1:${port}`,
    ],
    env: world.env,
  });
  elsewhere.set(browser, asked);
  world.onDispose(() => browser.close());
  return browser;
}

/**
 * Starts a proxy that stands in for the internet. It refuses every request from a browser, and records it. Ends with
 * the world.
 */
export async function startRefusingProxy(world: Pick<World, 'onDispose'>): Promise<{ port: number; asked: string[] }> {
  const asked: string[] = [];
  const proxy = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.writeHead(502).end();
  });
  proxy.on('connect', (request, socket) => {
    asked.push(request.url ?? '');
    // A browser that ends at this moment resets the connection.
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

/** A page that fails the test if something on it fails: an error, a refused resource, or a request to another host. */
export interface WatchedPage {
  page: Page;
  context: BrowserContext;
  /** what has gone wrong so far, one line each */
  faults: string[];
}

/**
 * The browser itself complains about a server that was stopped on purpose (refused, or reset while answering), and
 * about being in a private window.
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
 * From now on, in every browser, a script that the page cannot load counts as a fault. Browsers from some months ago
 * never request such a script again. Worker scripts are not visible here.
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
