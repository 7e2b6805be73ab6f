import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { ClaudeWorld } from '../../harness/claude.ts';
import { waitFor } from '../../harness/wait-for.ts';
import type { World } from '../../harness/world.ts';

const run = promisify(execFile);

/** The Screen sessions of a world by their sockets, `PID.NAME`. */
export function socketsOf({ screenDir }: Pick<World, 'screenDir'>): string[] {
  return readdirSync(screenDir).sort();
}

/** Removes a session's socket as a cleaner of /tmp does. Its daemon lives on. */
export function removeSocket({ screenDir }: Pick<World, 'screenDir'>, screenId: string): void {
  rmSync(join(screenDir, screenId));
}

/** Removes Screen's directory with all sockets in it, as systemd-tmpfiles does to /run/screen. The daemons live on. */
export function removeSocketDirectory({ screenDir }: Pick<World, 'screenDir'>): void {
  rmSync(screenDir, { recursive: true });
}

/** As {@link removeSocketDirectory}; and no directory can be made there. */
export function putFileInPlaceOfDirectory({ screenDir }: Pick<World, 'screenDir'>): void {
  rmSync(screenDir, { recursive: true });
  writeFileSync(screenDir, '');
}

/** Gives a session another name, as a person does with `C-a :sessionname NAME`. @returns its id from then on */
export async function renameByUser(world: World, screenId: string, name: string): Promise<string> {
  await run('screen', ['-S', screenId, '-X', 'sessionname', name], { env: world.env });
  const renamed = `${Number.parseInt(screenId, 10)}.${name}`;
  await waitFor(() => socketsOf(world).includes(renamed), { describe: `Screen calls it ${renamed}` });
  return renamed;
}

/** The same world as another CBOS home sees it: the same Screen, the same Claude Code, all of CBOS's own apart. */
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

/** Whether a process runs; a zombie does not. */
export function isRunning(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
