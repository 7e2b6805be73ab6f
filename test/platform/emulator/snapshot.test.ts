import xterm, { type IBufferCell, type Terminal } from '@xterm/headless';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { unfinishedLength } from '../../../src/core/stream/index.ts';
import { snapshotOf } from '../../../src/platform/emulator/snapshot.ts';
import { printAloneAtTheEdge } from '../../../src/platform/emulator/xterm-core.ts';
import { anyOutput } from './any-output.ts';

function open(size = { cols: 9, rows: 5 }): Terminal {
  const terminal = new xterm.Terminal({ ...size, scrollback: 10, allowProposedApi: true, logLevel: 'off' });
  printAloneAtTheEdge(terminal);
  return terminal;
}

const write = (terminal: Terminal, output: string): Promise<void> =>
  new Promise((resolve) => terminal.write(output, resolve));

async function drawn(output: string, size?: { cols: number; rows: number }): Promise<Terminal> {
  const terminal = open(size);
  await write(terminal, output);
  return terminal;
}

/** Returns what a person sees of a cell. For an empty cell, that is the background. */
function look(cell: IBufferCell): unknown[] {
  const background = [cell.getBgColorMode(), cell.getBgColor()];
  if (cell.getChars() === '') return [cell.getWidth(), ...background];
  const flags = [cell.isBold(), cell.isDim(), cell.isItalic(), cell.isUnderline(), cell.isInverse(), cell.isOverline()];
  const more = [cell.isBlink(), cell.isInvisible(), cell.isStrikethrough()].map(Boolean);
  return [
    cell.getChars(),
    cell.getWidth(),
    ...background,
    cell.getFgColorMode(),
    cell.getFgColor(),
    ...flags.map(Boolean),
    ...more,
  ];
}

/** Returns everything visible of a terminal, and the modes that it reports. */
function picture({ buffer: { active, normal }, modes, cols }: Terminal) {
  const lines = (of: typeof active) =>
    Array.from({ length: of.length }, (_, row) => {
      const line = of.getLine(row);
      const cells = Array.from({ length: cols }, (__, col) => line?.getCell(col)).map((cell) => cell && look(cell));
      // The line above the first one is lost, so nothing shows whether the first line continues it.
      return { cells, isWrapped: row > 0 && line?.isWrapped };
    });
  return { type: active.type, cursor: [active.cursorX, active.cursorY], modes, lines: [lines(active), lines(normal)] };
}

test('a terminal that continues from a snapshot, wherever it was taken, shows the same as one that saw everything', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyOutput, { maxLength: 30 }), fc.nat(), async (tokens, at) => {
      const all = Buffer.concat([...tokens, Buffer.from('\x18')]);
      const cut = at % all.length;
      const before = all.subarray(0, cut);
      // The terminal has processed this part. The unfinished rest belongs to the output that follows.
      const done = before.subarray(0, cut - unfinishedLength(before)).toString();
      const rest = all.subarray(cut - unfinishedLength(before)).toString();
      const whole = await drawn(done);
      const joined = await drawn(snapshotOf(whole, true));
      expect(picture(joined)).toEqual(picture(whole));
      await Promise.all([write(whole, rest), write(joined, rest)]);
      expect(picture(joined)).toEqual(picture(whole));
    }),
    { numRuns: 100 },
  );
});

test.each([
  ['bold behind dim', '\x1b[2mhint\x1b[0m\r\n\x1b[1mhead\x1b[0m', ''],
  ['a style of the normal screen that the alternate screen lacks', '\x1b[31;44mred\x1b[?1049h\x1b[0mplain', ''],
  ['a line that is exactly full', '123456789', 'next'],
  ['a line that is exactly full, and another style', '\x1b[1m123456789\x1b[0m', 'next'],
  ['the fact that a full line was followed by something else', '123456789\0', '\x1b[2b'],
  ['half an emoji', '👩', '\u200d💻'],
  ['a letter without its accent', '\x1b[4me', '\u0301'],
  ['an emoji that is repeated', '漢', '\x1b[2b'],
  ['a scroll region', 'a\r\nb\r\nc\x1b[2;3r\x1b[3;1H', '\nd'],
  ['origin mode', '\x1b[2;4r\x1b[?6h\x1b[2;2H', 'x\x1b[Hy'],
  ['a saved cursor', 'abc\x1b[32m\x1b7\x1b[0m\r\n', 'x\x1b8y'],
  ['line drawing', '\x1b(0lq', 'k\x1b(Bq'],
  ['line drawing by shift out', '\x1b)0\x0e', 'lqk\x0fq'],
  ['insert mode', 'abc\x1b[4h\x1b[1;2He', '\u0301x'],
  ['a combining mark without a base', '\x1b[m\u0301ab', 'c'],
  ['a background to the end of the line', '\x1b[42m\x1b[K\r\n\x1b[0mx', ''],
])('a snapshot keeps %s', async (_, before, after) => {
  const whole = await drawn(before);
  const joined = await drawn(snapshotOf(whole, true));
  expect(picture(joined)).toEqual(picture(whole));
  await Promise.all([write(whole, after), write(joined, after)]);
  expect(picture(joined)).toEqual(picture(whole));
});

test("the mouse's reporting mode is kept", async () => {
  expect(snapshotOf(await drawn('\x1b[?1002h\x1b[?1006h'), false)).toBe('\x1b[?1002h\x1b[?1006h\x1b[?25l');
});

test('plain text is its own snapshot, which is also right below other text, in a taller terminal', async () => {
  const text = 'one\r\ntwo';
  expect(snapshotOf(await drawn(text), true)).toBe(text);
  const elsewhere = await drawn(`$ follow\r\n${snapshotOf(await drawn('one\r\ntwo\r\n\x1b[A\x1b[2C'), true)}x`, {
    cols: 9,
    rows: 8,
  });
  expect(elsewhere.buffer.active.getLine(2)?.translateToString(true)).toBe('twx');
});
