import { join } from 'node:path';
import puppeteer, { type Browser, type Page } from 'puppeteer-core';
import { findFirefox } from '../../scripts/setup/system-programs.mjs';
import { startRefusingProxy, VIEWPORTS } from './browser.ts';
import { type FacesUnderTest, startFaces } from './faces.ts';
import { newSignInLink, WEB_DIR, WITHOUT_WEBGL } from './page.ts';
import { waitFor } from './wait-for.ts';
import type { World } from './world.ts';

/** A first start took 27 s on a machine with two cores and ten other running programs (ESR 140). */
export const FIREFOX_STARTS_MS = 60_000;
/** The same timeout as in `waitFor`. */
const PATIENCE_MS = 30_000;

/** Requests that Firefox itself sends to the internet, in addition to those that the driver disables. */
const SILENT = {
  'app.update.disabledForTesting': true,
  'browser.region.update.enabled': false,
  'browser.search.update': false,
  'captivedetect.canonicalURL': '',
  'dom.push.connection.enabled': false,
  'extensions.systemAddon.update.enabled': false,
  'media.gmp-manager.url': '',
  'messaging-system.rsexperimentloader.enabled': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'network.dns.disablePrefetch': true,
  'network.trr.mode': 5,
  'nimbus.rollouts.enabled': false,
  'services.settings.server': 'data:,#remote-settings-dummy/v1',
};

/** Firefox, and the requests from Firefox or its pages to hosts other than loopback. */
export interface Firefox {
  browser: Browser;
  askedElsewhere: readonly string[];
}

/**
 * Opens a headless Firefox, with a profile and a home in the world. Nothing leaves the machine, because every
 * non-loopback request goes to a proxy that refuses it. Ends with the world. `FIREFOX` names a program to use instead
 * of the system's.
 */
export async function openFirefox(world: Pick<World, 'dir' | 'env' | 'onDispose'>): Promise<Firefox> {
  const program = findFirefox(process.env);
  if (program === null) throw new Error('there is no Firefox: `npm test` installs it, or says how');
  const { port, asked } = await startRefusingProxy(world);
  const browser = await puppeteer.launch({
    browser: 'firefox',
    executablePath: program,
    userDataDir: join(world.dir, 'firefox'),
    // Firefox itself ends if something is about to leave the machine, and requests no remote settings.
    env: { ...world.env, MOZ_DISABLE_NONLOCAL_CONNECTIONS: '1' },
    timeout: FIREFOX_STARTS_MS,
    defaultViewport: VIEWPORTS.desktop,
    // The driver need not end Firefox on a signal, because the watchdog ends whatever is left of a run.
    ...{ handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false },
    extraPrefsFirefox: {
      ...SILENT,
      'network.proxy.type': 1,
      ...Object.fromEntries(
        ['http', 'ssl'].flatMap((kind) => [
          [`network.proxy.${kind}`, '127.0.0.1'],
          [`network.proxy.${kind}_port`, port],
        ]),
      ),
    },
  });
  world.onDispose(() => browser.close());
  return { browser, askedElsewhere: asked };
}

/** The elements that have a role, as far as these tests need them. */
const ELEMENTS = {
  button: 'button',
  checkbox: 'input[type=checkbox], [role=checkbox]',
  heading: 'h1, h2, h3',
  radio: 'input[type=radio], [role=radio]',
  searchbox: 'input[type=search]',
  textbox: 'textarea, input[type=text], input:not([type])',
};
type Role = keyof typeof ELEMENTS;

/**
 * What a person does and sees on the page. Buttons, headings, and fields are found by the name that a screen reader
 * announces.
 */
export interface FirefoxPage extends AsyncDisposable {
  server: FacesUnderTest;
  page: Page;
  /**
   * what has gone wrong so far, one line each; Firefox reports an error for everything that the page's policy forbids
   */
  faults: string[];
  /** opens a location in the page, `#/stash` */
  visit(hash: string): Promise<void>;
  /** waits until an element with this role and name exists */
  sees(role: Role, name: string): Promise<void>;
  /** waits until the given text is shown */
  reads(text: string): Promise<void>;
  /** clicks, even on an element that is still disabled */
  click(role: Role, name: string): Promise<void>;
  /** the text of each element that a CSS selector finds */
  texts(selector: string): Promise<string[]>;
  /** presses keys one after another: `Control+k` */
  press(...keys: string[]): Promise<void>;
  /** waits until the terminal shows these lines, not counting empty ones */
  untilTerminalShows(lines: string[]): Promise<void>;
}

/**
 * Starts a server with the page, and signs Firefox in with a link.
 * @param prepare adds the sessions that exist from the start
 */
export async function startFirefoxPage(
  { browser }: Firefox,
  prepare: (server: FacesUnderTest) => void = () => undefined,
): Promise<FirefoxPage> {
  const server = await startFaces({ webDir: WEB_DIR });
  prepare(server);
  const { url } = server.faces.address;
  const context = await browser.createBrowserContext();
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  const faults = watchFaults(page, url);
  // Without WebGL, the text in terminals can be read.
  await page.evaluateOnNewDocument(WITHOUT_WEBGL);
  const texts = (selector: string): Promise<string[]> =>
    page.evaluate(
      `[...document.querySelectorAll(${JSON.stringify(selector)})].map((element) => element.textContent)`,
    ) as Promise<string[]>;
  await page.goto(await newSignInLink(server));
  await page.locator('.shell:not(.is-stale)').wait();
  return {
    server,
    page,
    faults,
    texts,
    visit: async (hash) => {
      await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
    },
    sees: async (role, name) => {
      await untilPlaced(page, role, name);
    },
    reads: async (text) => {
      await page.locator(`::-p-text(${text})`).wait();
    },
    click: async (role, name) => {
      const { x, y } = await untilPlaced(page, role, name);
      await page.mouse.click(x, y);
    },
    press: async (...all) => {
      for (const keys of all) await press(page, keys.split('+'));
    },
    untilTerminalShows: async (lines) => {
      let shown: string[] = [];
      await waitFor(
        async () => {
          const rows = await texts('.xterm-rows > div');
          shown = rows.map((row) => row.replaceAll('\u00a0', ' ').trimEnd()).filter((row) => row !== '');
          return shown.join('\n') === lines.join('\n');
        },
        { describe: `the terminal shows ${lines.length} lines`, actual: () => shown },
      );
    },
    [Symbol.asyncDispose]: async () => {
      try {
        await context.close();
      } finally {
        await server[Symbol.asyncDispose]();
      }
    },
  };
}

/**
 * Scrolls the element with this role and name into view, and waits until it has not moved for two frames. The driver's
 * own search by role and name reads the whole accessibility tree, which took 4 to 11 s on a busy machine (Firefox 140
 * and 153).
 * @returns its middle
 */
async function untilPlaced(page: Page, role: Role, name: string): Promise<{ x: number; y: number }> {
  const place = `(async () => {
    const text = (element) => [...element.childNodes].map((node) =>
      node.nodeType === Node.TEXT_NODE ? node.data : node.ariaHidden === 'true' ? '' : text(node)).join('');
    const nameOf = (element) => element.ariaLabel ?? text(element.labels?.[0] ?? element);
    const found = [...document.querySelectorAll(${JSON.stringify(ELEMENTS[role])})].find(
      (element) => nameOf(element).replaceAll(/\\s+/g, ' ').trim() === ${JSON.stringify(name)},
    );
    if (found === undefined) return null;
    found.scrollIntoView({ block: 'nearest' });
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    const boxes = [];
    for (let count = 0; count < 3; count++, await frame()) boxes.push(JSON.stringify(found.getBoundingClientRect()));
    const { x, y, width, height } = found.getBoundingClientRect();
    return width > 0 && new Set(boxes).size === 1 ? { x: x + width / 2, y: y + height / 2 } : null;
  })()`;
  return waitFor(async () => (await page.evaluate(place)) as { x: number; y: number } | null, {
    describe: `the ${role} ${name} is at its place`,
  });
}

/** Firefox itself complains about a server that was stopped on purpose. */
const FIREFOX_OWN_COMPLAINT = /^Firefox can’t establish a connection|^The connection to ws:\S+ was interrupted/;

function watchFaults(page: Page, origin: string): string[] {
  const faults: string[] = [];
  page.on('pageerror', (error) => {
    const message = error instanceof Error ? error.message : String(error);
    if (!FIREFOX_OWN_COMPLAINT.test(message)) faults.push(`error: ${message}`);
  });
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(`console: ${message.text()}`);
  });
  page.on('request', (request) => {
    const { protocol, origin: asked } = new URL(request.url());
    if (asked !== origin && protocol !== 'data:' && protocol !== 'blob:')
      faults.push(`foreign request: ${request.url()}`);
  });
  return faults;
}

/** Presses the last key while the others are held. */
async function press({ keyboard }: Page, keys: string[]): Promise<void> {
  type Key = Parameters<typeof keyboard.press>[0];
  const held = keys.slice(0, -1) as Key[];
  for (const key of held) await keyboard.down(key);
  await keyboard.press(keys.at(-1) as Key);
  for (const key of held.reverse()) await keyboard.up(key);
}
