import { incompleteUtf8Tail } from '../recording/utf8.ts';

const BEL = 0x07;
const CAN = 0x18;
const SUB = 0x1a;
const ESC = 0x1b;
const BACKSLASH = 0x5c;
/** The bytes that follow an ESC and begin a control string: DCS `P`, SOS `X`, OSC `]`, PM `^`, APC `_`. */
const STRING_OPENERS: ReadonlySet<number> = new Set([0x50, 0x58, 0x5d, 0x5e, 0x5f]);
const CSI = 0x5b;

/**
 * How far before a snapshot's offset to look for a sequence. Claude Code's longest sequences are titles and links of a
 * few hundred bytes. If a longer sequence is split, the rest of it is shown as text once, as happens in any terminal
 * that attaches in the middle of a sequence.
 */
export const SEQUENCE_LOOKBACK_BYTES = 4096;

type Place = 'text' | 'escape' | 'csi' | 'string' | 'string-escape';

/**
 * Returns how many bytes at the end belong to an unfinished escape sequence or character. A snapshot shows only what a
 * terminal has processed, and a terminal does not process an unfinished sequence. A client that continues from the
 * snapshot therefore needs the whole sequence.
 * @param bytes the bytes before the snapshot's offset, of which at most {@link SEQUENCE_LOOKBACK_BYTES} matter
 */
export function unfinishedLength(bytes: Uint8Array): number {
  let place: Place = 'text';
  let beginning = 0;
  let characterAt = -1;
  // An iterator would create two objects for each of the 4,096 bytes.
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index] ?? 0;
    if (place === 'text') {
      if (byte !== ESC) continue;
      place = 'escape';
      beginning = index;
      continue;
    }
    const next = step(place, byte);
    // An ESC inside a CSI or escape sequence aborts that sequence and begins another.
    if (next === 'escape' && byte === ESC) beginning = index;
    // A non-ASCII character aborts a sequence that cannot contain it, and the character is lost together with that
    // sequence.
    if (next === 'text' && byte >= 0x80) characterAt = index;
    place = next;
  }
  if (place !== 'text') return bytes.length - beginning;
  const incomplete = incompleteUtf8Tail(bytes);
  return incomplete > 0 && bytes.length - incomplete === characterAt ? bytes.length - beginning : incomplete;
}

function step(place: Exclude<Place, 'text'>, byte: number): Place {
  if (byte === CAN || byte === SUB) return 'text';
  switch (place) {
    case 'escape':
      if (byte === ESC) return 'escape';
      if (byte === CSI) return 'csi';
      if (STRING_OPENERS.has(byte)) return 'string';
      // Intermediate bytes (0x20 to 0x2f) and control characters keep the sequence open. Any other byte ends it.
      return byte <= 0x2f ? 'escape' : 'text';
    case 'csi':
      if (byte === ESC) return 'escape';
      return byte >= 0x40 ? 'text' : 'csi';
    case 'string':
      if (byte === BEL) return 'text';
      return byte === ESC ? 'string-escape' : 'string';
    case 'string-escape':
      if (byte === BACKSLASH) return 'text';
      return byte === ESC ? 'string-escape' : 'string';
  }
}
