/** The maximum number of bytes that follow the first byte of a character. */
const MAX_CONTINUATION = 3;

/**
 * Returns how many bytes at the beginning (0 to 3) are the rest of a UTF-8 character that began earlier. After a cut at
 * an arbitrary position, it is better to drop the rest of that character than to show it as U+FFFD.
 */
export function continuationLength(bytes: Uint8Array): number {
  let length = 0;
  while (length < MAX_CONTINUATION && ((bytes[length] ?? 0) & 0xc0) === 0x80) length++;
  return length;
}
