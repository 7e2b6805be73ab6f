import { execFileSync } from 'node:child_process';
import { renameSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { exportCast, replayRecording } from '../../src/platform/recorder/index.ts';
import { openBrowser } from '../harness/browser.ts';
import { createWorld } from '../harness/world.ts';

const FIXTURES = fileURLToPath(new URL('../fixtures/recordings', import.meta.url));
const PLAYER = createRequire(import.meta.url).resolve('asciinema-player/dist/bundle/asciinema-player.min.js');
const STYLES = createRequire(import.meta.url).resolve('asciinema-player/dist/bundle/asciinema-player.css');

let world: ReturnType<typeof createWorld>;
beforeEach(() => {
  world = createWorld();
});
afterEach(() => world[Symbol.asyncDispose]());

/** Characters that the player draws itself. Its text has blanks in their place. */
const DRAWN_SYMBOLS = /[\u00a0\u2500-\u259f\u25a0-\u25ff\ue0a0-\ue0d4]/g;

describe("asciinema's own player", () => {
  test.each([
    ['2.0.77/hello', 2],
    ['2.1.329/read', 2],
    ['2.1.329/read', 3],
    ['2.1.329/resize-dialog', 3],
  ] as const)('shows %s, exported as asciicast v%s, the same at the end as the recording', async (fixture, version) => {
    const source = {
      typescript: join(FIXTURES, `${fixture}.typescript`),
      timing: join(FIXTURES, `${fixture}.timing`),
      cols: null,
      rows: null,
    };
    let cast = '';
    for await (const line of exportCast(source, { version, title: fixture, onProgress: () => undefined })) cast += line;
    let expected: readonly string[] = [];
    await replayRecording({
      ...source,
      onFrame: (frame) => {
        expected = frame.lines;
      },
    });

    const page = await (await openBrowser(world)).newPage();
    await page.setContent('<div id="player"></div>');
    await page.addStyleTag({ path: STYLES });
    await page.addScriptTag({ path: PLAYER });
    // The code is a string, because the types of this project lack those of a browser.
    await page.evaluate(`(async () => {
      const player = AsciinemaPlayer.create({ data: ${JSON.stringify(cast)} }, document.querySelector('#player'), { preload: true });
      await player.play();
      await player.seek('100%');
    })()`);
    const shown = (): Promise<string[]> => page.locator('.ap-line').allTextContents();
    const text = (lines: readonly string[]): string =>
      lines
        .map((line) => line.replace(DRAWN_SYMBOLS, ' ').trimEnd())
        .join('\n')
        .trim();
    await expect.poll(async () => text(await shown()), { timeout: 20_000 }).toBe(text(expected));
  });
});

describe('scriptreplay of util-linux', () => {
  const replayed = (...args: string[]): Buffer =>
    execFileSync('scriptreplay', [...args, '--maxdelay', '0.001'], { env: world.env, maxBuffer: 100_000_000 });

  test('plays recordings of CBOS byte for byte, even under the name that a restart gives them', () => {
    const [typescript, timing] = [join(world.streamDir, 'A.typescript'), join(world.streamDir, 'A.timing')];
    const command = [
      '--quiet',
      '--flush',
      '--log-out',
      typescript,
      '--log-timing',
      timing,
      '--logging-format',
      'advanced',
    ];
    execFileSync('script', [...command, '--command', 'printf "one\\n"; sleep 0.05; printf "two ✻ 数据\\n"'], {
      env: world.env,
    });
    renameSync(typescript, join(world.streamDir, 'A.1.typescript'));
    renameSync(timing, join(world.streamDir, 'A.1.timing'));
    const output = replayed(
      '--log-timing',
      join(world.streamDir, 'A.1.timing'),
      '--log-out',
      join(world.streamDir, 'A.1.typescript'),
    );
    expect(output.toString()).toContain('one\r\ntwo ✻ 数据\r\n');
  });

  test('and CBOS plays what scriptreplay plays: the classic format', async () => {
    const source = {
      typescript: join(FIXTURES, '2.0.77/read.typescript'),
      timing: join(FIXTURES, '2.0.77/read.timing'),
      cols: null,
      rows: null,
    };
    const theirs = replayed('--timing', source.timing, '--typescript', source.typescript).toString();
    let ours = '';
    for await (const line of exportCast(source, { version: 2, title: 'x', onProgress: () => undefined })) {
      const event: unknown = JSON.parse(line);
      if (Array.isArray(event) && event[1] === 'o') ours += event[2];
    }
    expect(ours).toContain(theirs.trimEnd());
  });
});
