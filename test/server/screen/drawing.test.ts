import { appendFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createEmulator, type Emulator } from '../../../src/platform/emulator/index.ts';
import { createDrawing, type Drawing, MOST_WAITING_BYTES } from '../../../src/server/screen/drawing.ts';
import { ManualClock } from '../../harness/manual-clock.ts';
import { waitFor } from '../../harness/wait-for.ts';
import { createWorld } from '../../harness/world.ts';

const SIZE = { cols: 60, rows: 10 };
const LINE = '\x1b[32m● some line of a build\x1b[39m that goes on and on\r\n';

let world: ReturnType<typeof createWorld>;
let file: string;
let clock: ManualClock;
let faults: unknown[];
let aside: unknown[];
beforeEach(() => {
  world = createWorld();
  file = join(world.streamDir, 'A.typescript');
  clock = new ManualClock();
  faults = [];
  aside = [];
});
afterEach(() => world.dispose());

interface Recorded {
  drawing: Drawing;
  write(output: string | Uint8Array): void;
  bytes(): Buffer;
  /** how far the drawing was each time that its picture changed */
  drawnTo: number[];
}

function record(): Recorded {
  writeFileSync(file, '');
  let all = Buffer.alloc(0);
  const pieces: Buffer[] = [];
  let length = 0;
  const drawnTo: number[] = [];
  const drawing = createDrawing({
    ...SIZE,
    from: 0,
    file: () => file,
    clock,
    onDrawn: () => drawnTo.push(drawing.drawn()),
    onFault: (cause) => faults.push(cause),
    onAside: (cause) => aside.push(cause),
  });
  world.onDispose(() => drawing.dispose());
  return {
    drawing,
    drawnTo,
    write: (output) => {
      const bytes = Buffer.from(output);
      appendFileSync(file, bytes);
      pieces.push(bytes);
      drawing.take(bytes, length);
      length += bytes.length;
    },
    bytes: () => {
      all = Buffer.concat([all, ...pieces.splice(0)]);
      return all;
    },
  };
}

/** Returns a terminal that has drawn all bytes in order. */
async function drawnWhole(bytes: Uint8Array): Promise<Emulator> {
  const emulator = createEmulator({ ...SIZE, scrollback: 1_000 });
  emulator.write(bytes);
  await emulator.flush();
  return emulator;
}

/** Writes so much output that not all of it is drawn. */
function flood(recorded: Recorded, bytes = 2 * MOST_WAITING_BYTES): void {
  const block = LINE.repeat(1_000);
  for (let written = 0; written < bytes; written += block.length) recorded.write(block);
}

test('however output is split, the screen is that of the whole, and so is the offset', async () => {
  const piece = fc.oneof(
    fc.uint8Array({ minLength: 1, maxLength: 60 }),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }).map((text) => new Uint8Array(Buffer.from(text))),
    fc
      .constantFrom('\x1b[31', 'm❯', '\x1b]0;ti', 'tle\x07', '\x1b[2;3H', '\r\n', '\x1b[?1049h', '\x1b[?1049l')
      .map((text) => new Uint8Array(Buffer.from(text))),
  );
  const step = fc.record({ piece, isDrawnFirst: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 40 }), async (steps) => {
      const { drawing, write, bytes } = record();
      for (const one of steps) {
        write(one.piece);
        if (one.isDrawnFirst) await drawing.flush();
      }
      await drawing.flush();
      expect(drawing.drawn()).toBe(bytes().length);
      expect(drawing.emulator().serialize()).toBe((await drawnWhole(bytes())).serialize());
      drawing.dispose();
    }),
    { numRuns: 50 },
  );
});

test('a flood is not drawn completely, and its end is the screen as soon as somebody requests it', async () => {
  const recorded = record();
  recorded.write('\x1b[?25l\x1b[?2004h');
  await recorded.drawing.flush();
  flood(recorded);
  recorded.write('❯ \x1b[1mthe end');
  await recorded.drawing.flush();
  expect(recorded.drawing.drawn()).toBe(recorded.bytes().length);
  // The first piece was being drawn when the flood began.
  expect(recorded.drawnTo.filter((offset) => offset > 100_000)).toEqual([recorded.bytes().length]);
  const whole = await drawnWhole(recorded.bytes());
  expect(recorded.drawing.emulator().text(1_000, 'ansi')).toBe(whole.text(1_000, 'ansi'));
  expect(recorded.drawing.emulator().frame()).toEqual(whole.frame());
  // The modes from before the flood still apply.
  expect(recorded.drawing.emulator().serialize()).toBe(whole.serialize());
});

test('a flood that pauses is drawn without a request, and the output after it as usual', async () => {
  const recorded = record();
  flood(recorded);
  recorded.write('pause');
  clock.advance(1_000);
  await waitFor(() => recorded.drawing.drawn() === recorded.bytes().length, { describe: 'its end is drawn' });
  // The first piece was being drawn when the flood began.
  expect(recorded.drawnTo.filter((offset) => offset > 100_000)).toEqual([recorded.bytes().length]);
  recorded.write(', and on');
  await recorded.drawing.flush();
  expect(recorded.drawing.emulator().frame().lines.at(-1)).toBe('pause, and on');
});

test('a flood that does not end shows its current state from time to time', async () => {
  const recorded = record();
  flood(recorded, 6 * MOST_WAITING_BYTES);
  await waitFor(() => recorded.drawing.drawn() > MOST_WAITING_BYTES, { describe: 'something is drawn' });
  flood(recorded, 6 * MOST_WAITING_BYTES);
  const half = recorded.bytes().length / 2;
  await waitFor(() => recorded.drawing.drawn() > half, { describe: 'more is drawn' });
  expect(recorded.drawnTo.length).toBeLessThan(5);
});

test('a flood into a file that is gone leaves the picture unchanged, and is reported', async () => {
  const recorded = record();
  recorded.write('before');
  await recorded.drawing.flush();
  flood(recorded);
  rmSync(file);
  await recorded.drawing.flush();
  expect(recorded.drawing.emulator().frame().lines[0]).toBe('before');
  expect(faults).toMatchObject([{ code: 'no_recording' }]);
});

test('nobody waits for a drawing that is disposed of, in a flood or outside of one', async () => {
  for (const bytes of [1_000, 2 * MOST_WAITING_BYTES]) {
    const recorded = record();
    flood(recorded, bytes);
    const flushed = recorded.drawing.flush();
    recorded.drawing.dispose();
    await flushed;
    const { length } = recorded.drawnTo;
    const other = record();
    other.write('others are drawn');
    await other.drawing.flush();
    expect(recorded.drawnTo).toHaveLength(length);
  }
});

test('a resize also applies to the picture that is being drawn', async () => {
  const recorded = record();
  flood(recorded);
  const flushed = recorded.drawing.flush();
  recorded.drawing.resize(30, 5);
  await flushed;
  expect(recorded.drawing.emulator().frame()).toMatchObject({ cols: 30, rows: 5 });
});

/** Writes so much without a pause that later output is gathered. */
async function makeBusy({ write, drawing }: Recorded): Promise<void> {
  for (let count = 0; count < 10; count++) {
    write(LINE.repeat(20));
    await drawing.flush();
    clock.advance(20);
  }
}

test('gathered output is drawn as soon as somebody requests it, at once or in its turn', async () => {
  const recorded = record();
  const { drawing, write } = recorded;
  await makeBusy(recorded);
  write('gathered');
  await new Promise(setImmediate);
  expect(drawing.emulator().frame().lines.join()).not.toContain('gathered');
  expect(drawing.drawNow()).toBe(true);
  expect(drawing.emulator().frame().lines.at(-1)).toBe('gathered');
  expect(drawing.drawn()).toBe(recorded.bytes().length);
  expect(drawing.drawNow()).toBe(false);
  write(', more');
  await drawing.flush();
  expect(drawing.emulator().frame().lines.at(-1)).toBe('gathered, more');
  write(', and on');
  clock.advance(80);
  await waitFor(() => drawing.drawn() === recorded.bytes().length, { describe: 'it is drawn without anybody asking' });
  expect(drawing.emulator().serialize()).toBe((await drawnWhole(recorded.bytes())).serialize());
});

test('output from before a resize is drawn in the former size', async () => {
  const recorded = record();
  await makeBusy(recorded);
  recorded.write(`${'x'.repeat(SIZE.cols)}\x1b[A`);
  recorded.drawing.resize(30, 5);
  const whole = await drawnWhole(recorded.bytes());
  whole.resize(30, 5);
  expect(recorded.drawing.emulator().frame()).toEqual(whole.frame());
});

test('output that fails when it is drawn at once is drawn again, and set aside if it fails once more', async () => {
  const make = String.fromCharCode;
  String.fromCharCode = (...codes) => {
    if (codes.includes(0xe124)) throw new Error('cannot be drawn');
    return make(...codes);
  };
  world.onDispose(() => {
    String.fromCharCode = make;
  });
  const recorded = record();
  await makeBusy(recorded);
  recorded.write('\x1b]0;\ue124\x07');
  expect(recorded.drawing.drawNow()).toBe(true);
  await waitFor(() => aside.length > 0, { describe: 'it is set aside' });
  expect(aside).toMatchObject([{ code: 'undrawable' }]);
  await recorded.drawing.flush();
  expect(recorded.drawing.drawn()).toBe(recorded.bytes().length);
});

/**
 * No sequence is known that makes xterm.js loop forever. This test therefore plants a loop in the function that
 * xterm.js calls for the characters of a title.
 */
const ENDLESS = '\x1b]0;\ue123\x07';
function plant(): void {
  const make = String.fromCharCode;
  String.fromCharCode = (...codes) => {
    if (codes.includes(0xe123)) for (;;);
    return make(...codes);
  };
  world.onDispose(() => {
    String.fromCharCode = make;
  });
}

test('output that takes too long to draw is set aside, other output is drawn, and drawing is tried again later', async () => {
  plant();
  const recorded = record();
  const other = record();
  recorded.write('before');
  await recorded.drawing.flush();
  recorded.write(ENDLESS);
  other.write('others go on');
  await other.drawing.flush();
  expect(other.drawing.emulator().frame().lines[0]).toBe('others go on');
  await recorded.drawing.flush();
  await waitFor(() => aside.length > 0, { describe: 'it is set aside' });
  expect(aside).toMatchObject([{ code: 'undrawable' }]);
  expect(recorded.drawing.drawn()).toBe(recorded.bytes().length);
  for (let more = 0; more < 12; more++) recorded.write(LINE.repeat(2_000));
  recorded.write('❯ the end');
  await waitFor(() => aside.length > 1, { describe: 'it is drawn again' });
  await recorded.drawing.flush();
  expect(aside[1]).toBeNull();
  expect(recorded.drawing.emulator().frame().lines.at(-1)).toBe('❯ the end');
});
