import { expect, test } from 'vitest';
import { createRowCache } from '../../src/tui/terminal/row-cache.ts';
import { createSessionScreen, type SessionScreen, type Viewport } from '../../src/tui/terminal/session-screen.ts';

const VIEWPORT: Viewport = { cols: 40, rows: 5, back: 0, right: 0, atColumn: 0, hasColours: true };

const write = (screen: SessionScreen, data: string): Promise<void> =>
  new Promise((resolve) => screen.write(data, false, resolve));

/** Expects the same screen whether it is read after each write or only once at the end. */
async function bothWays(writes: readonly string[], viewports: readonly Viewport[] = [VIEWPORT]): Promise<void> {
  const watched = createSessionScreen({ cols: 40, rows: 5 });
  const fresh = createSessionScreen({ cols: 40, rows: 5 });
  for (const data of writes) {
    await write(watched, data);
    for (const viewport of viewports) watched.rows(viewport);
    await write(fresh, data);
  }
  for (const viewport of viewports) expect(watched.rows(viewport)).toEqual(fresh.rows(viewport));
  watched.dispose();
  fresh.dispose();
}

const LINES = Array.from({ length: 1_100 }, (_, line) => `\r\n\u001b[3${line % 8}mline ${line}`);

test.each([
  ['letters', ['one', '\rtwo', '\rtwo\u001b[K', '\u001b[2J']],
  [
    'identical letters in several colours',
    ['\u001b[31mred', '\r\u001b[32mred', '\r\u001b[1mred', '\r\u001b[38;2;1;2;3mred'],
  ],
  ['scrolling', LINES.slice(0, 12)],
  ['a full scrollback, whose lines are reused', [LINES.slice(0, 1_090).join(''), ...LINES.slice(1_090)]],
  ['combining characters', ['e\u0301', '\re\u0300', '\r👩‍👩‍👧', '\r👩']],
  ['inserted and deleted lines', ['a\r\nb\r\nc', '\u001b[2;1H\u001b[L', '\u001b[M', '\u001bM']],
  ['the alternate screen', ['first', '\u001b[?1049hother', '\u001b[?1049l']],
])('rows are current after changes of %s', (_, writes) => bothWays(writes));

test('rows follow their cut, position and colours', () =>
  bothWays(
    ['\u001b[31m漢字 of a row that is rather long, longer than the cut'],
    [VIEWPORT, { ...VIEWPORT, right: 1 }, { ...VIEWPORT, atColumn: 30 }, { ...VIEWPORT, hasColours: false }],
  ));

test('a row that has not changed is not rendered again', async () => {
  const { default: xterm } = await import('@xterm/headless');
  const terminal = new xterm.Terminal({ cols: 20, rows: 2, allowProposedApi: true });
  const cache = createRowCache();
  const made: number[] = [];
  const look = (): void => {
    for (const row of [0, 1, 2]) {
      const line = terminal.buffer.active.getLine(row);
      if (line !== undefined) cache.row(line, '', () => String(made.push(row)));
    }
  };
  const feed = (data: string): Promise<void> => new Promise((resolve) => terminal.write(data, resolve));
  await feed('one\r\ntwo');
  look();
  made.length = 0;
  await feed('\r\nthree');
  look();
  expect(made, 'the line that came, though all have moved').toEqual([2]);
  terminal.dispose();
});
