import { isUtf8 } from 'node:buffer';
import { splitUtf8 } from '../../core/recording/utf8.ts';

/** How many bytes xterm.js decodes at once. It cuts longer input at any byte (6.0.0, `MAX_PARSEBUFFER_LENGTH`). */
const XTERM_PIECE_BYTES = 131_072;

/**
 * Turns bytes as they arrive into whole characters only, so that xterm.js draws the same however they were cut. Its own
 * decoder loses a character that is cut after a byte 0x80, such as `…`, `—`, `、` and the joiner of an emoji (6.0.0;
 * fixed after it: xtermjs/xterm.js#6003), and skips invalid bytes. Here invalid bytes become U+FFFD, as in what clients
 * receive, so that everybody has the same screen.
 * @returns a function that takes the next bytes and keeps the beginning of a character until its rest arrives. Valid
 * bytes are passed on unchanged, because xterm.js draws them up to a tenth faster than the same text as a string.
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
    // A copy: a view would keep the whole chunk in memory, and change with it.
    begun = new Uint8Array(left);
    return pieces;
  };
}

const asText = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
