import { isUtf8 } from 'node:buffer';
import { splitUtf8 } from '../../core/recording/utf8.ts';

/**
 * How many bytes xterm.js decodes at once. It splits longer input at an arbitrary byte (6.0.0,
 * `MAX_PARSEBUFFER_LENGTH`).
 */
const XTERM_PIECE_BYTES = 131_072;

/**
 * Groups incoming bytes into whole characters, so that xterm.js draws the same screen no matter how the bytes were
 * split. The decoder of xterm.js loses a character that is split after a 0x80 byte, such as `…`, `—`, `、`, and the
 * joiner of an emoji (6.0.0; fixed later: xtermjs/xterm.js#6003). The decoder also skips invalid bytes. In this module,
 * invalid bytes become U+FFFD, as they do in the output that clients receive. Therefore, all of them show the same
 * screen.
 * @returns a function that takes the next bytes and keeps the beginning of a character until the rest of it arrives.
 * Valid bytes are passed on unchanged, because xterm.js draws bytes up to a tenth faster than the same text as a
 * string.
 */
export function wholeCharacters(): (bytes: Uint8Array) => (Uint8Array | string)[] {
  let begun: Uint8Array = new Uint8Array();
  return (bytes) => {
    const pieces: (Uint8Array | string)[] = [];
    let left = begun.length === 0 ? bytes : Buffer.concat([begun, bytes]);
    while (left.length > 0) {
      const { complete } = splitUtf8(left.subarray(0, XTERM_PIECE_BYTES));
      if (complete.length === 0) break;
      pieces.push(isUtf8(complete) ? complete : asText(complete));
      left = left.subarray(complete.length);
    }
    // This is a copy, because a view would keep the whole chunk in memory and would change along with it.
    begun = new Uint8Array(left);
    return pieces;
  };
}

const asText = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
