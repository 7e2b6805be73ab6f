import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { z } from 'zod';

/**
 * A JSON file that is nobody else's business (mode 0600), read as a whole and replaced as a whole.
 * @returns null where there is none, or what is in it is not of this shape: an older or a torn one is as good as none
 */
export function readPrivateFile<S extends z.ZodType>(path: string, schema: S): z.output<S> | null {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
  try {
    return schema.safeParse(JSON.parse(text)).data ?? null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** By rename, so that a reader or a crash never meets half of it. */
export function writePrivateFile(path: string, value: unknown): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const beside = `${path}.${process.pid}.tmp`;
  try {
    writeFileSync(beside, `${JSON.stringify(value)}\n`, { mode: 0o600 });
    renameSync(beside, path);
  } catch (error) {
    // Half of it on a full disk.
    rmSync(beside, { force: true });
    throw error;
  }
}
