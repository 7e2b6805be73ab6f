import { statSync } from 'node:fs';
import { LAUNCH_VARIABLE, SPOOL_VARIABLE } from '../../claude/index.ts';
import { listScreens } from '../../gnu-screen/index.ts';
import { listProcesses, type ProcessInfo, readArgv, readEnvironment } from '../../process/index.ts';
import { type Finding, fault, ok, warning } from '../check.ts';
import type { DoctorContext } from '../context.ts';
import { formatMode, isPrivate } from '../permissions.ts';

/** `sun_path` of unix(7) without its closing NUL. */
const MAX_SOCKET_PATH_BYTES = 107;
/** As long as a slug may be. */
const LONGEST_SLUG = 64;
/** Shorter names are refused more often than people choose them. */
const COMFORTABLE_NAME = 20;

export async function checkScreenDirectory({ openScreen, userId }: DoctorContext): Promise<Finding> {
  const { dir, pidDigits } = await openScreen();
  const found = statSync(dir);
  if (found.uid !== userId) {
    return fault(`${dir} belongs to another user`, 'mkdir -p -m 700 ~/.screen && export SCREENDIR=~/.screen');
  }
  // Screen refuses every command otherwise: "Directory … must have mode 700"
  if (!isPrivate(found)) return fault(`${dir} has mode ${formatMode(found)}`, `chmod 700 ${dir}`);
  const left = MAX_SOCKET_PATH_BYTES - Buffer.byteLength(`${dir}/.`) - pidDigits;
  if (left >= COMFORTABLE_NAME) return ok(left >= LONGEST_SLUG ? dir : `${dir} (names of up to ${left} letters fit)`);
  return fault(
    `${dir} is so long that names of more than ${Math.max(left, 0)} letters do not fit`,
    'export SCREENDIR=~/.screen, or another short path',
  );
}

export async function checkScreens({ openScreen }: DoctorContext): Promise<Finding> {
  const sessions = await listScreens(await openScreen());
  const stopped = sessions.filter(({ state }) => state === 'unresponsive');
  if (stopped.length > 0) {
    return fault(
      `stopped and hanging "screen -ls" for everybody: ${stopped.map(({ id }) => id).join(', ')}`,
      `kill -CONT ${stopped.map(({ pid }) => pid).join(' ')}`,
    );
  }
  const dead = sessions.filter(({ state }) => state === 'dead');
  if (dead.length > 0)
    return warning(`sockets without a daemon: ${dead.map(({ id }) => id).join(', ')}`, 'screen -wipe');
  return ok(sessions.length === 1 ? '1 session answers' : `${sessions.length} sessions answer`);
}

/**
 * Processes of this home's sessions whose Screen daemon is gone. They live on: Claude Code with 250 MB, and `script` on a quarter of a
 * core (util-linux 2.38 polls a terminal that nobody reads).
 */
export async function checkOrphans({ settings }: DoctorContext): Promise<Finding> {
  const processes = await listProcesses();
  const byPid = new Map(processes.map((info) => [info.pid, info]));
  const orphans: ProcessInfo[] = [];
  for (const info of processes) {
    if ((await isOfHome(info, settings.home)) && !(await isBelowScreen(info, byPid))) orphans.push(info);
  }
  if (orphans.length === 0) return ok('none');
  const shown = orphans.map(({ pid, comm }) => `${comm} (${pid})`).join(', ');
  return warning(`without their Screen: ${shown}`, `kill ${orphans.map(({ pid }) => pid).join(' ')}`);
}

async function isOfHome({ pid }: ProcessInfo, home: string): Promise<boolean> {
  const environment = await readEnvironment(pid);
  return (
    environment.includes(`${SPOOL_VARIABLE}=${home}/hooks`) &&
    environment.some((entry) => entry.startsWith(`${LAUNCH_VARIABLE}=`))
  );
}

/** Screen's daemon calls itself SCREEN; it carries the session's environment as well. */
async function isBelowScreen(info: ProcessInfo, byPid: ReadonlyMap<number, ProcessInfo>): Promise<boolean> {
  for (let at: ProcessInfo | undefined = info; at !== undefined; at = byPid.get(at.ppid)) {
    if (at.comm.toLowerCase().includes('screen') || /(^|\/)screen$/i.test((await readArgv(at.pid))[0] ?? ''))
      return true;
  }
  return false;
}
