import { statSync } from 'node:fs';
import { join } from 'node:path';
import { enterDoes } from '../../core/delivery/enter-key.ts';
import { readRegularFileNow } from '../files/regular-file.ts';

/** The maximum size of the file, which is far more than a user would write. */
const MOST_BYTES = 1_000_000;

/** Returns the file in which a user binds keys. @param configDir Claude Code's configuration directory */
export const keysFile = (configDir: string): string => join(configDir, 'keybindings.json');

/**
 * How long Claude Code may take to apply a change of the file. It takes about a second (2.1.330). Until then, CBOS does
 * not rely on a key that submits the prompt only now.
 */
const APPLIED_MS = 5_000;

/** Reads what Enter does in Claude Code's prompt. */
export interface OwnKeys {
  /** returns the action of Enter in this configuration directory, or null if it submits the prompt */
  enterDoes(configDir: string): string | null;
}

/** Each version of a file is read only once. @param now returns the current time, in Unix milliseconds */
export function createOwnKeys(now: () => number): OwnKeys {
  const known = new Map<string, { at: number; size: number; does: string | null; did: string | null }>();
  return {
    enterDoes: (configDir) => {
      const file = keysFile(configDir);
      const found = statSync(file, { throwIfNoEntry: false });
      if (found?.isFile() !== true) return null;
      const { mtimeMs: at, size } = found;
      const before = known.get(file);
      const isSame = before?.at === at && before.size === size;
      const current = isSame ? before : { at, size, does: enterDoes(readText(file)), did: before?.does ?? null };
      known.set(file, current);
      return current.does ?? (now() - at < APPLIED_MS ? current.did : null);
    },
  };
}

/** A file that cannot be read counts as empty, as it does for Claude Code. */
function readText(file: string): string {
  try {
    return readRegularFileNow(file, { mostBytes: MOST_BYTES }) ?? '';
  } catch {
    return '';
  }
}
