/**
 * The letters that end a sequence that takes about as long to draw as a character: styles, cursor movements, and
 * erasing lines.
 */
const PLAIN_FINALS = new Set(Array.from('ABCDEFGHKdfm', (letter) => letter.charCodeAt(0)));
/**
 * The letters that end sequences with a `?`, as far as these are quick to draw. They set whether the cursor is shown
 * and whether a redraw is in progress.
 */
const PLAIN_MODES: ReadonlySet<string> = new Set(['25h', '25l', '2026h', '2026l']);
/**
 * A title, `ESC ] 0 ; TEXT BEL`, counts as plain if it is no longer than this and contains only letters and the signs
 * listed below.
 */
const MOST_TITLE_BYTES = 256;
/** The maximum length of parameters that are examined. Two colours with three channels each take 40 characters. */
const MOST_PARAMETERS = 64;

const BELL = 0x07;
const ESCAPE = 0x1b;
const BACKSPACE = 0x08;
const LINE_FEED = 0x0a;
const RETURN = 0x0d;
const TAB = 0x09;

/**
 * Reports whether output contains nothing but text and the sequences with which Claude Code redraws its window. A
 * terminal that is not in the middle of another sequence draws such output in time proportional to its length.
 * Everything else may take longer: strings, counts, modes, replies, and any unknown sequence.
 * @param bytes valid UTF-8 that contains only whole characters
 */
export function isPlainOutput(bytes: Uint8Array): boolean {
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte >= 0x20 && byte < 0x7f) continue;
    if (byte >= 0x80) {
      // U+0080 to U+009F are control characters, and some of them introduce strings.
      if (byte === 0xc2 && (bytes[at + 1] ?? 0) < 0xa0) return false;
    } else if (byte === ESCAPE) {
      at = bytes[at + 1] === 0x5d ? endOfPlainTitle(bytes, at + 2) : endOfPlainSequence(bytes, at + 1);
      if (at < 0) return false;
    } else if (byte !== LINE_FEED && byte !== RETURN && byte !== BACKSPACE && byte !== TAB) return false;
  }
  return true;
}

/** Returns the position of the last byte of a sequence, or -1 if the sequence is not plain or not complete. */
function endOfPlainSequence(bytes: Uint8Array, begin: number): number {
  if (bytes[begin] !== 0x5b) return -1;
  const isPrivate = bytes[begin + 1] === 0x3f;
  const from = begin + (isPrivate ? 2 : 1);
  for (let at = from; at <= from + MOST_PARAMETERS; at++) {
    const byte = bytes[at] ?? 0;
    // Matches digits, and the two signs that separate numbers.
    if (byte >= 0x30 && byte <= 0x3b) continue;
    const isPlain = isPrivate ? PLAIN_MODES.has(latin(bytes, from, at + 1)) : PLAIN_FINALS.has(byte);
    return isPlain ? at : -1;
  }
  return -1;
}

/** Claude Code changes its title about once a second while a turn is running (2.1.150 to 2.1.329). */
function endOfPlainTitle(bytes: Uint8Array, begin: number): number {
  if (bytes[begin] !== 0x30 || bytes[begin + 1] !== 0x3b) return -1;
  for (let at = begin + 2; at < begin + MOST_TITLE_BYTES; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === BELL) return at;
    // U+2000 to U+2FFF (punctuation and signs) take three bytes.
    if (byte === 0xe2) at += 2;
    else if (byte < 0x20 || byte > 0x7e) return -1;
  }
  return -1;
}

const latin = (bytes: Uint8Array, from: number, to: number): string => String.fromCharCode(...bytes.subarray(from, to));
