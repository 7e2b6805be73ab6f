import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CatalogueError } from '../../../protocol/index.ts';
import { isStopped, processNow } from '../../process/index.ts';
import { findHomeHolders } from '../../sqlite/home-holders.ts';
import { LOCK_FILE, readLockHolder, takeHomeLock } from '../../sqlite/home-lock.ts';
import { type Finding, fault, ok, warning } from '../check.ts';
import { configDirectoriesOf } from '../configuration.ts';
import type { DoctorContext } from '../context.ts';
import { statIfThere } from '../permissions.ts';

export async function checkServer({ settings, version, pid, askServer }: DoctorContext): Promise<Finding> {
  const answer = await askServer();
  if (answer !== null) {
    if (answer.version === version) return ok(`${version} answers on ${settings.socket}`);
    return warning(
      `the server is version ${answer.version}, but this program is version ${version}`,
      'cbos down && cbos up',
    );
  }
  const { home } = settings;
  const holders = await findHomeHolders(home, pid);
  const stray = holders.find(({ isRemoved }) => isRemoved);
  if (stray !== undefined) {
    return fault(
      `process ${stray.pid} still serves a home directory that was removed from ${home}, and occupies the port`,
      `${ending(stray.pid)}; cbos up (its sessions keep running)`,
    );
  }
  const holder = holders[0] ?? readLockHolder(home);
  if (holder === null || !isHeld(home)) return ok('not running; "cbos up" starts it');
  return fault(`process ${holder.pid} has locked ${home} but does not respond`, `${ending(holder.pid)}; cbos up`);
}

/** Returns the command that ends a process. A suspended process does not respond to a TERM until it is continued. */
function ending(pid: number): string {
  const info = processNow(pid);
  return info !== null && isStopped(info) ? `kill -CONT ${pid}; kill ${pid}` : `kill ${pid}`;
}

/**
 * Reports whether a server holds the home. Only the lock proves that, because the record of a killed server remains.
 */
function isHeld(home: string): boolean {
  if (statIfThere(join(home, LOCK_FILE)) === null) return false;
  const lock = takeHomeLock(home);
  lock?.release();
  return lock === null;
}

export async function checkService({ serviceState, isLingering }: DoctorContext): Promise<Finding> {
  try {
    const { unitFile, running } = await serviceState();
    if (unitFile === null) return ok('not installed; "cbos service install" starts CBOS when you log in');
    if (!running) return warning('installed, but not running', 'systemctl --user status cbos.service');
    return isLingering()
      ? ok('running, and keeps running after you log out')
      : warning(
          'running, but the service and all sessions end when you log out of your last login session',
          'loginctl enable-linger',
        );
  } catch (error) {
    if (error instanceof CatalogueError && error.code === 'no_systemd')
      return ok(`${error.message}; "cbos up" works without it`);
    throw error;
  }
}

/**
 * The file for settings that an administrator makes and that users cannot change (as documented by Claude Code for
 * Linux).
 */
const MANAGED_SETTINGS = '/etc/claude-code/managed-settings.json';

/** A project's settings, in its folder. Both files can disable hooks (2.1.330). */
const PROJECT_SETTINGS = ['settings.json', 'settings.local.json'] as const;

/** CBOS passes its hooks at each launch, but either of these two settings still disables them. */
const SILENCERS = ['disableAllHooks', 'allowManagedHooksOnly'] as const;

export async function checkHooks({ environment, userHome, askSessions }: DoctorContext): Promise<Finding> {
  const running = (await askSessions()).filter(({ pid }) => pid !== null);
  const folders = new Set(running.flatMap(({ path, place }) => [path, place]).filter((folder) => folder != null));
  const files = [
    MANAGED_SETTINGS,
    ...configDirectoriesOf({ HOME: userHome, ...environment }, running).map((dir) => join(dir, 'settings.json')),
    ...[...folders].flatMap((folder) => PROJECT_SETTINGS.map((name) => join(folder, '.claude', name))),
  ];
  for (const file of files) {
    const silencer = SILENCERS.find((name) => readSettings(file)[name] === true);
    if (silencer !== undefined) {
      return warning(
        `${silencer} in ${file} disables hooks, so the status comes only from the screen, with a delay`,
        `Remove ${silencer} from ${file}`,
      );
    }
  }
  const silent = running.filter((session) => session.hooks_silent === true).map(({ slug }) => slug);
  if (silent.length > 0) {
    return warning(
      `no hook of ${silent.join(', ')} has reported since the launch, so the status comes only from the screen, with a delay`,
      `Let the command in claude_command pass its arguments and its environment on to Claude Code, and add no --settings; then cbos stop ${silent[0]} && cbos restart ${silent[0]}`,
    );
  }
  return ok('no setting disables hooks, and no running session lacks them');
}

/** A file that cannot be read is treated as if it contained no settings, because Claude Code ignores such a file. */
function readSettings(file: string): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : {};
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code !== undefined) return {};
    throw error;
  }
}
