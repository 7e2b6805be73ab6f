import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createEmulator } from '../../../src/platform/emulator/index.ts';

/** The number of random inputs. `EMULATOR_FUZZ=1000000` makes a long run. */
const INPUTS = Number(process.env.EMULATOR_FUZZ ?? 1_000);
/** The processor time that one sequence may take. The slowest, REP over a screen of 200×50, takes 3 ms without load. */
const LONGEST_MS = 100;

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

const number = fc.constantFrom(
  ...['', '0', '-1', '1', '2', '200', '65535', '65536', '2147483647', '2147483648', '4294967295', '4294967296'],
  '9'.repeat(400),
);
const parameters = fc.oneof(
  number,
  fc.array(number, { maxLength: 40 }).map((all) => all.join(';')),
  fc.array(number, { maxLength: 40 }).map((all) => all.join(':')),
);
const range = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, at) => String.fromCharCode(from + at));
const prefix = fc.constantFrom('', '?', '>', '<', '=');
const between = fc.constantFrom('', ...range(0x20, 0x2f));
const start = fc.constantFrom('\x1b[', '\x9b');
const final = fc.constantFrom(...range(0x40, 0x7e));
const control = fc.tuple(start, prefix, parameters, between, final).map((parts) => parts.join(''));
const short = fc.tuple(between, fc.constantFrom(...range(0x30, 0x7e))).map((parts) => `\x1b${parts.join('')}`);
const string = fc
  .tuple(
    fc.constantFrom(...'\x1b]', '\x1bP', '\x1b_', '\x1b^', '\x1bX'),
    prefix,
    parameters,
    between,
    final,
    fc.constantFrom('x', ';?', 'y'.repeat(20_000)),
    fc.constantFrom('\x07', '\x1b\\', '\x18', ''),
  )
  .map((parts) => parts.join(''));
const sequence = fc.oneof({ weight: 6, arbitrary: control }, short, string);

const FILLED = bytes(`${'日本語 text 👩‍💻 '.repeat(40)}\r\n`.repeat(60));
const SIZE = { cols: 200, rows: 50, scrollback: 100 };

/** Writes a text to a full screen of 200×50. @returns the processor time that this took, in milliseconds */
async function drawMs(text: string): Promise<number> {
  const emulator = createEmulator(SIZE);
  emulator.write(FILLED);
  await emulator.flush();
  const before = process.cpuUsage();
  emulator.write(bytes(text));
  await emulator.flush();
  const { user, system } = process.cpuUsage(before);
  emulator.dispose();
  return (user + system) / 1_000;
}

/** How many inputs are drawn one after the other on the same screen, which is full at first. */
const BATCH = 500;

/** Returns the processor time that each input takes, all in one terminal. */
async function drawAllMs(texts: readonly string[]): Promise<number[]> {
  const emulator = createEmulator(SIZE);
  emulator.write(FILLED);
  await emulator.flush();
  let before = process.cpuUsage();
  const took: number[] = [];
  for (const text of texts) {
    // CAN ends a sequence that an input left open.
    emulator.write(bytes(`${text}\x18漢字 x`), () => {
      const { user, system } = process.cpuUsage(before);
      took.push((user + system) / 1_000);
      before = process.cpuUsage();
    });
  }
  await emulator.flush();
  emulator.dispose();
  return took;
}

test.each([...'STLMbIZ@PXABCDEFGHJK`adefmr'])('ESC[2147483647%s draws at once', async (letter) => {
  expect(await drawMs(`\x1b[2147483647${letter}`)).toBeLessThan(LONGEST_MS);
});

test.each([
  ['scrolled away', 'one\r\ntwo\r\n\x1b[2147483647S', ''],
  ['scrolled down', 'one\r\ntwo\x1b[2147483647T', ''],
  ['deleted', 'one\r\ntwo\x1b[1;1H\x1b[2147483647M', ''],
  ['repeated', '\x1b[3;1Hx\x1b[3b', '\n\nxxxx'],
  ['shifted by as many lines as requested', 'one\x1b[1;1H\x1b[2L', '\n\none'],
])('%s ends at the same place as without a limit', async (_what, text, shown) => {
  const emulator = createEmulator({ cols: 20, rows: 5, scrollback: 10 });
  emulator.write(bytes(text));
  await emulator.flush();
  expect(emulator.frame().lines.join('\n').trimEnd()).toBe(shown);
  emulator.dispose();
});

test('many inputs that each take a while are given up, and nothing waits for them', async () => {
  const emulator = createEmulator({ cols: 200, rows: 50, scrollback: 100 });
  const slow = bytes('x\x1b[9999b'.repeat(4_000));
  for (let piece = 0; piece < 50; piece++) emulator.write(slow);
  const before = performance.now();
  await expect(emulator.flush()).rejects.toMatchObject({ code: 'undrawable' });
  // Drawing everything would take minutes.
  expect(performance.now() - before).toBeLessThan(10_000);
  await expect(emulator.flush()).rejects.toMatchObject({ code: 'undrawable' });
  emulator.dispose();
});

test('no control sequence takes long, whatever its parameters are', { timeout: 120_000 + INPUTS * 5 }, async () => {
  const seed = Number(process.env.EMULATOR_FUZZ_SEED ?? Date.now() % 2 ** 31);
  for (let batch = 0; batch * BATCH < INPUTS; batch++) {
    const texts = fc.sample(sequence, { numRuns: Math.min(BATCH, INPUTS - batch * BATCH), seed: seed + batch });
    const took = await drawAllMs(texts);
    expect(took).toHaveLength(texts.length);
    for (const [index, ms] of took.entries()) {
      if (ms < LONGEST_MS) continue;
      const text = texts[index] ?? '';
      // The input is measured again alone, because the first measurement included the work of other threads.
      expect(await drawMs(text), `seed ${seed}: ${JSON.stringify(text.slice(0, 200))}`).toBeLessThan(LONGEST_MS);
    }
  }
});
