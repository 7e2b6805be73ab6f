import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Delivery, StoredFile } from '../../src/protocol/index.ts';
import { openBrowser } from '../harness/browser.ts';
import { type PageUnderTest, startPage } from '../harness/page.ts';
import { waitFor } from '../harness/wait-for.ts';
import { createWorld } from '../harness/world.ts';

const world = createWorld();
let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser(world);
});
afterAll(() => world.dispose());

interface GivenFile {
  name: string;
  type: string;
  text: string;
}

/** Gives files to the prompt as a browser does after a paste or a drop. */
async function give(page: Page, kind: 'paste' | 'drop', files: readonly GivenFile[], text = ''): Promise<void> {
  await page.getByRole('textbox', { name: 'Reply to AUTH' }).evaluate(
    (field, given) => {
      const data = new DataTransfer();
      for (const { name, type, text: content } of given.files) data.items.add(new File([content], name, { type }));
      if (given.text !== '') data.setData('text/plain', given.text);
      const options = { bubbles: true, cancelable: true };
      field.dispatchEvent(
        given.kind === 'paste'
          ? new ClipboardEvent('paste', { ...options, clipboardData: data })
          : new DragEvent('drop', { ...options, dataTransfer: data }),
      );
    },
    { kind, files, text },
  );
}

const stored = async ({ server }: PageUnderTest): Promise<StoredFile[]> =>
  (await server.call('/sessions/AUTH/files')).json() as StoredFile[];
const chips = ({ page }: PageUnderTest) =>
  page.getByRole('list', { name: 'Files for this prompt' }).getByRole('listitem');
const sendButton = ({ page }: PageUnderTest) => page.getByRole('button', { name: 'Send', exact: true });
const openSession = async (isPhone = false): Promise<PageUnderTest> => {
  const one = await startPage(browser, {
    prepare: (server) => void server.sessions.add('AUTH'),
    ...(isPhone ? { context: { viewport: { width: 390, height: 844 }, hasTouch: true } } : {}),
  });
  await one.visit('#/s/AUTH');
  await one.page.getByRole('textbox', { name: 'Reply to AUTH' }).waitFor();
  return one;
};
async function sent({ server }: PageUnderTest): Promise<Delivery | undefined> {
  await waitFor(() => server.sessions.deliveries('AUTH').length > 0, { describe: 'the prompt is sent' });
  return server.sessions.deliveries('AUTH')[0];
}

test('a pasted image and dropped files become chips, and are sent with the prompt', async () => {
  await using one = await openSession();
  const { page } = one;
  await give(page, 'paste', [{ name: 'image.png', type: 'image/png', text: 'a picture' }]);
  await give(page, 'drop', [
    { name: 'my test.log', type: 'text/plain', text: 'failed' },
    { name: 'b.txt', type: 'text/plain', text: 'b' },
  ]);
  await chips(one).nth(2).waitFor();
  expect(await chips(one).allTextContents()).toEqual(['image.png1 kB', 'my test.log1 kB', 'b.txt1 kB']);

  // A removed file is deleted on the server, too.
  await page.getByRole('button', { name: 'Remove b.txt' }).click();
  await waitFor(async () => (await stored(one)).length === 2, { describe: 'the removed file is deleted' });
  await page.getByRole('textbox', { name: 'Reply to AUTH' }).fill('what is wrong here?');
  await page.keyboard.press('Enter');
  const { text } = (await sent(one)) ?? {};
  const files = await stored(one);
  const pathOf = (name: string): string => files.find((file) => file.name === name)?.path ?? '';
  expect(text).toBe(`what is wrong here?\n\n@${pathOf('image.png')}\n@${pathOf('my-test.log')}`);
  expect(readFileSync(pathOf('image.png'), 'utf8')).toBe('a picture');
  await chips(one).first().waitFor({ state: 'detached' });
  expect(one.watched.faults).toEqual([]);
});

test('a file that is removed while the server stores it is deleted, too', async () => {
  await using one = await openSession();
  const { page } = one;
  let isRemoved = false;
  await page.route('**/sessions/AUTH/files?**', async (route) => {
    const response = await route.fetch();
    await waitFor(() => isRemoved, { describe: 'the chip is removed' });
    // The page may no longer want the response.
    await route.fulfill({ response }).catch(() => undefined);
  });
  await give(page, 'drop', [{ name: 'b.txt', type: 'text/plain', text: 'b' }]);
  await waitFor(async () => (await stored(one)).length === 1, { describe: 'the server has stored the file' });
  await page.getByRole('button', { name: 'Remove b.txt' }).click();
  isRemoved = true;
  await waitFor(async () => (await stored(one)).length === 0, { describe: 'the file is deleted' });
});

test('on a phone, Attach opens the files of the device, and a photo alone can be sent', async () => {
  await using one = await openSession(true);
  const { page } = one;
  const photo = join(world.dir, 'photo.jpg');
  writeFileSync(photo, Buffer.alloc(400_000, 7));
  expect(await sendButton(one).isVisible()).toBe(false);
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Attach' }).click();
  await (await chooser).setFiles(photo);
  await page.getByText('400 kB').waitFor();
  await sendButton(one).click();
  const [file] = await stored(one);
  expect((await sent(one))?.text).toBe(`@${file?.path}`);
  expect(readFileSync(file?.path ?? '').length).toBe(400_000);
  expect(one.watched.faults).toEqual([]);
});

test('a file that is too large shows why, and holds the prompt back until it is removed', async () => {
  await using one = await openSession();
  const { page } = one;
  await give(page, 'drop', [{ name: 'huge.bin', type: '', text: 'x'.repeat(1_000_001) }]);
  await page.getByText('The file has 1,000,001 bytes, and the server accepts at most 1,000,000').waitFor();
  await page.getByRole('textbox', { name: 'Reply to AUTH' }).fill('hello');
  expect(await sendButton(one).isDisabled()).toBe(true);
  await page.keyboard.press('Enter');
  await page.getByText('A file is still being uploaded').waitFor();
  await page.getByRole('button', { name: 'Remove huge.bin' }).click();
  await sendButton(one).click();
  expect((await sent(one))?.text).toBe('hello');
  expect(await stored(one)).toEqual([]);
});

test('an upload shows its progress, and leaves nothing if its chip is removed', async () => {
  await using one = await openSession();
  const { page } = one;
  // The network is so slow that the upload does not end on its own.
  const devtools = await page.context().newCDPSession(page);
  const slow = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 50_000 };
  await devtools.send('Network.emulateNetworkConditions', slow);
  await give(page, 'drop', [{ name: 'slow.bin', type: '', text: 'x'.repeat(900_000) }]);
  const progress = page.getByRole('progressbar', { name: 'Uploading slow.bin' });
  await waitFor(async () => Number(await progress.getAttribute('value')) > 0, { describe: 'progress is shown' });
  await page.getByRole('button', { name: 'Remove slow.bin' }).click();
  await devtools.send('Network.emulateNetworkConditions', { ...slow, uploadThroughput: -1 });
  await chips(one).first().waitFor({ state: 'detached' });
  expect(await stored(one)).toEqual([]);
});

test('a pasted text with a picture of it, as of a table, stays a text', async () => {
  await using one = await openSession();
  await give(one.page, 'paste', [{ name: 'image.png', type: 'image/png', text: 'p' }], 'a table');
  expect(await chips(one).count()).toBe(0);
  expect(await stored(one)).toEqual([]);
});
