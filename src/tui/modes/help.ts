import { displayWidth } from '../../text/display-width.ts';
import type { App } from '../app.ts';
import type { HelpRow } from '../mode.ts';
import { fitTo, wrap } from '../view/cells.ts';
import { showPage } from './text-page.ts';

const KEY_CELLS = 12;

export function showHelp(app: App): void {
  const { dress, help } = app;
  const rows = ([key, does]: HelpRow, cols: number): string[] => {
    const isLong = displayWidth(key) > KEY_CELLS;
    const about = wrap(does, Math.max(10, cols - KEY_CELLS - 5)).map((row) => ` ${row}`);
    const named = `   ${dress('bold', isLong ? key : fitTo(key, KEY_CELLS))}`;
    const indent = ' '.repeat(KEY_CELLS + 3);
    const [first = '', ...more] = isLong ? ['', ...about] : about;
    return [`${named}${first}`, ...more.map((row) => `${indent}${row}`)];
  };
  showPage(app, 'Keys', (cols) => [
    ...Object.entries({ ...help, 'Commands, after : or /': app.commands.help }).flatMap(([title, keys]) => [
      dress('cyan', ` ${title}`),
      ...keys.flatMap((key) => rows(key, cols)),
    ]),
    ...wrap('Any other command after : or in the input goes to Claude Code: /model, /compact …', cols - 2).map(
      (row) => ` ${dress('dim', row)}`,
    ),
  ]);
}
