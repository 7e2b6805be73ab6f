import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { waitFor } from '../../harness/wait-for.ts';
import type { World } from '../../harness/world.ts';

/** Where Linux keeps control groups: version 2 has one tree for everything, version 1 a tree for each controller. */
const ROOT = '/sys/fs/cgroup';
const IS_UNIFIED = existsSync(join(ROOT, 'cgroup.controllers'));

/** The files of a controller, in version 2 and in version 1. */
const FILES = {
  pids: { most: 'pids.max', used: 'pids.current' },
  memory: IS_UNIFIED
    ? { most: 'memory.max', used: 'memory.current' }
    : { most: 'memory.limit_in_bytes', used: 'memory.usage_in_bytes' },
};
/** No limit, as both controllers of both versions understand it. */
const WITHOUT_LIMIT = IS_UNIFIED ? { pids: 'max', memory: 'max' } : { pids: 'max', memory: '-1' };

/** A control group that holds its processes, and their children from then on, to a limit. It goes with the world. */
export interface LimitedGroup {
  /** takes a running process in */
  add(pid: number): void;
  /** a command that runs the one after it in here, from its first byte of memory on */
  through: readonly string[];
  /** processes and threads, or bytes of memory */
  used(): number;
  /** how much there may be of that; null: as much as there is */
  limit(most: number | null): void;
}

/** @returns null where none may be made: no root, a container that shows them read-only, or no such controller */
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
 * Holds a process up so that nobody notices: what is stopped by a signal Screen and `script` send on at once (4.9.0,
 * 2.38).
 */
export interface Freezer {
  freeze(pid: number): Promise<void>;
  thaw(): Promise<void>;
}

/** @returns null as {@link makeLimitedGroup} */
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
  // A process that is frozen takes no signal, not even SIGKILL (version 1).
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
    // Every group of version 2 can be frozen; what limits has to be switched on.
    if (IS_UNIFIED && controller !== 'freezer') writeFileSync(join(ROOT, 'cgroup.subtree_control'), `+${controller}`);
    mkdirSync(dir);
  } catch {
    return null;
  }
  world.onDispose(() => removeGroup(dir, tree));
  return dir;
}

/** What a process of the group starts while they are moved out is moved the next time. */
const TRIES = 20;

/** A group with processes in it stays: they go back to the top first, and end with their world. */
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
      // It has ended meanwhile.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}
