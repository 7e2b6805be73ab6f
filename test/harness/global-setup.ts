import { readdirSync } from 'node:fs';
import { cleanUpRun, findFolders, findMarked } from './marked-processes.mjs';
import { findMemoryFolder } from './memory-folder.ts';
import { newRunId, RUN_VARIABLE } from './run-id.ts';
import { startWatchdog } from './watchdog.ts';

/** /dev/shm is a longer name than /tmp, and an id of Screen with 80 characters must still fit into a socket's path. */
const LENGTH_IN_MEMORY = 5;

/**
 * Executed once per vitest run. Names the run, starts its watchdog, and fails the run if a test left a process or a
 * folder behind (after cleaning up).
 */
export default async function setup(): Promise<() => Promise<void>> {
  // Whoever sets TMPDIR chooses the folder of the worlds.
  const folder = process.env.TMPDIR === undefined ? findMemoryFolder() : null;
  const run = folder === null ? newRunId() : newRunId(LENGTH_IN_MEMORY);
  process.env[RUN_VARIABLE] = run;
  if (folder !== null) process.env.TMPDIR = folder;
  const watchdog = await startWatchdog(run);
  return async () => {
    const processes = findMarked((mark) => mark.startsWith(`${run}.`));
    const folders = findFolders(run).map((folder) => `${folder}: ${contentsOf(folder)}`);
    await cleanUpRun(run);
    await watchdog.release();
    if (processes.length === 0 && folders.length === 0) return;
    const left = [...processes.map(({ pid, command }) => `process ${pid}: ${command}`), ...folders];
    process.exitCode = 1;
    throw new Error(`tests left something behind:\n${left.join('\n')}`);
  };
}

/** How many paths of a folder that was left behind are shown. The paths tell which program wrote there. */
const MOST_PATHS = 20;

function contentsOf(folder: string): string {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return paths.length === 0 ? 'empty' : paths.slice(0, MOST_PATHS).join(', ');
}
