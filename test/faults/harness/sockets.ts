import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { ClaudeWorld } from '../../harness/claude.ts';
import { waitFor } from '../../harness/wait-for.ts';
import type { World } from '../../harness/world.ts';

const run = promisify(execFile);

/** Returns the names of the Screen sockets of a world, `PID.NAME`. */
export function socketsOf({ screenDir }: Pick<World, 'screenDir'>): string[] {
  return readdirSync(screenDir).sort();
}

/** Removes a session's socket, as a program that cleans up /tmp does. The daemon of the session keeps running. */
export function removeSocket({ screenDir }: Pick<World, 'screenDir'>, screenId: string): void {
  rmSync(join(screenDir, screenId));
}

/**
 * Removes Screen's directory with all its sockets, as systemd-tmpfiles does with /run/screen. The daemons keep
 * running.
 */
export function removeSocketDirectory({ screenDir }: Pick<World, 'screenDir'>): void {
  rmSync(screenDir, { recursive: true });
}

/** Does the same as {@link removeSocketDirectory}, and prevents a new directory from being created. */
export function putFileInPlaceOfDirectory({ screenDir }: Pick<World, 'screenDir'>): void {
  rmSync(screenDir, { recursive: true });
  writeFileSync(screenDir, '');
}

/** Renames a session, as a person does with `C-a :sessionname NAME`. @returns its new id */
export async function renameByUser(world: World, screenId: string, name: string): Promise<string> {
  await run('screen', ['-S', screenId, '-X', 'sessionname', name], { env: world.env });
  const renamed = `${Number.parseInt(screenId, 10)}.${name}`;
  await waitFor(() => socketsOf(world).includes(renamed), { describe: `Screen calls it ${renamed}` });
  return renamed;
}

/** Returns the same world for another CBOS home: the same Screen and Claude Code, but separate files of CBOS. */
export function secondHome<W extends World>(world: W): W {
  const cbosHome = join(world.dir, 'cbos-2');
  const streamDir = join(world.dir, 'streams-2');
  mkdirSync(streamDir, { mode: 0o700 });
  return {
    ...world,
    cbosHome,
    streamDir,
    env: { ...world.env, CBOS_HOME: cbosHome, CBOS_STREAM_STREAM_DIR: streamDir },
  };
}

/** Starts Claude Code in Screen as a person does, without CBOS. @returns the session's id */
export async function startByHand(world: ClaudeWorld, name: string): Promise<string> {
  await run('screen', ['-U', '-dmS', name, world.claude], { env: world.env, cwd: world.projectDir });
  return waitFor(() => socketsOf(world).find((id) => id.endsWith(`.${name}`)), { describe: `${name} has started` });
}

/** Reports whether a process runs. A zombie does not. */
export function isRunning(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
