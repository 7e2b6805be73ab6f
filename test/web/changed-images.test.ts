import { rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { loadAxe, seriousFindings } from '../harness/axe.ts';
import { openBrowser, requestsElsewhere, VIEWPORTS } from '../harness/browser.ts';
import { createRepository, type TestRepository } from '../harness/git-repository.ts';
import { type PageUnderTest, startPage } from '../harness/page.ts';
import { createPng } from '../harness/some-images.ts';
import { DONE } from '../harness/some-sessions.ts';
import { runTurn } from '../harness/some-turns.ts';
import { waitFor } from '../harness/wait-for.ts';
import { createWorld } from '../harness/world.ts';

const world = createWorld();
let browser: Browser;
let repository: TestRepository;
let made = 0;
beforeAll(async () => {
  browser = await openBrowser(world);
});
afterAll(() => world.dispose());
beforeEach(() => {
  repository = createRepository(world, `repository-${++made}`);
  repository.write('logo.png', createPng(20, 10));
  repository.write('gone.png', createPng(5, 5));
  repository.write('was.png', createPng(6, 6));
  repository.write('data.bin', new Uint8Array(3_500));
  repository.commit();
  repository.git('checkout', '--quiet', '-b', 'task');
});

type Context = NonNullable<Parameters<typeof startPage>[1]>['context'];
const start = (context: Context = {}): Promise<PageUnderTest> =>
  startPage(browser, {
    context,
    prepare: ({ sessions }) => void sessions.add('AUTH', { ...DONE, path: repository.dir }),
  });
const open = ({ page }: PageUnderTest, name: string) => page.locator('.changed-file', { hasText: name }).click();
const side = ({ page }: PageUnderTest, name: 'Before' | 'After') => page.getByRole('region', { name, exact: true });
const image = (one: PageUnderTest, name: 'Before' | 'After', alt: string) =>
  side(one, name).getByRole('img', { name: alt });
const requestsOf = ({ page }: PageUnderTest): string[] => {
  const asked: string[] = [];
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url());
    if (pathname.includes('/changes')) asked.push(`${pathname.split('/').at(-1)} ${searchParams.get('side') ?? ''}`);
  });
  return asked;
};

/** Waits until an image is drawn, and returns its size in pixels. */
async function drawn(one: PageUnderTest, name: 'Before' | 'After', alt: string): Promise<string> {
  const shown = image(one, name, alt);
  const size = (): Promise<string> =>
    shown.evaluate((element) => {
      const { complete, naturalWidth, naturalHeight } = element as unknown as HTMLImageElement;
      return complete ? `${naturalWidth} × ${naturalHeight}` : '';
    });
  await waitFor(async () => (await size()) !== '', { describe: `${alt} is drawn` });
  const text = await size();
  await side(one, name).getByText(`${text} pixels, 1 kB`).waitFor();
  return text;
}

test('an image is drawn before and after, and of everything else the sizes are told', async () => {
  repository.write('logo.png', createPng(40, 30));
  repository.write('new.png', createPng(7, 8));
  rmSync(join(repository.dir, 'gone.png'));
  repository.git('mv', 'was.png', 'is.png');
  repository.write('data.bin', new Uint8Array(6_000));
  await using one = await start();
  const { page } = one;
  await one.visit('#/s/AUTH/changes?file=logo.png');
  expect(await drawn(one, 'Before', 'logo.png before the changes')).toBe('20 × 10');
  expect(await drawn(one, 'After', 'logo.png after the changes')).toBe('40 × 30');
  await page.getByText('image, 1 kB → 1 kB').first().waitFor();
  const [before, after] = [await side(one, 'Before').boundingBox(), await side(one, 'After').boundingBox()];
  expect(after?.x).toBeGreaterThan((before?.x ?? 0) + (before?.width ?? 0) - 1);
  expect(after?.y).toBe(before?.y);
  await open(one, 'new.png');
  expect(await drawn(one, 'After', 'new.png after the changes')).toBe('7 × 8');
  await side(one, 'Before').getByText('The file did not exist.').waitFor();
  await open(one, 'gone.png');
  expect(await drawn(one, 'Before', 'gone.png before the changes')).toBe('5 × 5');
  await side(one, 'After').getByText('The file was deleted.').waitFor();
  await open(one, 'was.png → is.png');
  expect(await drawn(one, 'Before', 'was.png before the changes')).toBe('6 × 6');
  expect(await drawn(one, 'After', 'is.png after the changes')).toBe('6 × 6');
  await open(one, 'data.bin');
  await page.getByText('binary, 4 kB → 6 kB').first().waitFor();
  await side(one, 'Before').getByText('4 kB, not an image').waitFor();
  await side(one, 'After').getByText('6 kB, not an image').waitFor();
  // A newer image is shown when the changes are read again.
  await open(one, 'logo.png');
  await drawn(one, 'After', 'logo.png after the changes');
  repository.write('logo.png', createPng(50, 50));
  await page.getByRole('button', { name: 'Refresh' }).click();
  await side(one, 'After').getByText('50 × 50 pixels').waitFor();
  expect(one.watched.faults).toEqual([]);
  expect(requestsElsewhere(browser)).toEqual([]);
});

test('of a turn, the images are those of its checkpoints', async () => {
  await using one = await start();
  const work = () => repository.write('logo.png', createPng(40, 30));
  await runTurn(one.server, 'AUTH', { prompt: 'draw it', work });
  repository.write('logo.png', createPng(50, 50));
  await one.visit('#/s/AUTH/changes?turn=1');
  expect(await drawn(one, 'Before', 'logo.png before the changes')).toBe('20 × 10');
  expect(await drawn(one, 'After', 'logo.png after the changes')).toBe('40 × 30');
});

test('no content is requested for text, and only that of the open file, in one piece each, up to 2 MB', async () => {
  repository.write('a.txt', 'text\n');
  repository.write('logo.png', createPng(40, 30));
  repository.write('huge.png', Buffer.concat([createPng(40, 30), Buffer.alloc(5_000_000)]));
  await using one = await start();
  const asked = requestsOf(one);
  await one.visit('#/s/AUTH/changes');
  await one.page.locator('section.patch').getByText('text', { exact: true }).waitFor();
  expect(asked).toEqual(['changes ']);
  await open(one, 'huge.png');
  await side(one, 'After').getByText('5 MB, too large to show').waitFor();
  expect(asked).toEqual(['changes ']);
  await open(one, 'logo.png');
  await drawn(one, 'After', 'logo.png after the changes');
  expect([...asked].sort()).toEqual(['changes ', 'file new', 'file old']);
});

test('nothing that only has the name of an image is drawn or run: HTML, SVG, a link, a damaged image', async () => {
  const html = '<img src=x onerror="window.wasHit=1"><script>window.wasHit=1</script>\n';
  repository.write('page.png', html);
  repository.write('binary.png', Buffer.concat([Buffer.from(html), new Uint8Array(8)]));
  repository.write('drawing.svg', '<svg xmlns="http://www.w3.org/2000/svg" onload="window.wasHit=1"/>\n');
  repository.write('damaged.png', Buffer.concat([createPng(9, 9).subarray(0, 16), new Uint8Array(40)]));
  rmSync(join(repository.dir, 'logo.png'));
  symlinkSync('/etc/<b>passwd', join(repository.dir, 'logo.png'));
  await using one = await start();
  const { page, watched } = one;
  await one.visit('#/s/AUTH/changes?file=page.png');
  await page.locator('section.patch').getByText('<script>').waitFor();
  await open(one, 'binary.png');
  await side(one, 'After').getByText('1 kB, not an image').waitFor();
  await open(one, 'drawing.svg');
  await page.locator('section.patch').getByText('<svg').waitFor();
  await open(one, 'logo.png');
  expect(await drawn(one, 'Before', 'logo.png before the changes')).toBe('20 × 10');
  await side(one, 'After').getByText('A symbolic link to /etc/<b>passwd').waitFor();
  expect(await page.locator('.changes-patch img').count()).toBe(1);
  await open(one, 'damaged.png');
  await side(one, 'After').getByText('damaged, cannot be drawn, 1 kB').waitFor();
  expect(await page.evaluate('window.wasHit')).toBeUndefined();
  expect(watched.faults).toEqual([]);
});

test.each(['phone', 'desktop'] as const)(
  'axe finds nothing serious, everything fits, nothing moves: %s',
  async (viewport) => {
    const isPhone = viewport === 'phone';
    repository.write('logo.png', createPng(2_000, 30));
    const size = isPhone ? { width: 390, height: 844 } : VIEWPORTS.desktop;
    await using one = await start({
      viewport: size,
      bypassCSP: true,
      hasTouch: isPhone,
      isMobile: isPhone,
      reducedMotion: 'reduce',
    });
    const { page } = one;
    await loadAxe(page);
    await one.visit('#/s/AUTH/changes?file=logo.png');
    expect(await drawn(one, 'After', 'logo.png after the changes')).toBe('2000 × 30');
    expect(await seriousFindings(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(size.width);
    const box = await image(one, 'After', 'logo.png after the changes').boundingBox();
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(size.width);
    expect(await page.evaluate('document.getAnimations().length')).toBe(0);
  },
);
