import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { folderPrefix, MARK } from '../../test/harness/marked-processes.mjs';

const WATCHDOG = fileURLToPath(new URL('../../test/harness/watchdog.mjs', import.meta.url));

/**
 * Returns a folder, and a mark for the processes that are started on its behalf. However this process ends, even by
 * SIGKILL, the tests' watchdog then ends the marked processes and removes the folder. It touches nothing else.
 * @returns {Promise<{ folder: string, mark: Record<string, string>, release: () => Promise<void> }>} `release` has
 *   the watchdog clean up now
 */
export async function openGuardedFolder() {
  const run = randomBytes(3).toString('hex');
  // It must not receive the Ctrl+C of this terminal.
  const watchdog = spawn(process.execPath, [WATCHDOG, run], { detached: true, stdio: ['pipe', 'pipe', 'ignore'] });
  await once(watchdog.stdout, 'data');
  return {
    folder: mkdtempSync(join(tmpdir(), folderPrefix(run))),
    mark: { [MARK]: `${run}.planted` },
    release: async () => {
      const ended = once(watchdog, 'exit');
      watchdog.stdin.end();
      await ended;
    },
  };
}
