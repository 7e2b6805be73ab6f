import { open } from 'node:fs/promises';
import { parseTrailer } from '../../core/recording/index.ts';

/** More than the last line of a recording takes. */
const TAIL_BYTES = 400;

/**
 * Reads from the last line of a recording how the recorded command ended, and when. Returns null if the file has no
 * such line, because `script` was killed or the file is a log written by Screen.
 */
export async function readExit(typescript: string): Promise<{ code: number | null; closedAt: number } | null> {
  const file = await open(typescript, 'r').catch(() => null);
  if (file === null) return null;
  try {
    const { size, mtimeMs } = await file.stat();
    const from = Math.max(0, size - TAIL_BYTES);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size - from), 0, size - from, from);
    const trailer = parseTrailer(buffer.subarray(0, bytesRead));
    return trailer === null ? null : { code: trailer.exitCode, closedAt: mtimeMs };
  } finally {
    await file.close();
  }
}
