import { lstat, readdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { ignoreMissing } from '../files/ignore-missing.ts';
import { isStopped, type ProcessId, type ProcessInfo, readArgv, readProcess } from '../process/proc-file.ts';
import type { ScreenHost } from './host.ts';
import type { ScreenLine, ScreenState } from './parse-ls.ts';
import { parseScreenId } from './screen-id.ts';

export interface ScreenSession extends ScreenLine {
  attached: boolean;
  /** the session's process, or null if the session is dead */
  daemon: ProcessId | null;
}

/** A Screen session as a caller knows it: by its name and, if it has been seen, by its daemon. */
export interface KnownScreen {
  /** the session's full name (PID.NAME), as it was when last seen */
  id: string;
  /** identifies the session even after a user has renamed it; omitted or null if no daemon has been seen */
  daemon?: ProcessId | null;
}

/**
 * The owner's x bit on Screen's socket shows whether someone is attached (seen in 4.9.0: srwx------ and srw-------).
 */
const ATTACHED_BIT = 0o100;
/** To receive an answer, `screen -Q` opens a socket with a name like this next to the session's socket. */
const QUERY_SOCKET = /-query.$/;

/**
 * Returns all Screen sessions of this user, as read from the socket directory and /proc. This takes 1 ms and needs no
 * process. `screen -ls` takes 5 ms and asks each daemon in turn, so a single suspended daemon makes it hang. A test
 * that runs the real Screen checks that both methods report the same sessions.
 */
export async function listScreens(host: Pick<ScreenHost, 'dir'>): Promise<ScreenSession[]> {
  const names = (await ignoreMissing(readdir(host.dir))) ?? [];
  const sessions = await Promise.all(names.map((name) => inspectSocket(host.dir, name)));
  return sessions.filter((session): session is ScreenSession => session !== null).sort((a, b) => a.pid - b.pid);
}

/** Returns one session by its full id, or null if its socket is missing. */
export function readScreen(host: Pick<ScreenHost, 'dir'>, id: string): Promise<ScreenSession | null> {
  return inspectSocket(host.dir, id);
}

/**
 * Finds a session under its current name, because a user may have renamed it (`C-a :sessionname`). Returns null if the
 * session has no socket.
 */
export async function findScreen(host: Pick<ScreenHost, 'dir'>, known: KnownScreen): Promise<ScreenSession | null> {
  const { id, daemon } = known;
  const found = await readScreen(host, id);
  return daemon == null || isScreenOf(daemon, found) ? found : findAmong(await listScreens(host), known);
}

/** Works like {@link findScreen}, but on a list that has already been read. */
export function findAmong(sessions: readonly ScreenSession[], { id, daemon }: KnownScreen): ScreenSession | null {
  const named = sessions.find((one) => one.id === id) ?? null;
  if (daemon == null || isScreenOf(daemon, named)) return named;
  return sessions.find((one) => isScreenOf(daemon, one)) ?? null;
}

/** Reports whether a session belongs to this daemon rather than to a later process with the same pid. */
export function isScreenOf(daemon: ProcessId, session: ScreenSession | null): boolean {
  return session?.daemon?.pid === daemon.pid && session.daemon.startTime === daemon.startTime;
}

/** Removes the socket that a killed daemon left behind, under any name. Does nothing while the daemon is alive. */
export async function wipeScreen(host: Pick<ScreenHost, 'dir'>, id: string): Promise<void> {
  const pid = parseScreenId(id)?.pid;
  for (const session of await listScreens(host)) {
    if (session.pid === pid && session.state === 'dead') await ignoreMissing(unlink(join(host.dir, session.id)));
  }
}

async function inspectSocket(dir: string, id: string): Promise<ScreenSession | null> {
  const parsed = parseScreenId(id);
  if (parsed === null || id.includes('/') || QUERY_SOCKET.test(id)) return null;
  const file = await ignoreMissing(lstat(join(dir, id)));
  // Screen can be built to use named pipes instead of sockets.
  if (file === null || !(file.isSocket() || file.isFIFO())) return null;
  const attached = (file.mode & ATTACHED_BIT) !== 0;
  const info = await readProcess(parsed.pid);
  const state = await readState(info, attached);
  const daemon = info === null || state === 'dead' ? null : { pid: info.pid, startTime: info.startTime };
  return { id, ...parsed, state, attached: attached && state === 'attached', daemon };
}

async function readState(daemon: ProcessInfo | null, attached: boolean): Promise<ScreenState> {
  if (daemon === null || daemon.state === 'Z' || !(await isScreenDaemon(daemon))) return 'dead';
  if (isStopped(daemon)) return 'unresponsive';
  return attached ? 'attached' : 'detached';
}

/**
 * Reports whether a process is a Screen daemon. The check is needed because any other program may have received the pid
 * of a dead daemon. The argv[0] of a daemon is `SCREEN`, whatever its executable is called.
 */
export async function isScreenDaemon(daemon: ProcessInfo): Promise<boolean> {
  if (daemon.comm.toLowerCase().includes('screen')) return true;
  return /(^|\/)screen$/i.test((await readArgv(daemon.pid))[0] ?? '');
}
