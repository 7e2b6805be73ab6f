import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { waitFor } from '../../harness/wait-for.ts';
import type { World } from '../../harness/world.ts';

/**
 * The place where Linux keeps control groups. Version 2 has one tree for everything, version 1 a tree for each
 * controller.
 */
const ROOT = '/sys/fs/cgroup';
const IS_UNIFIED = existsSync(join(ROOT, 'cgroup.controllers'));

/** The files of each controller, in version 2 or version 1. */
const FILES = {
  pids: { most: 'pids.max', used: 'pids.current' },
  memory: IS_UNIFIED
    ? { most: 'memory.max', used: 'memory.current' }
    : { most: 'memory.limit_in_bytes', used: 'memory.usage_in_bytes' },
};
/** The values for "no limit", which differ between the versions. */
const WITHOUT_LIMIT = IS_UNIFIED ? { pids: 'max', memory: 'max' } : { pids: 'max', memory: '-1' };

/** A control group that limits its processes and the children that they start from then on. It ends with the world. */
export interface LimitedGroup {
  /** moves a running process into the group */
  add(pid: number): void;
  /** the words before a command that make it run inside the group, from its first byte of memory on */
  through: readonly string[];
  /** the number of processes and threads, or of bytes of memory */
  used(): number;
  /** sets the limit of what `used` counts; null removes it */
  limit(most: number | null): void;
}

/**
 * @returns null if no group can be made: without root, in a container with read-only groups, or without the controller
 */
export function makeLimitedGroup(world: World, controller: 'pids' | 'memory'): LimitedGroup | null {
  const dir = makeGroup(world, controller);
  if (dir === null) return null;
  const { most, used } = FILES[controller];
  const procs = join(dir, 'cgroup.procs');
  return {
    add: (pid) => writeFileSync(procs, String(pid)),
    through: ['sh', '-c', `echo $$ > '${procs}' && exec "$@"`, 'sh'],
    used: () => Number(readFileSync(join(dir, used), 'utf8')),
    limit: (limit) => writeFileSync(join(dir, most), limit === null ? WITHOUT_LIMIT[controller] : String(limit)),
  };
}

/**
 * Stops a process unnoticed. A signal cannot do that, because Screen and `script` continue a process at once after a
 * signal has stopped it (4.9.0, 2.38).
 */
export interface Freezer {
  freeze(pid: number): Promise<void>;
  thaw(): Promise<void>;
}

/** @returns null in the same cases as {@link makeLimitedGroup} */
export function makeFreezer(world: World): Freezer | null {
  const dir = makeGroup(world, 'freezer');
  if (dir === null) return null;
  const [file, frozen, thawed] = IS_UNIFIED ? ['cgroup.freeze', '1', '0'] : ['freezer.state', 'FROZEN', 'THAWED'];
  const become = async (state: string): Promise<void> => {
    writeFileSync(join(dir, file), state);
    await waitFor(
      () =>
        readFileSync(join(dir, IS_UNIFIED ? 'cgroup.events' : file), 'utf8').match(
          IS_UNIFIED ? `frozen ${state}` : state,
        ),
      { describe: `the group is ${state}` },
    );
  };
  // A frozen process takes no signal, not even SIGKILL (version 1).
  world.onDispose(() => become(thawed));
  return {
    freeze: async (pid) => {
      writeFileSync(join(dir, 'cgroup.procs'), String(pid));
      await become(frozen);
    },
    thaw: () => become(thawed),
  };
}

function makeGroup(world: World, controller: 'pids' | 'memory' | 'freezer'): string | null {
  const tree = IS_UNIFIED ? ROOT : join(ROOT, controller);
  const dir = join(tree, `${basename(world.dir)}-${controller}`);
  try {
    // In version 2 every group can be frozen, but limits have to be enabled.
    if (IS_UNIFIED && controller !== 'freezer') writeFileSync(join(ROOT, 'cgroup.subtree_control'), `+${controller}`);
    mkdirSync(dir);
  } catch {
    return null;
  }
  world.onDispose(() => removeGroup(dir, tree));
  return dir;
}

/** While the processes are moved out, they may start others. Those are moved at the next attempt. */
const TRIES = 20;

/** A group that contains processes cannot be removed. They are moved to the top first, and end with their world. */
function removeGroup(dir: string, tree: string): void {
  for (let tries = 1; ; tries++) {
    moveOut(dir, tree);
    try {
      rmdirSync(dir);
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EBUSY' || tries === TRIES) throw error;
    }
  }
}

function moveOut(dir: string, tree: string): void {
  for (const pid of readFileSync(join(dir, 'cgroup.procs'), 'utf8').split('\n')) {
    try {
      if (pid !== '') writeFileSync(join(tree, 'cgroup.procs'), pid);
    } catch (error) {
      // The process has ended in the meantime.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}
