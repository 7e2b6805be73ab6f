import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { folderPrefix } from './marked-processes.mjs';
import { currentRunId } from './run-id.ts';

/**
 * A folder for files alone, where a test starts no processes. It removes it; the watchdog does where the test is
 * killed.
 */
export function makeTemporaryFolder(): string {
  return mkdtempSync(join(tmpdir(), folderPrefix(currentRunId())));
}
