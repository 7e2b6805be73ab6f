import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { readScreen, redactFrame, redactLine } from '../../../src/core/status/index.ts';
import { replay } from '../../harness/replay.ts';

const RECORDINGS = fileURLToPath(new URL('../../fixtures/recordings', import.meta.url));
/** Only every fifth frame of a recording is checked, because adjacent frames differ by a spinner. */
const STRIDE = 5;

const bases = ['1.0.128', '2.0.77', '2.1.150', '2.1.329'].flatMap((version) =>
  readdirSync(join(RECORDINGS, version))
    .filter((name) => name.endsWith('.typescript'))
    .map((name) => join(RECORDINGS, version, name.slice(0, -'.typescript'.length))),
);

test('a redacted screen is read like the original, in every recording', async () => {
  const differing: string[] = [];
  for (const base of bases) {
    const { frames } = await replay(base);
    for (const { frame, at } of frames.filter((_, index) => index % STRIDE === 0)) {
      const before = readScreen(frame);
      const after = readScreen(redactFrame(frame));
      if (before.primary === after.primary && before.detail === after.detail) continue;
      const name = base.slice(RECORDINGS.length + 1);
      differing.push(`${name} at ${at}: ${before.rule} ${before.detail} → ${after.rule} ${after.detail}`);
    }
  }
  expect(differing).toEqual([]);
}, 120_000);

test('no word of a person is left, and every line keeps its width', () => {
  expect(redactLine('❯ Deploy Bernhard’s 4711 keys to prod')).toBe('❯ Xxxxxx Xxxxxxxx’x 0000 xxxx xx xxxx');
  expect(redactLine('● Bash(cat ~/.ssh/id_rsa)')).toBe('● Xxxx(xxx ~/.xxx/xx_xxx)');
  expect(redactLine(' ❯ 1. Yes')).toBe(' ❯ 1. Yes');
  expect(redactLine('日本語 ok')).toBe('国国国 xx');
});
