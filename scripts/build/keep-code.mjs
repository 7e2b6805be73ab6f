import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** How long each command may take, even on a machine that is busy with other builds. */
const TIMEOUT_MS = 60_000;

/**
 * Stores the compiled code of each part of a program in a file `NAME.js.code` next to the part. V8 compiles a function
 * only when it is first called. Some commands are therefore run once, so that the compiled code includes the functions
 * that they call. V8 itself checks that stored code matches its version and the source.
 * @param {string} program the absolute path of the file that users run
 */
export function keepCode(program) {
  const home = mkdtempSync(join(tmpdir(), 'cbos-build-'));
  try {
    const script = fileURLToPath(new URL('run-commands.cjs', import.meta.url));
    const { status, stderr, error } = spawnSync(process.execPath, [script, program, home], {
      env: { PATH: process.env.PATH, HOME: home, CBOS_HOME: home, TERM: 'xterm-256color' },
      stdio: ['ignore', 'ignore', 'pipe'],
      encoding: 'utf8',
      timeout: TIMEOUT_MS,
    });
    if (status !== 0) throw new Error(`the code was not kept: ${error?.message ?? stderr}`);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}
