import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';
import xterm from '@xterm/headless';
import fc from 'fast-check';
import { afterEach, expect, test, vi } from 'vitest';
import { parseTiming } from '../../../src/core/recording/index.ts';
import { createEmulator } from '../../../src/platform/emulator/index.ts';
import { isPlainOutput } from '../../../src/platform/emulator/plain-output.ts';
import { coreOf } from '../../../src/platform/emulator/xterm-core.ts';
import { anyOutput } from './any-output.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

afterEach(() => vi.restoreAllMocks());

test.each([
  ['text', 'Read 日本 👩‍💻 “—…” é\r\n\t\b'],
  ['styles', '\x1b[0m\x1b[1;38;2;215;119;87;48;5;7m✻\x1b[m'],
  ['movements', '\x1b[A\x1b[2B\x1b[30C\x1b[1D\x1b[H\x1b[2;3H\x1b[G\x1b[9d'],
  ['erased lines', '\x1b[K\x1b[2K'],
  ['a redraw', '\x1b[?2026h\x1b[?25l\x1b[?25h\x1b[?2026l'],
  ['a title', '\x1b]0;✳ Claude Code\x07'],
])('plain output: %s', (_, text) => {
  expect(isPlainOutput(bytes(text))).toBe(true);
});

test.each([
  ['counts that cause loops', '\x1b[9S\x1b[9T'],
  ['repetitions', 'x\x1b[9b'],
  ['inserted lines', '\x1b[9L'],
  ['an erased screen', '\x1b[2J'],
  ['another screen', '\x1b[?1049h'],
  ['another screen together with a plain mode', '\x1b[?25;1049h'],
  ['a scroll region', '\x1b[2;4r'],
  ['a full reset', '\x1bc'],
  ['a sequence with a character in between', '\x1b[1 q'],
  ['a string', '\x1bPq\x1b\\'],
  ['a title with letters that are not checked', '\x1b]0;\ue123\x07'],
  ['another string of the same kind as titles', '\x1b]10;?\x07'],
  ['a title with another terminator', '\x1b]0;x\x1b\\'],
  ['a long title', `\x1b]0;${'x'.repeat(300)}\x07`],
  ['a long sequence', `\x1b[${'1;'.repeat(100)}m`],
  ['the beginning of a sequence', 'x\x1b[3'],
  ['the beginning of a title', 'x\x1b]0;x'],
  ['a control character of two bytes that begins a string', '\u009d0;x\u009c'],
  ['another control character', 'x\x0e'],
  ['DEL', '\x7f'],
])('not plain: %s', (_, text) => {
  expect(isPlainOutput(bytes(text))).toBe(false);
});

test('after plain output a terminal is not inside a sequence', () => {
  const terminal = new xterm.Terminal({ cols: 9, rows: 5, allowProposedApi: true, logLevel: 'off' });
  const core = coreOf(terminal);
  fc.assert(
    fc.property(anyOutput, anyOutput, (one, other) => {
      const text = bytes(Buffer.concat([one, other]).toString());
      if (!isPlainOutput(text)) return;
      core.writeSync('\x18');
      core.writeSync(text);
      expect(core._inputHandler._parser.currentState).toBe(0);
    }),
    { numRuns: 2_000 },
  );
});

test('hardly anything that Claude Code writes during a turn is watched', () => {
  const folder = fileURLToPath(new URL('../../fixtures/recordings', import.meta.url));
  for (const version of readdirSync(folder)) {
    const base = join(folder, version, 'long');
    if (!existsSync(`${base}.timing`)) continue;
    const all = readFileSync(`${base}.typescript`);
    let at = all.indexOf('\n') + 1;
    let [seconds, writes, plain] = [0, 0, 0];
    for (const entry of parseTiming(readFileSync(`${base}.timing`, 'utf8')).entries) {
      seconds += entry.delay;
      if (entry.kind !== 'output') continue;
      const output = all.subarray(at, at + entry.bytes);
      at += entry.bytes;
      // Only the answer is counted. Before it, the program starts.
      if (seconds < 6 || seconds > 16) continue;
      writes += 1;
      if (isPlainOutput(output)) plain += 1;
    }
    expect(plain / writes, version).toBeGreaterThan(0.95);
  }
});

test('plain output is drawn without a watch; anything else, and output that follows it inside a sequence, with one', async () => {
  const watched = vi.spyOn(Script.prototype, 'runInContext');
  const emulator = createEmulator({ cols: 40, rows: 5, scrollback: 10 });
  const draw = async (text: string): Promise<number> => {
    watched.mockClear();
    emulator.write(bytes(text));
    await emulator.flush();
    return watched.mock.calls.length;
  };
  expect(await draw('\x1b[31mplain\x1b[m\r\n')).toBe(0);
  expect(await draw('\x1b[2J')).toBe(1);
  expect(await draw('plain again')).toBe(0);
  expect(await draw('\x1b]10;')).toBe(1);
  expect(await draw('still the string')).toBe(1);
  expect(await draw('\x07')).toBe(1);
  expect(await draw('plain')).toBe(0);
  watched.mockClear();
  emulator.write(bytes('and at once'));
  emulator.drawWaiting();
  expect(emulator.frame().lines.join('\n')).toContain('and at once');
  emulator.write(bytes('\x1b[2J'));
  emulator.write(bytes('\x1b[Hcleared'));
  emulator.resize(30, 5);
  expect(watched).toHaveBeenCalledTimes(1);
  expect(emulator.frame().lines[0]).toBe('cleared');
  emulator.dispose();
});

test('the slowest plain output takes as long as its length requires', async () => {
  // Each takes 0.3 s without load, because every byte draws, erases, or scrolls a row of the largest usual window.
  const emulator = createEmulator({ cols: 400, rows: 100, scrollback: 1_000 });
  for (const piece of ['\n', '\x1b[K', '\x1b[2K', '\t\r', '日', 'e\u0301', '\x1b[999999999999A', '\x1b[9;9H']) {
    const output = bytes(piece.repeat(32_768 / piece.length));
    expect(isPlainOutput(output)).toBe(true);
    const before = process.cpuUsage();
    emulator.write(output);
    await emulator.flush();
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1_000, JSON.stringify(piece)).toBeLessThan(1_500);
  }
  emulator.dispose();
});
