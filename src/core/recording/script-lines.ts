/** The information in the first line of a recording, which `script` writes. */
export interface ScriptHeader {
  /** the length of the line including its newline; the output begins at this position */
  end: number;
  /** the initial size of the terminal, or null if `script` had no terminal */
  cols: number | null;
  rows: number | null;
  term: string | null;
}

export type HeaderReading =
  | { kind: 'header'; header: ScriptHeader }
  /** the line has not been written completely */
  | { kind: 'incomplete' }
  /** the file is not a `script` recording but, for example, a Screen log, so the output begins at 0 */
  | { kind: 'none' };

/** The information in the last line of a recording. `script` writes a newline before that line. */
export interface ScriptTrailer {
  /** the position in the file where the output ends */
  start: number;
  exitCode: number | null;
}

/**
 * `script` never translates these words. Older versions write the date in the locale's format, and they omit the
 * brackets if there is no terminal.
 */
const HEADER_START = 'Script started on ';
const TRAILER_START = '\nScript done on ';
const HEADER_CLOSE = /(?:"|<not executed on terminal>)\]\n/;
/**
 * The maximum length of the header, which can be long because COMMAND contains the whole `-c` command line, including
 * paths.
 */
const MAX_HEADER_BYTES = 65_536;
/** Nearly all headers are shorter than this. CBOS reads more of the file only if the header is longer. */
const USUAL_HEADER_BYTES = 4_096;
/** The maximum length of the trailer, which contains only the date and the exit code. */
const MAX_TRAILER_BYTES = 200;

/**
 * Reads the first line of a recording (util-linux 2.38: `Script started on DATE [COMMAND="…" TERM="…" TTY="…"
 * COLUMNS="100" LINES="30"]`). COMMAND is not escaped and may contain newlines, in which case the header extends to its
 * closing bracket.
 */
export function parseHeader(bytes: Uint8Array): HeaderReading {
  const start = ascii(bytes.subarray(0, HEADER_START.length));
  if (!HEADER_START.startsWith(start)) return { kind: 'none' };
  let text = ascii(bytes.subarray(0, USUAL_HEADER_BYTES));
  let end = findLineEnd(text);
  if (end === 0 && bytes.length > USUAL_HEADER_BYTES) {
    text = ascii(bytes.subarray(0, MAX_HEADER_BYTES));
    end = findLineEnd(text);
  }
  if (end === 0) return bytes.length < MAX_HEADER_BYTES ? { kind: 'incomplete' } : { kind: 'none' };
  const line = text.slice(0, end);
  return {
    kind: 'header',
    header: {
      end,
      cols: readNumber(line, /COLUMNS="(\d+)"/g),
      rows: readNumber(line, /LINES="(\d+)"/g),
      term: lastMatch(line, /TERM="([^"]*)"/g),
    },
  };
}

/**
 * Returns when a recording began, in Unix seconds, according to the date in its first line. Returns null if there is no
 * such line, or if the date is in a locale's format (util-linux before 2.35).
 */
export function parseStartTime(bytes: Uint8Array): number | null {
  const [, date, time, hours, minutes = '00'] =
    /^Script started on (\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)([+-]\d\d):?(\d\d)?/.exec(ascii(bytes.subarray(0, 100))) ??
    [];
  if (date === undefined) return null;
  const at = Date.parse(`${date}T${time}${hours}:${minutes}`);
  return Number.isNaN(at) ? null : at / 1_000;
}

/**
 * Reads the last line of a recording. Returns null while the recording is still being made, or if `script` was killed.
 */
export function parseTrailer(bytes: Uint8Array): ScriptTrailer | null {
  const from = Math.max(bytes.length - MAX_TRAILER_BYTES, 0);
  const tail = ascii(bytes.subarray(from));
  const at = tail.lastIndexOf(TRAILER_START);
  if (at < 0 || !tail.endsWith('\n')) return null;
  return { start: from + at, exitCode: readNumber(tail.slice(at), /COMMAND_EXIT_CODE="(\d+)"/g) };
}

/** Returns the position right after the header line, or 0 if the line is incomplete. */
function findLineEnd(text: string): number {
  const newline = text.indexOf('\n') + 1;
  const bracketed = text.slice(0, newline).includes(' [COMMAND="');
  if (!bracketed) return newline;
  const close = HEADER_CLOSE.exec(text);
  return close === null ? 0 : close.index + close[0].length;
}

/**
 * The last match is the right one: the real attributes follow COMMAND, whose text might itself look like attributes.
 */
function readNumber(text: string, pattern: RegExp): number | null {
  const digits = lastMatch(text, pattern);
  return digits === null ? null : Number(digits);
}

function lastMatch(text: string, pattern: RegExp): string | null {
  return [...text.matchAll(pattern)].at(-1)?.[1] ?? null;
}

/** Decodes each byte as one character, because all the words that the parser looks for are ASCII. */
function ascii(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
}
