// This file is plain JavaScript because the watchdog runs it with bare node, which cannot strip types before version
// 22.
import { spawnSync } from 'node:child_process';
import { lstatSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * The environment variable that every process in a test world carries. Its name must not begin with `CBOS_`, because
 * the server removes such variables from a session's environment, and the sessions' processes are the ones that must
 * never be left behind.
 */
export const MARK = 'TEST_WORLD';

/** Kernel threads and processes that are just ending have no environment to read. */
function readEnvironment(pid) {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0');
  } catch (error) {
    if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes(error.code)) return [];
    throw error;
  }
}

/** The folders of a world, as the environment of its processes names them. */
const FOLDER = /^(?:HOME|TMPDIR|SCREENDIR)=.*\/cb-([0-9a-z]+)-(\w{6})(?:\/|$)/;

/**
 * Returns the mark of a process. `cbos demo` starts its server and its sessions with an environment of its own, without
 * the variable; their folders are inside the world's folder.
 */
function markOf(environment) {
  const entry = environment.find((one) => one.startsWith(`${MARK}=`));
  if (entry !== undefined) return entry.slice(MARK.length + 1);
  for (const one of environment) {
    const [, run, world] = FOLDER.exec(one) ?? [];
    if (run !== undefined) return `${run}.${world}`;
  }
  return undefined;
}

/** @see marked-processes.d.mts */
export function markOfProcess(pid) {
  return markOf(readEnvironment(pid));
}

/** A zombie is already dead, and only its parent can remove it. */
function isZombie(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z');
  } catch {
    return true;
  }
}

/** @see marked-processes.d.mts */
export function findMarked(isMarked) {
  const found = [];
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    const mark = markOfProcess(pid);
    if (mark === undefined || !isMarked(mark) || isZombie(pid)) continue;
    let command = '';
    try {
      command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
    } catch {
      continue;
    }
    found.push({ pid, command });
  }
  return found;
}

/** How long the kernel may take to end a killed process. A longer time is a failure worth reporting. */
const KILL_TIMEOUT_MS = 5_000;
const RESCAN_MS = 10;

/** @see marked-processes.d.mts */
export async function endMarked(isMarked) {
  const deadline = Date.now() + KILL_TIMEOUT_MS;
  const ended = new Map();
  for (;;) {
    const marked = findMarked(isMarked);
    if (marked.length === 0) return [...ended.values()];
    for (const { pid, command } of marked) {
      ended.set(pid, { pid, command });
      try {
        // KILL is sent immediately, because a process that ignores or handles a gentler signal (`script` ignores TERM)
        // may start another one in the meantime.
        process.kill(pid, 'SIGKILL');
      } catch (error) {
        if (error.code !== 'ESRCH') throw error;
      }
    }
    if (Date.now() > deadline) {
      throw new Error(`processes that do not end: ${marked.map((one) => `${one.pid} ${one.command}`).join('; ')}`);
    }
    await new Promise((resolve) => setTimeout(resolve, RESCAN_MS));
  }
}

/** @see marked-processes.d.mts */
export function folderPrefix(run) {
  return `cb-${run}-`;
}

/** @see marked-processes.d.mts */
export function findFolders(run) {
  return readdirSync(tmpdir())
    .filter((name) => name.startsWith(folderPrefix(run)))
    .map((name) => join(tmpdir(), name))
    .filter((path) => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true);
}

/**
 * Unmounts the small disks that tests fill. If a killed test left such a disk mounted, its folder cannot be removed
 * otherwise.
 */
function unmountBelow(folder) {
  const mounts = readFileSync('/proc/self/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[1] ?? '');
  for (const mount of mounts.filter((path) => path.startsWith(`${folder}/`))) {
    spawnSync('umount', ['--lazy', mount], { stdio: 'ignore' });
  }
}

/** @see marked-processes.d.mts */
export async function cleanUpRun(run) {
  const processes = await endMarked((mark) => mark.startsWith(`${run}.`));
  const folders = findFolders(run);
  for (const folder of folders) unmountBelow(folder);
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 });
  return { processes, folders };
}
