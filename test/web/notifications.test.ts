import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser } from '../harness/browser.ts';
import { type PageUnderTest, startPage } from '../harness/page.ts';
import { asking, DONE } from '../harness/some-sessions.ts';
import { addDeafSink, addHearingSink } from '../harness/some-sinks.ts';
import { waitFor } from '../harness/wait-for.ts';
import { createWorld } from '../harness/world.ts';

const world = createWorld();
let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser(world, { isWhole: true });
});
afterAll(() => world.dispose());

interface Shown {
  title: string;
  body: string;
  tag: string;
}

const SHOWN = `navigator.serviceWorker.ready
  .then((registration) => registration.getNotifications())
  .then((all) => all.map(({ title, body, tag }) => ({ title, body, tag })))`;
const shown = ({ page }: PageUnderTest) => page.evaluate(SHOWN) as Promise<Shown[]>;

/**
 * Counts the notifications that a page has shown. Chromium 150 loses a notification if somebody reads the list while it
 * is being shown, so a test waits for the count before it reads.
 */
const COUNT_SHOWN = `if ('ServiceWorkerRegistration' in window) {
  const { prototype } = ServiceWorkerRegistration;
  const { showNotification } = prototype;
  window.shownCount = 0;
  prototype.showNotification = async function (...options) {
    await showNotification.apply(this, options);
    window.shownCount += 1;
  };
}`;

/**
 * Opens a page with the browser's permission and its service worker. The browser of the tests has no push service, so
 * the page itself shows the notification.
 */
async function notified(): Promise<PageUnderTest> {
  const one = await startPage(browser, { context: { permissions: ['notifications'] } });
  await one.page.addInitScript(COUNT_SHOWN);
  one.server.sessions.add('AUTH', DONE);
  await one.visit('#/settings');
  await one.page.reload();
  await one.page.getByRole('button', { name: 'Turn on' }).click();
  await one.page.getByRole('button', { name: 'Notifications are on' }).waitFor();
  return one;
}

test('the title and the icon show how many sessions need somebody', async () => {
  await using one = await startPage(browser);
  const icon = () => one.page.locator('link[rel=icon]').getAttribute('href');
  one.server.sessions.add('AUTH', DONE);
  await waitFor(async () => (await one.page.title()) === 'CBOS', { describe: 'a plain title' });
  one.server.sessions.change('AUTH', asking());
  await waitFor(async () => (await one.page.title()) === '(1) CBOS', { describe: 'a count in the title' });
  expect(await icon()).toContain('icon-alert');
  one.server.sessions.change('AUTH', DONE);
  await waitFor(async () => (await one.page.title()) === 'CBOS', { describe: 'a plain title again' });
});

test('a notification comes if nobody looks, not while somebody does, and disappears when it is answered', async () => {
  await using one = await notified();
  await one.page.evaluate('document.hasFocus = () => window.isLookedAt === true');
  one.server.sessions.change('AUTH', asking());
  await waitFor(() => one.page.evaluate('window.shownCount === 1'), { describe: 'a notification is shown' });
  expect(await shown(one)).toEqual([{ title: 'AUTH asks permission', body: 'Bash: npm test', tag: 'AUTH' }]);
  one.server.sessions.change('AUTH', DONE);
  await waitFor(async () => (await shown(one)).length === 0, { describe: 'no notification' });
  await one.page.evaluate('window.isLookedAt = true');
  one.server.sessions.change('AUTH', asking({ id: 'q2' }));
  await one.page.getByText('asks permission').first().waitFor({ state: 'attached' });
  expect(await shown(one)).toEqual([]);
});

test('notifications that could not be turned on while the server was away are turned on when it is back', async () => {
  await using one = await startPage(browser, { context: { permissions: ['notifications'] } });
  const { page, server } = one;
  const turnOn = page.getByRole('button', { name: 'Turn on' });
  await one.visit('#/settings');
  await turnOn.waitFor();
  await server.stop();
  await page.getByText('Connection lost').waitFor();
  await turnOn.click();
  await page.getByText('Failed to register a ServiceWorker').first().waitFor();
  await server.startAgain();
  await page.getByText('Connection lost').waitFor({ state: 'detached' });
  await turnOn.click();
  await page.getByRole('button', { name: 'Notifications are on' }).waitFor();
});

test('what the server pushes is shown by the service worker while no page is open', async () => {
  await using one = await notified();
  const { page, watched } = one;
  const other = await watched.context.newPage();
  const session = await watched.context.newCDPSession(other);
  const registration = new Promise<string>((resolve) => {
    session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const found = registrations.find(({ scopeURL }) => scopeURL.startsWith(one.url));
      if (found !== undefined) resolve(found.registrationId);
    });
  });
  await session.send('ServiceWorker.enable');
  const message = { session: 'AUTH', title: 'AUTH asks', body: '<img src=x onerror=alert(1)>' };
  const push = async (): Promise<void> => {
    const target = { origin: one.url, registrationId: await registration, data: JSON.stringify(message) };
    await session.send('ServiceWorker.deliverPushMessage', target);
  };
  await page.goto('about:blank');
  await push();
  await page.goto(one.url);
  await waitFor(async () => (await shown(one)).length === 1, { describe: 'a notification' });
  expect(await shown(one)).toEqual([{ title: 'AUTH asks', body: message.body, tag: 'AUTH' }]);
  expect(watched.faults).toEqual([]);
});

test('the page can be installed', async () => {
  await using one = await startPage(browser);
  const session = await one.watched.context.newCDPSession(one.page);
  const { errors, data } = await session.send('Page.getAppManifest');
  expect(errors).toEqual([]);
  expect(JSON.parse(data ?? '{}')).toMatchObject({ name: 'CBOS', display: 'standalone' });
  const { installabilityErrors } = await session.send('Page.getInstallabilityErrors');
  // The browser of the tests stores nothing, so it considers itself a private window.
  expect(installabilityErrors.filter(({ errorId }) => errorId !== 'in-incognito')).toEqual([]);
});

test('the settings list where else questions are sent, and send a test there', async () => {
  await using one = await startPage(browser);
  const name = await addHearingSink(one.server);
  addDeafSink(one.server, 'DEAF');
  await one.visit('#/settings');
  await one.page.getByText('webhook at 127.0.0.1:1', { exact: false }).last().waitFor();
  await one.page.getByRole('button', { name: `Send a test to ${name}` }).click();
  await one.page.getByText(`Sent to ${name}`).waitFor();
  await one.page.getByRole('button', { name: 'Send a test to DEAF' }).click();
  await one.page.getByText('DEAF: ', { exact: false }).first().waitFor();
  expect(await one.page.content()).not.toContain('whsec_');
});
