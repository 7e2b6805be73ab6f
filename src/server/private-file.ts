import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { z } from 'zod';

/**
 * Reads a JSON file that other users may not read (mode 0600). The file is always read and replaced as a whole.
 * @returns null if the file does not exist or does not match the schema, for example because an older version wrote it
 * or because it is truncated
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

/**
 * Replaces the file by renaming a temporary file over it. Readers therefore never see a half-written file, and a crash
 * never leaves one behind.
 */
export function writePrivateFile(path: string, value: unknown): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const beside = `${path}.${process.pid}.tmp`;
  try {
    writeFileSync(beside, `${JSON.stringify(value)}\n`, { mode: 0o600 });
    renameSync(beside, path);
  } catch (error) {
    // If the disk is full, a half-written temporary file remains.
    rmSync(beside, { force: true });
    throw error;
  }
}
