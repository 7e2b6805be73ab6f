import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isSameHome, readLaunchMark } from '../../claude/index.ts';
import { jsonFiles } from '../../claude/json/index.ts';
import { isScreenDaemon, listScreens, type ScreenSession } from '../../gnu-screen/index.ts';
import { isStopped, listProcesses, type ProcessInfo } from '../../process/index.ts';
import { type Finding, fault, ok, warning } from '../check.ts';
import type { DoctorContext } from '../context.ts';
import { formatMode, isPrivate } from '../permissions.ts';

/** The length of `sun_path` in unix(7), not counting the terminating NUL. */
const MAX_SOCKET_PATH_BYTES = 107;
/** The maximum length of a slug. */
const LONGEST_SLUG = 64;
/**
 * The doctor reports a fault if a name of this length does not fit, because people often choose names of this length.
 */
const COMFORTABLE_NAME = 20;

export async function checkScreenDirectory({ openScreen, userId }: DoctorContext): Promise<Finding> {
  const { dir, pidDigits } = await openScreen();
  const found = statSync(dir, { throwIfNoEntry: false });
  if (found?.isDirectory() !== true) return fault(`${dir} isn't a directory`, `mkdir -p ${dir} && chmod 700 ${dir}`);
  if (found.uid !== userId) {
    return fault(
      `${dir} belongs to another user`,
      'Create one: `mkdir -p -m 700 ~/.screen && export SCREENDIR=~/.screen`',
    );
  }
  // Screen refuses every command if the directory has any other mode: "Directory … must have mode 700".
  if (!isPrivate(found)) return fault(`${dir} has mode ${formatMode(found)}`, `chmod 700 ${dir}`);
  const left = MAX_SOCKET_PATH_BYTES - Buffer.byteLength(`${dir}/.`) - pidDigits;
  if (left >= COMFORTABLE_NAME)
    return ok(left >= LONGEST_SLUG ? dir : `${dir} (short enough for session names of up to ${left} letters)`);
  return fault(
    `${dir} is so long that session names of more than ${Math.max(left, 0)} letters do not fit`,
    'export SCREENDIR=~/.screen, or another short path',
  );
}

export async function checkScreens({ openScreen, settings }: DoctorContext): Promise<Finding> {
  const { dir } = await openScreen();
  const sessions = await listScreens({ dir });
  const lost = await findLost(settings.home, sessions);
  const stopped = [...sessions.filter(({ state }) => state === 'unresponsive'), ...lost.filter(isStopped)];
  if (stopped.length > 0) {
    const names = stopped.map((one) => ('id' in one ? one.id : String(one.pid))).join(', ');
    return fault(
      `stopped Screen daemons, which make "screen -ls" hang for every user: ${names}`,
      `kill -CONT ${stopped.map(({ pid }) => pid).join(' ')}`,
    );
  }
  if (lost.length > 0) {
    const place = statSync(dir, { throwIfNoEntry: false });
    const isPlace = place?.isDirectory() === true && isPrivate(place);
    return fault(
      `Screen daemons without a socket in ${dir}, which no client can reach: ${lost.map(({ pid }) => pid).join(', ')}`,
      `${isPlace ? '' : `mkdir -p ${dir} && chmod 700 ${dir} && `}cbos up`,
    );
  }
  const dead = sessions.filter(({ state }) => state === 'dead');
  if (dead.length > 0)
    return warning(`sockets without a daemon: ${dead.map(({ id }) => id).join(', ')}`, 'screen -wipe');
  return ok(sessions.length === 1 ? '1 session responds' : `${sessions.length} sessions respond`);
}

/**
 * Finds this home's Screen daemons that have lost their socket. As soon as the directory exists, the server makes each
 * daemon create its socket again.
 */
async function findLost(home: string, sessions: readonly ScreenSession[]): Promise<ProcessInfo[]> {
  const processes = await listProcesses();
  const byPid = new Map(processes.map((info) => [info.pid, info]));
  const lost = new Map<number, ProcessInfo>();
  for (const info of processes) {
    // A user may run the server inside a Screen session of their own. The processes of the server's JSON sessions are
    // then descendants of that Screen.
    const isInScreen = isOfHome(info, home) && !isOfJsonSession(info, home);
    const daemon = isInScreen ? await daemonAbove(info, byPid) : null;
    if (daemon !== null && !sessions.some(({ pid }) => pid === daemon.pid)) lost.set(daemon.pid, daemon);
  }
  return [...lost.values()];
}

/**
 * Finds processes of this home's sessions that nothing controls any more. In a terminal session, such a process has
 * lost its Screen daemon; in a JSON session, the session's files are gone. These processes stay alive and waste
 * resources: Claude Code takes 250 MB, and `script` a quarter of a core (util-linux 2.38 polls a terminal that no one
 * reads).
 */
export async function checkOrphans({ settings, askSessions }: DoctorContext): Promise<Finding> {
  const { home } = settings;
  const agents = new Set((await askSessions()).map(({ pid }) => pid));
  const processes = await listProcesses();
  const byPid = new Map(processes.map((info) => [info.pid, info]));
  const orphans: ProcessInfo[] = [];
  for (const info of processes) {
    if (!isOfHome(info, home) || isOfJsonSession(info, home)) continue;
    const isDriven = above(info, byPid).some(({ pid }) => agents.has(pid));
    if (!isDriven && (await daemonAbove(info, byPid)) === null) orphans.push(info);
  }
  if (orphans.length === 0) return ok('none');
  const shown = orphans.map(({ pid, comm }) => `${comm} (${pid})`).join(', ');
  return warning(
    `processes that no server controls any longer: ${shown}`,
    `kill ${orphans.map(({ pid }) => pid).join(' ')}`,
  );
}

function isOfHome({ pid }: ProcessInfo, home: string): boolean {
  const launchedBy = readLaunchMark(pid)?.home ?? null;
  return launchedBy !== null && isSameHome(launchedBy, home);
}

/**
 * Reports whether a process belongs to a JSON session. The files that control a JSON session exist as long as its
 * process does, and the next server also uses them to find the process.
 */
function isOfJsonSession({ pid }: ProcessInfo, home: string): boolean {
  const launchId = readLaunchMark(pid)?.launchId;
  return launchId !== undefined && existsSync(jsonFiles(join(home, 'json'), launchId).input);
}

/**
 * Returns the Screen daemon that is an ancestor of a process, or null if there is none. The daemon also has the
 * session's environment.
 */
async function daemonAbove(info: ProcessInfo, byPid: ReadonlyMap<number, ProcessInfo>): Promise<ProcessInfo | null> {
  for (const one of above(info, byPid)) if (await isScreenDaemon(one)) return one;
  return null;
}

/** Returns the process, its parent, and so on up to the first process. */
function above(info: ProcessInfo, byPid: ReadonlyMap<number, ProcessInfo>): ProcessInfo[] {
  const line: ProcessInfo[] = [];
  for (let at: ProcessInfo | undefined = info; at !== undefined; at = byPid.get(at.ppid)) line.push(at);
  return line;
}
