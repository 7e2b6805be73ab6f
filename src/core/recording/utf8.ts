/**
 * Returns how many bytes at the end of a chunk (0 to 3) belong to a UTF-8 character that is not complete yet. Bytes
 * that can never become a valid character do not count, so that invalid output is not delayed.
 */
export function incompleteUtf8Tail(bytes: Uint8Array): number {
  const length = bytes.length;
  for (let back = 1; back <= Math.min(3, length); back++) {
    const byte = bytes[length - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte < 0xc0) continue; // a continuation byte; its first byte comes earlier
    const wanted = byte >= 0xf5 ? 0 : byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc2 ? 2 : 0;
    if (back >= wanted) return 0;
    return back > 1 && !isPossibleSecond(byte, bytes[length - back + 1] ?? 0) ? 0 : back;
  }
  return 0;
}

/** Splits a chunk before an incomplete character at its end. Neither part is copied. */
export function splitUtf8(bytes: Uint8Array): { complete: Uint8Array; rest: Uint8Array } {
  const cut = bytes.length - incompleteUtf8Tail(bytes);
  return { complete: bytes.subarray(0, cut), rest: bytes.subarray(cut) };
}

/**
 * Reports whether a character's second byte is valid. This rejects overlong forms, surrogates, and code points beyond
 * U+10FFFF (Unicode, table 3-7).
 */
function isPossibleSecond(first: number, second: number): boolean {
  switch (first) {
    case 0xe0:
      return second >= 0xa0 && second <= 0xbf;
    case 0xed:
      return second >= 0x80 && second <= 0x9f;
    case 0xf0:
      return second >= 0x90 && second <= 0xbf;
    case 0xf4:
      return second >= 0x80 && second <= 0x8f;
    default:
      return second >= 0x80 && second <= 0xbf;
  }
}
