import type { IBufferLine } from '@xterm/headless';
import type { SpinnerColours } from '../../core/status/screen/screen-evidence.ts';

/** Matches the sign that precedes an answer, a tool call, or one of Claude Code's own reports. */
const SIGN = /^[●⏺]/;
/**
 * The yellow of Claude Code's themes, both as one of the 256 colours and as RGB. The sign of an answer has no colour
 * (2.1.250).
 */
const ALERT_PALETTE = 220;
const ALERT_RGB = 0xffc107;

/**
 * A colour counts as grey if its channels differ by less than this. Claude Code 1.0.60 to 2.1.330 draws the sign of an
 * answer in white, the sign of a running call in grey, and the sign of a call that has ended in green or red.
 */
const GREYEST = 40;

/**
 * Interprets the colour of a line's first sign. `alert` means one of Claude Code's own warnings. `ended` means a call
 * that has ended, successfully or not. Returns null if the line has no sign, or if the sign has no colour.
 */
export function signOf(text: string, line: IBufferLine): 'alert' | 'ended' | null {
  if (!SIGN.test(text)) return null;
  const cell = line.getCell(0);
  if (cell === undefined || cell.isFgDefault()) return null;
  const colour = cell.getFgColor();
  if (colour === (cell.isFgRGB() ? ALERT_RGB : ALERT_PALETTE)) return 'alert';
  const [red, green, blue] = cell.isFgRGB() ? [colour >> 16, (colour >> 8) & 0xff, colour & 0xff] : channelsOf(colour);
  return Math.max(red, green, blue) - Math.min(red, green, blue) > GREYEST ? 'ended' : null;
}

/**
 * Returns the red, green, and blue channels of one of the 256 colours, which consist of 16 named colours, a cube with
 * six steps per channel, and 24 greys.
 */
function channelsOf(index: number): [number, number, number] {
  const bit = (mask: number): number => ((index & mask) === 0 ? 0 : 255);
  if (index < 16) return index === 8 ? [127, 127, 127] : [bit(1), bit(2), bit(4)];
  if (index >= 232) return [0, 0, 0];
  const step = (size: number): number => (Math.floor((index - 16) / size) % 6) * 51;
  return [step(36), step(6), step(1)];
}

const SPINNER = /^[·✢✳✶✻✽*∗] (\S[^(]*…)/;
const WORDS_COL = 2;
/** The highlight is at most three characters wide. If the colour of all words changes at once, a tool is running. */
const WIDEST = 3;

/**
 * Returns the colours of a spinner line, which reveal what the session is doing, or null if the line is not a spinner.
 */
export function spinnerColoursOf(text: string, line: IBufferLine): Omit<SpinnerColours, 'row'> | null {
  const words = SPINNER.exec(text)?.[1];
  const colour = line.getCell(0)?.getFgColor();
  if (words === undefined || colour === undefined) return null;
  let first = -1;
  let last = -1;
  for (let col = WORDS_COL; col < WORDS_COL + words.length; col++) {
    if (line.getCell(col)?.getFgColor() === colour) continue;
    if (first < 0) first = col;
    last = col;
  }
  const width = last - first + 1;
  const highlight = first < 0 || width > WIDEST ? null : { col: (first + last) / 2, isWhole: width === WIDEST };
  return { colour, highlight };
}
