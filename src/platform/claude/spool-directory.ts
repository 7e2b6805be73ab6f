import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A file in the spool that tells the doctor when the spool was removed while a server was running. */
export const REMADE_FILE = 'remade';

/** Creates the spool if it is missing. The home itself is not created, because a missing home is a different fault. */
export function makeSpool(dir: string): void {
  try {
    mkdirSync(dir, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** Records that the spool was removed and then created again. */
export function noteRemade(dir: string, now: number): void {
  writeFileSync(join(dir, REMADE_FILE), `${new Date(now).toISOString()}\n`, { mode: 0o600 });
}
