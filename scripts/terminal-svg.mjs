// node scripts/terminal-svg.mjs COLS ROWS <CAPTURE >PICTURE.svg: draws a picture of a terminal from the output of `tmux
// capture-pane -e -p`.
import { readFileSync } from 'node:fs';

const [CELL_WIDTH, CELL_HEIGHT, PADDING] = [8.4, 18, 12];
const [BACKGROUND, FOREGROUND] = ['#16181d', '#d7dae0'];
/** The sixteen colours, muted to suit the dark background. */
const PALETTE = [
  ...['#3b4048', '#e06c75', '#98c379', '#e5c07b', '#61afef', '#c678dd', '#56b6c2', '#d7dae0'],
  ...['#5c6370', '#f07178', '#b5e08d', '#f0d08d', '#7cc4ff', '#d8a0ee', '#7fd5e0', '#ffffff'],
];

/** @typedef {{ fg: string | null, bg: string | null, bold: boolean, dim: boolean, inverse: boolean }} Style */
/** @type {Style} */
const PLAIN = { fg: null, bg: null, bold: false, dim: false, inverse: false };

const [cols = 100, rows = 30] = process.argv.slice(2).map(Number);
process.stdout.write(svgOf(readFileSync(0, 'utf8').split('\n').slice(0, rows)));

/** @param {string[]} lines */
function svgOf(lines) {
  const [width, height] = [cols * CELL_WIDTH + 2 * PADDING, rows * CELL_HEIGHT + 2 * PADDING];
  let style = PLAIN;
  const body = lines.map((line, row) => {
    const { runs, end } = runsOf(line, style);
    style = end;
    return runs.map((run) => runSvg(run, row)).join('');
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace" font-size="14">
<rect width="100%" height="100%" rx="8" fill="${BACKGROUND}"/>
${body.filter((row) => row !== '').join('\n')}
</svg>
`;
}

/** @typedef {{ text: string, col: number, style: Style }} Run */

/**
 * Splits a line into runs of text with a single style. Wide characters take two cells.
 * @param {string} line
 * @param {Style} begin
 * @returns {{ runs: Run[], end: Style }}
 */
function runsOf(line, begin) {
  /** @type {Run[]} */
  const runs = [];
  let style = begin;
  let col = 0;
  for (const [, parameters, text = ''] of line.matchAll(/\u001b\[([\d;]*)m|([^\u001b]+)/g)) {
    if (parameters !== undefined) {
      style = restyled(style, parameters.split(';').map(Number));
      continue;
    }
    runs.push({ text, col, style });
    for (const character of text) col += /\p{Script=Han}|\p{Emoji_Presentation}/u.test(character) ? 2 : 1;
  }
  return { runs, end: style };
}

/**
 * @param {Style} before
 * @param {number[]} parameters
 * @returns {Style}
 */
function restyled(before, parameters) {
  const style = { ...before };
  for (let at = 0; at < parameters.length; at++) {
    const code = parameters[at] ?? 0;
    if (code === 0) Object.assign(style, PLAIN);
    else if (code === 1) style.bold = true;
    else if (code === 2) style.dim = true;
    else if (code === 7) style.inverse = true;
    else if (code === 22) Object.assign(style, { bold: false, dim: false });
    else if (code === 27) style.inverse = false;
    else if (code === 38 || code === 48) {
      const isRgb = parameters[at + 1] === 2;
      const color = isRgb ? `rgb(${parameters.slice(at + 2, at + 5).join(',')})` : colorOf256(parameters[at + 2] ?? 0);
      at += isRgb ? 4 : 2;
      style[code === 38 ? 'fg' : 'bg'] = color;
    } else if (code >= 30 && code <= 37) style.fg = PALETTE[code - 30] ?? null;
    else if (code >= 90 && code <= 97) style.fg = PALETTE[code - 82] ?? null;
    else if (code === 39) style.fg = null;
    else if (code >= 40 && code <= 47) style.bg = PALETTE[code - 40] ?? null;
    else if (code === 49) style.bg = null;
  }
  return style;
}

/** @param {number} index */
function colorOf256(index) {
  if (index < 16) return PALETTE[index] ?? FOREGROUND;
  if (index >= 232)
    return `rgb(${Array(3)
      .fill(8 + (index - 232) * 10)
      .join(',')})`;
  const levels = [0, 95, 135, 175, 215, 255];
  const cube = index - 16;
  return `rgb(${[Math.floor(cube / 36), Math.floor(cube / 6) % 6, cube % 6].map((level) => levels[level]).join(',')})`;
}

/**
 * @param {Run} run
 * @param {number} row
 */
function runSvg({ text, col, style }, row) {
  const [fg, bg] = style.inverse
    ? [style.bg ?? BACKGROUND, style.fg ?? FOREGROUND]
    : [style.fg ?? FOREGROUND, style.bg];
  const [x, y] = [(PADDING + col * CELL_WIDTH).toFixed(1), PADDING + row * CELL_HEIGHT];
  const width = (text.length * CELL_WIDTH).toFixed(1);
  const box = bg === null ? '' : `<rect x="${x}" y="${y}" width="${width}" height="${CELL_HEIGHT}" fill="${bg}"/>`;
  if (text.trim() === '') return box;
  const look = `${style.bold ? ' font-weight="bold"' : ''}${style.dim ? ' opacity="0.6"' : ''}`;
  const safe = text.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`);
  return `${box}<text x="${x}" y="${y + 14}" fill="${fg}" xml:space="preserve" textLength="${width}"${look}>${safe}</text>`;
}
