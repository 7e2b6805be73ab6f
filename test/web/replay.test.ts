import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser } from '../harness/browser.ts';
import { HEADER } from '../harness/memory-recording.ts';
import { type PageUnderTest, startPage, untilTerminalShows } from '../harness/page.ts';
import { ASKED_S, addRecordedRun, RUN_S } from '../harness/recorded-run.ts';
import { waitFor } from '../harness/wait-for.ts';
import { createWorld } from '../harness/world.ts';

const world = createWorld();
let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser(world, { webgl: true });
});
afterAll(() => world.dispose());

const shows = ({ page }: PageUnderTest, lines: string[]) =>
  untilTerminalShows(page, lines.join(', '), (shown) => shown.join() === lines.join());
const position = async ({ page }: PageUnderTest) => Number(await page.getByLabel('Position').inputValue());
const stands = (one: PageUnderTest, at: number) =>
  waitFor(async () => Math.abs((await position(one)) - at) < 0.3, {
    describe: `it is at ${at} s`,
    actual: () => position(one),
  });

test('it plays automatically, skips silence, and plays faster on request; keys jump', async () => {
  await using one = await startPage(browser, { readsTerminal: true, prepare: addRecordedRun });
  const { page } = one;
  await one.visit('#/s/RUN');
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Replay' }).click();
  // At first, the session's own terminal shows the same lines.
  await page.getByRole('heading', { name: 'RUN, replay' }).waitFor();
  // A minute plays in a second or two, because only a few moments of it have output.
  await stands(one, RUN_S);
  await shows(one, ['begin', 'shall I deploy?', 'the end']);
  await page.getByRole('button', { name: 'Play' }).waitFor();
  await page.getByLabel('Position').fill('10');
  await shows(one, ['begin']);
  await page.keyboard.press(']');
  await stands(one, ASKED_S - 1);
  await page.getByLabel('Skip silence').uncheck();
  await page.getByLabel('Speed').selectOption('8');
  await page.getByRole('button', { name: 'Play' }).click();
  await shows(one, ['begin', 'shall I deploy?']);
  await page.getByRole('button', { name: 'Pause' }).click();
  const at = await position(one);
  expect(at).toBeGreaterThan(ASKED_S - 1);
  expect(at).toBeLessThan(RUN_S);
  await page.getByRole('heading', { name: 'RUN, replay' }).click();
  await page.keyboard.press('ArrowLeft');
  await stands(one, at - 5);
  expect(one.watched.faults).toEqual([]);
});

test('jumps add up however quickly they come, and playing continues after one', async () => {
  await using one = await startPage(browser, { readsTerminal: true, prepare: addRecordedRun });
  const { page } = one;
  // No frame arrives before all keys are pressed.
  let letGo = (): void => undefined;
  const keysArePressed = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  let asked = 0;
  await page.route('**/replay/frame*', async (route) => {
    if (++asked > 1) await keysArePressed;
    await route.continue();
  });
  await one.visit('#/s/RUN/replay?t=1');
  await shows(one, ['begin']);
  for (let presses = 0; presses < 3; presses++) await page.keyboard.press('ArrowRight');
  await stands(one, 16);
  letGo();
  await page.getByRole('button', { name: 'Play' }).click();
  await page.getByLabel('Position').fill('30');
  await shows(one, ['begin', 'shall I deploy?', 'the end']);
  await stands(one, RUN_S);
  // The first frame, the frame after the three jumps, and the one during playback. The frames in between are skipped.
  expect(asked).toBeLessThanOrEqual(4);
  expect(one.watched.faults).toEqual([]);
});

test('recordings that a restart moved aside can be chosen there, and played', async () => {
  await using one = await startPage(browser, { readsTerminal: true, prepare: addRecordedRun });
  const { page } = one;
  await one.visit('#/s/RUN/replay?t=1');
  await shows(one, ['begin']);
  const recordings = page.getByLabel('Recording', { exact: true });
  expect(await recordings.locator('option').count()).toBe(2);
  await recordings.selectOption('RUN.1');
  await shows(one, ['of the first run']);
  expect(page.url()).toContain('recording=RUN.1');
  await recordings.selectOption('The newest');
  await shows(one, ['begin', 'shall I deploy?', 'the end']);
  expect(one.watched.faults).toEqual([]);
});

test('a search leads to the moment of its hit, even in an older recording', async () => {
  await using one = await startPage(browser, { readsTerminal: true, prepare: addRecordedRun });
  const { page, server } = one;
  const search = server.sessions.search.bind(server.sessions);
  const places = [
    { recording: 'RUN', offset: HEADER.length + 'begin\r\nshall I deploy?'.length },
    { recording: 'RUN.1', offset: HEADER.length + 6 },
  ];
  server.sessions.search = async (query) => {
    const { hits, ...rest } = await search(query);
    return { ...rest, hits: hits.flatMap((hit) => places.map((place) => ({ ...hit, ...place }))) };
  };
  await one.visit('#/search');
  await page.getByLabel('Search all sessions').fill('deploy');
  const hits = page.getByRole('listitem').getByRole('link').filter({ hasText: 'Shall I deploy?' });
  await hits.first().click();
  await page.getByRole('heading', { name: 'RUN, replay' }).waitFor();
  await shows(one, ['begin', 'shall I deploy?']);
  expect(await position(one)).toBeCloseTo(ASKED_S, 0);
  await page.goBack();
  await hits.last().click();
  await shows(one, ['of the first run']);
  expect(one.watched.faults).toEqual([]);
});

test('a recording without times, and without any length, plays to its end', async () => {
  await using one = await startPage(browser, {
    readsTerminal: true,
    prepare: ({ sessions }) => void sessions.add('LOG').write('all at once'),
  });
  let frames = 0;
  one.page.on('request', (request) => {
    if (request.url().includes('/replay/frame')) frames++;
  });
  await one.visit('#/s/LOG/replay');
  await shows(one, ['all at once']);
  await one.page.getByRole('button', { name: 'Play' }).waitFor();
  expect(frames).toBeLessThan(5);
});

test('a session without a recording reports it', async () => {
  await using one = await startPage(browser, {
    prepare: ({ sessions }) => void sessions.addWithoutRecording('BARE'),
  });
  await one.visit('#/s/BARE/replay');
  await one.page
    .getByText(/recording/i)
    .last()
    .waitFor();
  await one.page.locator('.replay-problem').waitFor();
});
