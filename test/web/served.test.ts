import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBrowser } from '../harness/browser.ts';
import { type FacesUnderTest, startFaces } from '../harness/faces.ts';
import { measureLoad, startPage, WEB_DIR } from '../harness/page.ts';
import { DONE } from '../harness/some-sessions.ts';
import { createWorld } from '../harness/world.ts';

/** Bytes on the wire, gzipped, of everything that a first visit loads. */
const LIMITS = { withoutTerminal: 250_000, withTerminal: 450_000 };

const world = createWorld();
let browser: Browser;
let server: FacesUnderTest;
beforeAll(async () => {
  browser = await openBrowser(world);
  server = await startFaces({ webDir: WEB_DIR });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await world.dispose();
});

const get = (path: string, headers: Record<string, string> = {}) => server.call(path, { token: null, headers });

async function assets(): Promise<string[]> {
  const { text } = await get('/', { accept: 'text/html' });
  return [...text.matchAll(/(?:src|href)="\.(\/assets\/[^"]+)"/g)].map((match) => match[1] ?? '');
}

describe('the page as it is served', () => {
  test('has no inline script, and a policy that allows none', async () => {
    const { text, headers } = await get('/', { accept: 'text/html' });
    expect(text).toContain('<script type="module"');
    expect(text).not.toMatch(/<script(?![^>]*\bsrc=)/);
    const policy = String(headers['content-security-policy']);
    for (const part of ["default-src 'none'", "script-src 'self'", "connect-src 'self'", "frame-ancestors 'none'"]) {
      expect(policy).toContain(part);
    }
    expect(policy).not.toMatch(/script-src[^;]*(unsafe|\*|http)/);
    expect(headers['x-content-type-options']).toBe('nosniff');
  });

  test('curl gets a line of text at the same address', async () => {
    const { text, headers } = await get('/');
    expect(text).toContain('cbos open');
    expect(headers['content-type']).toContain('text/plain');
  });

  test('hashed files are cached permanently, the others are requested again and answered with 304', async () => {
    const [asset = ''] = await assets();
    expect((await get(asset)).headers['cache-control']).toBe('public, max-age=31536000, immutable');
    for (const path of ['/', '/service-worker.js', '/manifest.webmanifest', '/icon.svg']) {
      const { headers } = await get(path, { accept: 'text/html' });
      expect(headers['cache-control']).toBe('no-cache');
      const again = await get(path, { accept: 'text/html', 'if-none-match': String(headers.etag) });
      expect({ status: again.status, length: again.bytes.length }).toEqual({ status: 304, length: 0 });
    }
  });

  test('is the same in every encoding that a browser accepts, and compressed in advance', async () => {
    for (const asset of await assets()) {
      const plain = await get(asset, { 'accept-encoding': 'br;q=0, gzip;q=0' });
      expect(plain.headers['content-encoding']).toBeUndefined();
      const gzip = await get(asset, { 'accept-encoding': 'gzip' });
      expect(gzip.headers['content-encoding']).toBe('gzip');
      expect(gunzipSync(gzip.bytes).equals(plain.bytes)).toBe(true);
      const brotli = await get(asset, { 'accept-encoding': 'gzip, br' });
      expect(brotli.headers['content-encoding']).toBe('br');
      expect(brotliDecompressSync(brotli.bytes).equals(plain.bytes)).toBe(true);
    }
  });

  test.each([
    '/assets/../../package.json',
    '/assets/..%2fcbos.js',
    '/assets/',
    '/index.html.gz',
    '/cbos.js',
    '/assets/nothing.js',
  ])('nothing else is served without a sign-in: %s', async (path) => {
    expect((await get(path)).status).toBe(401);
  });
});

test('the first load is small', async () => {
  await using one = await startPage(browser, { prepare: ({ sessions }) => void sessions.add('DONE', DONE) });
  const { withoutTerminal, withTerminal } = await measureLoad(one, 'DONE');
  expect(withoutTerminal).toBeGreaterThan(50_000);
  expect(withoutTerminal).toBeLessThan(LIMITS.withoutTerminal);
  expect(withTerminal).toBeGreaterThan(withoutTerminal + 50_000);
  expect(withTerminal).toBeLessThan(LIMITS.withTerminal);
});
