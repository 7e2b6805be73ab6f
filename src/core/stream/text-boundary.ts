/** Bytes of a character after its first, at most. */
const MAX_CONTINUATION = 3;

/**
 * How many bytes at the beginning are the rest of a UTF-8 character that began before: 0 to 3. For a cut at an
 * arbitrary place, where the rest of the first character is better left out than shown as U+FFFD.
 */
export function continuationLength(bytes: Uint8Array): number {
  let length = 0;
  while (length < MAX_CONTINUATION && ((bytes[length] ?? 0) & 0xc0) === 0x80) length++;
  return length;
}
