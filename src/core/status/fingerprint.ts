// Combines two 32-bit FNV-1a hashes. The result is not cryptographic. It only needs to differ between dialogs.
export function fingerprint(parts: readonly string[]): string {
  const textOf = parts.join('\u0000');
  let a = 0x811c9dc5;
  let b = 0x050c5d1f;
  for (let index = 0; index < textOf.length; index++) {
    const code = textOf.charCodeAt(index);
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul(b ^ code, 0x01000193) ^ (a >>> 15);
  }
  return (a >>> 0).toString(16).padStart(8, '0') + (b >>> 0).toString(16).padStart(8, '0');
}
