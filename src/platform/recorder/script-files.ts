import { readdirSync, readFileSync, statSync } from 'node:fs';
import { link, mkdir, readlink, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { processNow } from '../process/proc-file.ts';

/** A file that a process has open. */
export interface OpenFile {
  /** a path that opens the file even after the file has been renamed or deleted */
  path: string;
  dev: number;
  ino: number;
}

/** The files of a recording, as opened by the `script` process that writes them. */
export interface ScriptFiles {
  typescript: OpenFile;
  timing: OpenFile;
}

const WRITE_ONLY = 1;

/**
 * Finds the files that are written by the `script` process around a program. `script` first opens the output, then the
 * timing, and no other file for writing (util-linux 2.38.1).
 * @param pid the pid of the program
 * @returns null if there is no such process, or if it cannot be inspected
 */
export async function readScriptFiles(pid: number): Promise<ScriptFiles | null> {
  const parent = processNow(processNow(pid)?.ppid ?? 0);
  if (parent?.comm !== 'script') return null;
  const process = `/proc/${parent.pid}`;
  // These files are read synchronously, because /proc never waits for a disk, and a starting server reads those of
  // every session.
  const descriptors = nowOrNothing(() => readdirSync(`${process}/fd`))?.map(Number) ?? [];
  const files: OpenFile[] = [];
  for (const descriptor of descriptors.sort((one, other) => one - other)) {
    const path = `${process}/fd/${descriptor}`;
    const found = nowOrNothing(() => statSync(path));
    const info = nowOrNothing(() => readFileSync(`${process}/fdinfo/${descriptor}`, 'utf8'));
    const flags = Number.parseInt(/^flags:\s+(\d+)$/m.exec(info ?? '')?.[1] ?? '0', 8);
    if (found?.isFile() === true && (flags & 3) === WRITE_ONLY) files.push({ path, dev: found.dev, ino: found.ino });
  }
  const [typescript, timing, ...others] = files;
  return typescript === undefined || timing === undefined || others.length > 0 ? null : { typescript, timing };
}

/**
 * If an open file has been renamed, gives it its original name back, so that what a process continues to write is found
 * under that name. The other name remains, as a link. The link cannot be the original name instead, because inotify
 * reports writes under the name by which the file is open, and that name moves with the file (Linux 6.18). If another
 * file has taken the original name in the meantime, that file is passed to `moveAway`, unless it is empty, as after
 * logrotate's `create`.
 * @returns false if this is impossible, because the file was deleted or is on another file system
 */
export async function regainName(file: OpenFile, path: string, moveAway: () => Promise<void>): Promise<boolean> {
  const there = await stat(path).catch(orNothing);
  if (isSame(file, there)) return true;
  const name = await readlink(file.path).catch(orNothing);
  if (name === null || !isSame(file, await stat(name).catch(orNothing))) return false;
  const made = `${path}.regained`;
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await rm(made, { force: true });
    await link(name, made);
  } catch (error) {
    if (['EXDEV', 'EPERM', 'EACCES', 'EMLINK'].includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
  if (there !== null && there.size > 0) await moveAway();
  await rename(name, path);
  await rename(made, name);
  return true;
}

function isSame(file: OpenFile, found: { dev: number; ino: number } | null): boolean {
  return found !== null && found.dev === file.dev && found.ino === file.ino;
}

function nowOrNothing<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    return orNothing(error as NodeJS.ErrnoException);
  }
}

/** The process or the file no longer exists, or cannot be inspected. */
function orNothing(error: NodeJS.ErrnoException): null {
  if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM', 'ENOTDIR'].includes(error.code ?? '')) return null;
  throw error;
}
