import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { waitFor } from './wait-for.ts';
import type { World } from './world.ts';

const SYSTEMD = '/lib/systemd/systemd';

/** A user instance needs a booted system and its control groups. Root can run one in a separate mount namespace. */
export const canRunSystemd =
  process.getuid?.() === 0 && existsSync(SYSTEMD) && spawnSync('unshare', ['-m', 'true']).status === 0;

export interface UserSystemd {
  /** kills the instance, but not the services that it started */
  kill(): Promise<void>;
}

/**
 * Starts a user instance of systemd with its enabled services, as a login does. The instance ends with the world.
 * @param env the environment for the instance and its services, with XDG_RUNTIME_DIR
 * @returns null if systemd cannot run services, as in a container that does not own its control groups
 */
export async function startUserSystemd(world: World, env: Record<string, string>): Promise<UserSystemd | null> {
  const manager = spawn(
    'unshare',
    ['-m', 'sh', '-c', `mount -t tmpfs none /run/systemd && mkdir /run/systemd/system && exec ${SYSTEMD} --user`],
    { env, stdio: 'ignore' },
  );
  world.onDispose(() => void manager.kill('SIGKILL'));
  const answers = (): boolean => spawnSync('systemctl', ['--user', 'show-environment'], { env }).status === 0;
  await waitFor(() => hasEnded(manager) || answers(), { describe: 'systemd answers or gives up' });
  if (spawnSync('systemd-run', ['--user', '--wait', 'true'], { env }).status !== 0) return null;
  return {
    kill: async () => {
      if (hasEnded(manager)) return;
      const ended = once(manager, 'exit');
      manager.kill('SIGKILL');
      await ended;
    },
  };
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null;
