import { lstat, readdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { type ProcessInfo, readArgv, readProcess } from '../process/proc-file.ts';
import type { ScreenHost } from './host.ts';
import type { ScreenLine, ScreenState } from './parse-ls.ts';
import { parseScreenId } from './screen-id.ts';

export interface ScreenSession extends ScreenLine {
  attached: boolean;
}

/** Screen shows by the owner's x bit of the socket whether somebody is attached (seen on 4.9.0: srwx------ and srw-------). */
const ATTACHED_BIT = 0o100;
/** `screen -Q` opens a socket of this name beside the session's for the answer. */
const QUERY_SOCKET = /-query.$/;

/**
 * All Screen sessions of this user, read from the socket directory and /proc: 1 ms and no process, where `screen -ls`
 * takes 5 ms, speaks with every daemon in turn and so hangs for all on a single stopped one. That both say the same is held
 * by a test against the real program.
 */
export async function listScreens(host: Pick<ScreenHost, 'dir'>): Promise<ScreenSession[]> {
  const names = await readSocketNames(host.dir);
  const sessions = await Promise.all(names.map((name) => inspectSocket(host.dir, name)));
  return sessions.filter((session): session is ScreenSession => session !== null).sort((a, b) => a.pid - b.pid);
}

/** One session by its full id, or null when its socket is not there. */
export function readScreen(host: Pick<ScreenHost, 'dir'>, id: string): Promise<ScreenSession | null> {
  return inspectSocket(host.dir, id);
}

/** Removes the socket that a killed daemon left behind. Does nothing while the daemon lives. */
export async function wipeScreen(host: Pick<ScreenHost, 'dir'>, id: string): Promise<void> {
  const session = await readScreen(host, id);
  if (session?.state !== 'dead') return;
  await ignoreMissing(unlink(join(host.dir, id)));
}

async function readSocketNames(dir: string): Promise<string[]> {
  return (await ignoreMissing(readdir(dir))) ?? [];
}

async function inspectSocket(dir: string, id: string): Promise<ScreenSession | null> {
  const parsed = parseScreenId(id);
  if (parsed === null || id.includes('/') || QUERY_SOCKET.test(id)) return null;
  const file = await ignoreMissing(lstat(join(dir, id)));
  // Screen can be built with named pipes in place of sockets.
  if (file === null || !(file.isSocket() || file.isFIFO())) return null;
  const attached = (file.mode & ATTACHED_BIT) !== 0;
  const state = await readState(await readProcess(parsed.pid), attached);
  return { id, ...parsed, state, attached: attached && state === 'attached' };
}

async function readState(daemon: ProcessInfo | null, attached: boolean): Promise<ScreenState> {
  if (daemon === null || daemon.state === 'Z' || !(await isScreenDaemon(daemon))) return 'dead';
  if (daemon.state === 'T' || daemon.state === 't') return 'unresponsive';
  return attached ? 'attached' : 'detached';
}

/** The pid of a dead daemon may have gone to any other program. The daemon's argv[0] is `SCREEN`, whatever its file is called. */
async function isScreenDaemon(daemon: ProcessInfo): Promise<boolean> {
  if (daemon.comm.toLowerCase().includes('screen')) return true;
  return /(^|\/)screen$/i.test((await readArgv(daemon.pid))[0] ?? '');
}

async function ignoreMissing<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
