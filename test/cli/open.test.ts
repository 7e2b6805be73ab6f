import { encode } from 'uqr';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { LocalHost } from '../../src/cli/local-host.ts';
import { type FacesUnderTest, startFaces } from '../harness/faces.ts';
import { ManualClock } from '../harness/manual-clock.ts';
import { type CommandOptions, runCommand } from './command-line.ts';

const clock = new ManualClock();
let server: FacesUnderTest;
let where: CommandOptions;
beforeAll(async () => {
  server = await startFaces({ clock });
  where = { socket: `${server.world.cbosHome}/cbos.sock`, host: { startInBackground: async () => 'already_running' } };
});
afterAll(() => server[Symbol.asyncDispose]());

/** Signs in like a browser that opened the link. */
async function signIn(url: string): Promise<{ status: number; cookie: string; text: string }> {
  const origin = `http://127.0.0.1:${server.port}`;
  const code = decodeURIComponent(new URL(url).hash.split('/').at(-1) ?? '');
  const { status, headers, text } = await server.call('/sign-in', { token: null, body: { code }, headers: { origin } });
  return { status, cookie: String(headers['set-cookie']), text };
}

const linkIn = (text: string): string => text.split('\n').find((line) => /^https?:/.test(line)) ?? '';

describe('open', () => {
  test('prints a link that signs one browser in, once', async () => {
    const { code, stdout, stderr } = await runCommand(['open'], where);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(
      /^Open this link in a browser. It works once, within ten minutes:\nhttp:\/\/127\.0\.0\.1:32205\/#\//,
    );
    const link = linkIn(stdout);
    const first = await signIn(link);
    expect(first.status).toBe(200);
    expect(first.cookie).toMatch(/HttpOnly.*SameSite=Strict/);
    const second = await signIn(link);
    expect(second.status).toBe(410);
    expect(second.text).toContain('cbos open');
    expect(second.cookie).toBe('undefined');
  });

  test('a link expires after ten minutes, and the page explains how to get another', async () => {
    const link = linkIn((await runCommand(['open'], where)).stdout);
    clock.advance(10 * 60_000 + 1);
    const late = await signIn(link);
    expect(late.status).toBe(410);
    expect(late.text).toContain('cbos open');
  });

  test('every link is different, and a later one leaves the earlier one valid', async () => {
    const [one, other] = [await runCommand(['open'], where), await runCommand(['open'], where)].map(({ stdout }) =>
      linkIn(stdout),
    );
    expect(one).not.toBe(other);
    expect((await signIn(other ?? '')).status).toBe(200);
    expect((await signIn(one ?? '')).status).toBe(200);
  });

  test('in a terminal it opens the browser, and prints the link as well', async () => {
    const opened: string[] = [];
    const host: Partial<LocalHost> = {
      ...where.host,
      openInBrowser: async (url: string) => {
        opened.push(url);
        return true;
      },
    };
    const { code, stdout } = await runCommand(['open'], { ...where, isTTY: true, host });
    expect(code).toBe(0);
    expect(opened).toEqual([linkIn(stdout)]);
    expect(stdout).toContain('Opened in the browser');
  });

  test('--json prints the link and its end, and opens nothing', async () => {
    const opened: string[] = [];
    const host = { ...where.host, openInBrowser: async (url: string) => opened.push(url) > 0 };
    const { stdout } = await runCommand(['open', '--json'], { ...where, isTTY: true, host });
    const { url, expires_at } = JSON.parse(stdout) as { url: string; expires_at: string };
    expect(Date.parse(expires_at) - clock.now()).toBe(10 * 60_000);
    expect((await signIn(url)).status).toBe(200);
    expect(opened).toEqual([]);
  });

  test('starts the server if none is running', async () => {
    await server.stop();
    let starts = 0;
    const host: Partial<LocalHost> = {
      startInBackground: async ({ onProgress }) => {
        starts += 1;
        onProgress('starting the server');
        await server.startAgain();
        return 'started';
      },
    };
    const { code, stdout, stderr } = await runCommand(['open'], { ...where, host });
    expect({ code, stderr, starts }).toEqual({ code: 0, stderr: 'cbos: starting the server\n', starts: 1 });
    expect((await signIn(linkIn(stdout))).status).toBe(200);
  });
});

describe('open --qr', () => {
  test('draws exactly the link that it prints', async () => {
    const { code, stdout } = await runCommand(['open', '--qr'], where);
    expect(code).toBe(0);
    const link = linkIn(stdout);
    const drawn = stdout.split('\n').filter((line) => /^[█▀▄ ]+$/.test(line));
    const modules = drawn.flatMap((line) => [
      [...line].map((half) => half === ' ' || half === '▄'),
      [...line].map((half) => half === ' ' || half === '▀'),
    ]);
    const wanted = encode(link, { border: 2 }).data;
    expect(modules.slice(0, wanted.length).map((row) => row.slice(0, wanted.length))).toEqual(wanted);
    expect((await signIn(link)).status).toBe(200);
  });

  test('reports that a phone cannot reach this machine’s own address, and nothing if it can', async () => {
    expect((await runCommand(['open', '--qr'], where)).stderr).toContain('CBOS_PUBLIC_URL');
    const settings = { public_url: 'https://cbos.example' };
    const { stdout, stderr } = await runCommand(['open', '--qr'], { ...where, settings });
    expect(stderr).toBe('');
    expect(linkIn(stdout)).toMatch(/^https:\/\/cbos\.example\/#\//);
  });

  test('fits a terminal of 80 columns', async () => {
    const { stdout } = await runCommand(['open', '--qr'], where);
    for (const line of stdout.split('\n').filter((one) => !one.startsWith('http')))
      expect([...line].length).toBeLessThan(80);
  });
});
