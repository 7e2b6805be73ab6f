import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { folderPrefix } from './marked-processes.mjs';
import { currentRunId } from './run-id.ts';

/**
 * Creates a folder only for files, for a test that starts no processes. The test removes the folder. If the test is
 * killed, the watchdog removes it.
 */
export function makeTemporaryFolder(): string {
  return mkdtempSync(join(tmpdir(), folderPrefix(currentRunId())));
}
