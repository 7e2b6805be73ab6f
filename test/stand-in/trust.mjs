// The dialog that comes before everything else in a folder that the user has not trusted yet.
import { KeyReader } from './keys.mjs';
import { recordedRows, Screen, wrap } from './screen.mjs';

/** @param {string} cwd @returns {Promise<boolean>} whether the user trusts the folder */
export function askForTrust(cwd) {
  const screen = new Screen(process.stdout);
  let trusts = false;
  const draw = () => {
    const [title = '', folder = '', check = '', review = '', able = '', guide = '', no = '', yes = '', hint = ''] =
      recordedRows('trust', { cwd });
    const choose = (/** @type {string} */ row, /** @type {boolean} */ isChosen) =>
      row.replace(/^ [❯ ]/, isChosen ? ' ❯' : '  ');
    const rows = [
      '',
      '─'.repeat(screen.cols),
      title,
      '',
      folder,
      '',
      ...wrap(`${check} ${review.trim()}`, screen.cols - 2).map((row, at) => (at === 0 ? row : ` ${row}`)),
      '',
      able,
      '',
      guide,
      '',
    ];
    screen.draw([...rows, choose(no, !trusts), choose(yes, trusts), '', hint], {
      row: rows.length + (trusts ? 1 : 0),
      col: 1,
    });
  };
  return new Promise((resolve) => {
    process.stdin.setRawMode(true);
    process.stdin.setEncoding('utf8');
    const end = (/** @type {boolean} */ isTrusted) => {
      process.stdin.removeAllListeners('data');
      if (isTrusted) screen.forget(0);
      else {
        screen.leave();
        process.stdout.write(`\r\n${recordedRows('untrusted').join('\r\n')}\r\n`);
        process.stdin.setRawMode(false);
      }
      resolve(isTrusted);
    };
    const reader = new KeyReader((key) => {
      if (key.kind !== 'key') return;
      if (key.name === 'down' || key.name === 'up') trusts = key.name === 'down';
      else if (key.name === 'enter') return end(trusts);
      else if (key.name === 'escape' || key.name === 'ctrl+c') return end(false);
      draw();
    });
    process.stdin.on('data', (bytes) => reader.read(String(bytes)));
    for (const signal of ['SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(1));
    draw();
  });
}
