import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CatalogueError, inConfigFile, settingVariable } from '../../protocol/index.ts';
import { type RunResult, runProgram } from '../process/run-program.ts';
import { serviceEnvironment, withheldVariables } from './environment.ts';
import { UNIT, unitText } from './unit.ts';

/** The user who installs the service, and the program that the service runs. */
export interface ServiceContext {
  /** absolute path of the Node executable that runs the server */
  node: string;
  /** absolute path of the built program */
  program: string;
  /** the environment of the user */
  environment: Readonly<Record<string, string | undefined>>;
  userHome: string;
  userName: string;
  userId: number;
}

/** The systemd user service, as systemd reports it. */
export interface ServiceState {
  /** path of the unit file, or null if the service is not installed */
  unitFile: string | null;
  running: boolean;
  /** whether the service starts when the user logs in, or at boot if lingering is enabled for the user */
  enabled: boolean;
  /** other facts that users should know about or act on, one line each */
  notes: readonly string[];
}

/**
 * How long to wait for systemctl. `systemctl start` waits until the program is running, which takes a while on a slow
 * disk.
 */
const SYSTEMCTL_TIMEOUT_MS = 30_000;

/**
 * Writes the unit, enables it, and starts it. Does only what has not been done yet, and restarts the unit if it has
 * changed. No other server may hold the home, so a server that is running in the background must be stopped first.
 * @throws CatalogueError no_systemd
 */
export async function installService(context: ServiceContext): Promise<ServiceState> {
  await requireUserManager(context);
  const file = unitFile(context);
  const text = unitText({ ...context, environment: serviceEnvironment(context.environment) });
  const changed = (await readIfThere(file)) !== text;
  if (changed) {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
    await systemctlOrFail(context, ['daemon-reload']);
  }
  const before = await serviceState(context);
  if (!before.enabled) await systemctlOrFail(context, ['enable', UNIT]);
  // Without this call, systemd does not restart a unit that has failed too often.
  if (!before.running) await systemctl(context, ['reset-failed', UNIT]);
  if (changed || !before.running) await systemctlOrFail(context, [before.running ? 'restart' : 'start', UNIT]);
  return serviceState(context);
}

/**
 * Stops the service and removes its unit. Sessions keep running.
 * @throws CatalogueError no_systemd
 */
export async function uninstallService(context: ServiceContext): Promise<'uninstalled' | 'not_installed'> {
  await requireUserManager(context);
  const file = unitFile(context);
  if ((await readIfThere(file)) === null) return 'not_installed';
  await systemctlOrFail(context, ['disable', '--now', UNIT]);
  await rm(file, { force: true });
  await systemctlOrFail(context, ['daemon-reload']);
  return 'uninstalled';
}

/** @throws CatalogueError no_systemd */
export async function serviceState(context: ServiceContext): Promise<ServiceState> {
  await requireUserManager(context);
  const file = unitFile(context);
  const isInstalled = (await readIfThere(file)) !== null;
  const [active, enabled] = await Promise.all([
    systemctl(context, ['is-active', UNIT]),
    systemctl(context, ['is-enabled', UNIT]),
  ]);
  return {
    unitFile: isInstalled ? file : null,
    running: active.stdout.trim() === 'active',
    enabled: isInstalled && enabled.stdout.trim() === 'enabled',
    notes: isInstalled ? notesFor(context) : [],
  };
}

/** Reports whether the user's services start at boot and keep running after the user has logged out everywhere. */
export function isLingering(userName: string): boolean {
  // This is the file that loginctl itself writes and reads (systemd-logind 252).
  return existsSync(join('/var/lib/systemd/linger', userName));
}

function notesFor({ environment, userName }: ServiceContext): string[] {
  const notes: string[] = [];
  if (!isLingering(userName)) {
    notes.push(
      'The service and all sessions end when you log out of your last login session; "loginctl enable-linger" keeps them running',
    );
  }
  for (const name of withheldVariables(environment)) {
    notes.push(
      name === settingVariable('token')
        ? `${name} is not written to the unit file; set ${inConfigFile('token')} instead`
        : `${name} is not passed to the service; "systemctl --user import-environment ${name}" passes it until you log in again`,
    );
  }
  return notes;
}

function unitFile({ environment, userHome }: ServiceContext): string {
  return join(environment.XDG_CONFIG_HOME || join(userHome, '.config'), 'systemd', 'user', UNIT);
}

async function requireUserManager(context: ServiceContext): Promise<void> {
  const result = await systemctl(context, ['show-environment']);
  if (result.outcome === 'exited' && result.code === 0) return;
  if (result.outcome === 'not_found') throw new CatalogueError('no_systemd', 'This system has no systemd');
  const [said = ''] = result.stderr.trim().split('\n');
  throw new CatalogueError('no_systemd', `systemd does not run for this user: ${said || 'systemctl did not answer'}`);
}

async function systemctlOrFail(context: ServiceContext, args: readonly string[]): Promise<void> {
  const { outcome, code, stderr } = await systemctl(context, args);
  if (outcome === 'exited' && code === 0) return;
  const [said = ''] = stderr.trim().split('\n');
  throw new CatalogueError('no_systemd', `systemctl --user ${args.join(' ')} failed: ${said || outcome}`, {
    hint: `See \`systemctl --user status ${UNIT}\``,
  });
}

function systemctl(context: ServiceContext, args: readonly string[]): Promise<RunResult> {
  const { PATH, DBUS_SESSION_BUS_ADDRESS: bus } = context.environment;
  const env = {
    HOME: context.userHome,
    LC_ALL: 'C.UTF-8',
    XDG_RUNTIME_DIR: runtimeDir(context),
    ...(PATH === undefined ? {} : { PATH }),
    ...(bus === undefined ? {} : { DBUS_SESSION_BUS_ADDRESS: bus }),
  };
  return runProgram('systemctl', ['--user', '--no-pager', ...args], { env, timeoutMs: SYSTEMCTL_TIMEOUT_MS });
}

/**
 * Returns the runtime directory of the user manager. After `su` and in a bare ssh session, the variable is missing
 * although the user manager is running, but the directory always exists.
 */
function runtimeDir({ environment, userId }: ServiceContext): string {
  return environment.XDG_RUNTIME_DIR || `/run/user/${userId}`;
}

async function readIfThere(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
