import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** In the spool: when it was removed under a running server, for the doctor. */
export const REMADE_FILE = 'remade';

/** Makes the spool where it is missing. Its home is not made: a home that has gone is another fault. */
export function makeSpool(dir: string): void {
  try {
    mkdirSync(dir, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** Notes that the spool was removed and is there again. */
export function noteRemade(dir: string, now: number): void {
  writeFileSync(join(dir, REMADE_FILE), `${new Date(now).toISOString()}\n`, { mode: 0o600 });
}
