import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createEmulator, type Emulator } from '../../../src/platform/emulator/index.ts';
import { anyOutput, CHARSETS, NO_WRAP } from './any-output.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

async function draw(text: string, size: { cols: number; rows: number } = { cols: 40, rows: 6 }): Promise<Emulator> {
  const emulator = createEmulator({ ...size, scrollback: 1_000 });
  emulator.write(bytes(text));
  await emulator.flush();
  return emulator;
}

test('the frame contains what a person would see, with the cursor', async () => {
  const emulator = await draw('Welcome\x1b[9Gto\x1b[12G❯ 日本 🤷\r\n\x1b[3;5Hx  ');
  expect(emulator.frame()).toMatchObject({
    lines: ['Welcome to ❯ 日本 🤷', '', '    x', '', '', ''],
    cursor: { row: 2, col: 7 },
    cols: 40,
    rows: 6,
  });
});

test('rows that are dim except for the prompt’s mark and a drawn cursor are reported', async () => {
  const emulator = await draw(
    [
      '❯ \x1b[7mT\x1b[0m\x1b[2mry "edit foo"\x1b[0m',
      '│ > \x1b[2mTry\x1b[0m │',
      '❯ half typed',
      '\x1b[2mdim\x1b[0m and not',
      '❯ ',
    ].join('\r\n'),
  );
  expect(emulator.frame().dimRows).toEqual([0, 1]);
});

test('bytes split anywhere give the same screen as the whole text', async () => {
  const size = { cols: 9, rows: 5, scrollback: 10 };
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof({ weight: 20, arbitrary: anyOutput }, fc.constantFrom(...NO_WRAP, ...CHARSETS).map(bytes)), {
        maxLength: 30,
      }),
      fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1 }),
      async (tokens, lengths) => {
        const all = Buffer.concat(tokens);
        const [whole, split] = [createEmulator(size), createEmulator(size)];
        whole.write(bytes(`${all.toString()}\x18`));
        for (let begin = 0, turn = 0; begin < all.length; turn++) {
          const length = lengths[turn % lengths.length] ?? 1;
          split.write(all.subarray(begin, begin + length));
          begin += length;
        }
        split.write(bytes('\x18'));
        await Promise.all([whole.flush(), split.flush()]);
        expect(split.serialize()).toBe(whole.serialize());
        expect(split.frame()).toEqual(whole.frame());
      },
    ),
    { numRuns: 200 },
  );
});

test('a character stays whole even where the terminal itself splits its input', async () => {
  const text = '❯—'.repeat(100_000);
  const emulator = await draw(text);
  expect(emulator.normalLines().join('')).toBe(text.slice(-emulator.normalLines().join('').length));
  expect(emulator.frame().cursor).toEqual((await draw(text.slice(0, 2_000))).frame().cursor);
});

test('a snapshot drawn into a fresh terminal looks the same, on the alternate screen too', async () => {
  for (const text of [
    `${'line\r\n'.repeat(20)}\x1b[1;32mgreen\x1b[0m\x1b[2;2H`,
    'shell\r\n\x1b[?1049h\x1b[2J\x1b[H\x1b[44mfull\x1b[0m screen\x1b[4;4Hx',
  ]) {
    const emulator = await draw(text);
    const copy = await draw(emulator.serialize());
    // The way in which the cursor got there is not part of the picture.
    expect({ ...copy.frame(), raisedTo: null }).toEqual({ ...emulator.frame(), raisedTo: null });
    expect(copy.isAlternate()).toBe(emulator.isAlternate());
    expect(copy.text(100, 'text')).toBe(emulator.text(100, 'text'));
  }
});

test('the last lines are returned as text, ANSI and HTML, scrollback included', async () => {
  const lines = Array.from({ length: 30 }, (_, index) => `line ${index}`).join('\r\n');
  const emulator = await draw(`${lines}\r\n\x1b[31m<b>&\x1b[0m\r\n`);
  expect(emulator.text(3, 'text')).toBe('line 28\nline 29\n<b>&');
  expect(emulator.text(1_000, 'text').split('\n')).toHaveLength(31);
  expect(emulator.text(2, 'ansi')).toBe('line 29\r\n\x1b[31m<b>&\x1b[0m');
  expect(emulator.text(1, 'html')).toMatch(/^<pre>.*&lt;b>&amp;.*<\/pre>$/s);
  expect((await draw('')).text(5, 'text')).toBe('');
});

test('on the alternate screen only the window counts', async () => {
  const emulator = await draw('below\r\n\x1b[?1049h\x1b[Hone\r\n\x1b[31mtwo\x1b[0m');
  expect(emulator.text(100, 'text')).toBe('one\ntwo');
  expect(emulator.text(1, 'ansi')).toContain('\x1b[31mtwo');
  expect(emulator.text(1, 'ansi')).not.toContain('one');
  expect(emulator.text(100, 'html')).not.toContain('below');
});

test('a resize shows in the frame, and a disposed emulator accepts nothing', async () => {
  const emulator = await draw('text');
  emulator.resize(20, 3);
  expect(emulator.frame()).toMatchObject({ cols: 20, rows: 3, lines: ['text', '', ''] });
  let parsed = false;
  emulator.dispose();
  emulator.write(bytes('x'), () => {
    parsed = true;
  });
  await emulator.flush();
  expect(parsed).toBe(false);
});
