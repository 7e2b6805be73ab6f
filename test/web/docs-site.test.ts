import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBrowser, openPage, requestsElsewhere } from '../harness/browser.ts';
import { type FacesUnderTest, startFaces } from '../harness/faces.ts';
import { waitFor } from '../harness/wait-for.ts';
import { createWorld } from '../harness/world.ts';

const DOCS_DIR = fileURLToPath(new URL('../../dist/docs', import.meta.url));

/** `npm test` builds first, but a run of this file alone may not have a build. */
describe.skipIf(!existsSync(DOCS_DIR))('the documentation as it is served', () => {
  const world = createWorld();
  let browser: Browser;
  let server: FacesUnderTest;
  beforeAll(async () => {
    browser = await openBrowser(world);
    server = await startFaces({ docsDir: DOCS_DIR });
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    await world.dispose();
  });

  const get = (path: string, headers: Record<string, string> = {}) => server.call(path, { token: null, headers });

  test('needs no sign-in, and has a policy that allows neither inline scripts nor another host', async () => {
    const { status, text, headers } = await get('/docs/reference/settings');
    expect(status).toBe(200);
    expect(text).toContain('max_recording_size');
    expect(text).not.toMatch(/<script(?![^>]*\bsrc=)/);
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toMatch(/script-src 'self';/);
    expect(policy).not.toMatch(/https?:|\*|unsafe-eval|connect-src/);
    expect((await get('/docs')).headers.location).toBe('/docs/');
  });

  test('hashed files are cached permanently, pages are requested again and answered with 304', async () => {
    const { text, headers } = await get('/docs/get-started');
    const [, script = ''] = /<script[^>]*src="(\/docs\/assets\/[^"]+)"/.exec(text) ?? [];
    expect((await get(script)).headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(headers['cache-control']).toBe('no-cache');
    expect((await get('/docs/get-started', { 'if-none-match': String(headers.etag) })).status).toBe(304);
  });

  test.each([
    '/docs/../sessions',
    '/docs/%2e%2e/sessions',
    '/docs/..%2fcbos.js',
    '/docs/assets/../../../package.json',
    '/docs/assets/',
    '/docs/index.html.gz',
    '/docs/nothing',
  ])('no other path is served without a sign-in: %s', async (path) => {
    expect((await get(path)).status).toBe(401);
  });

  test('a reader moves from page to page, searches and switches to dark, and no request leaves the server', async () => {
    const origin = `http://127.0.0.1:${server.port}`;
    const { page, context, faults } = await openPage(browser, { origin, colorScheme: 'light' });
    await page.goto(`${origin}/docs/`);
    await page.getByRole('link', { name: 'Get started' }).first().click();
    await page.getByRole('heading', { level: 1, name: /Ten minutes with CBOS/ }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('searchbox').fill('no_such_session');
    const first = page.getByRole('option').first().getByRole('link');
    const [found = ''] = String(await first.getAttribute('href')).split('#');
    expect(found).toMatch(/^\/docs\/\w/);
    await page.keyboard.press('Enter');
    await waitFor(() => new URL(page.url()).pathname === found, { describe: `the page that was found, ${found}` });
    expect(await page.locator('html.dark').count()).toBe(0);
    await page.locator('.VPSwitchAppearance').first().click();
    await page.locator('html.dark').waitFor();
    await page.reload();
    await page.locator('html.dark').waitFor();
    await context.close();
    expect(faults).toEqual([]);
    expect(requestsElsewhere(browser)).toEqual([]);
  });
});

test('a server without a built documentation explains in one line how to build it', async () => {
  await using server = await startFaces();
  for (const path of ['/docs', '/docs/']) {
    const { status, text } = await server.call(path, { token: null });
    expect(status).toBe(404);
    expect(text.trim().split('\n')).toHaveLength(1);
    expect(text).toContain('npm run docs');
  }
  expect((await server.call('/docs/get-started', { token: null })).status).toBe(401);
});
