import { existsSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { World } from '../../harness/world.ts';

/** The places where Debian's package `faketime` and those of other distributions install the library. */
const LIBRARIES = [
  `/usr/lib/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu/faketime/libfaketime.so.1`,
  '/usr/lib/faketime/libfaketime.so.1',
  '/usr/lib64/faketime/libfaketime.so.1',
];

/**
 * The library shares its start time between processes. Claude Code cannot open the memory that its shell created under
 * the same pid.
 */
const FRESH_MEMORY = 'unset FAKETIME_SHARED\nrm -f "/dev/shm/sem.faketime_sem_$$" "/dev/shm/faketime_shm_$$"';

const library = LIBRARIES.find((file) => existsSync(file)) ?? null;

/** Whether this machine can run programs under a clock that steps. `npm test` installs the library only as root. */
export const canStepClock = library !== null;

/**
 * The wall clock of a world's programs. Their monotonic clock, their timers, and the times of files are the machine's.
 */
export interface SteppingClock {
  /** sets the clock this far from the machine's clock, at once, for all programs of the world */
  set(offsetMs: number): void;
  /** the distance from the machine's clock now */
  offset(): number;
  /** the time that the clock shows, in Unix milliseconds */
  now(): number;
}

/**
 * Puts the server, Claude Code, and the `date` of its hooks under a clock that steps. Screen runs with the rights of a
 * group and accepts no preloaded library, so a wrapper gives the library to Claude Code.
 */
export function steppingClock(world: World): SteppingClock {
  if (library === null) throw new Error('libfaketime is missing: apt-get install faketime');
  const file = join(world.dir, 'clock');
  let offset = 0;
  const set = (offsetMs: number): void => {
    offset = offsetMs;
    const seconds = offsetMs / 1_000;
    // The file is replaced by rename, because a program that reads half of it would be in 1970.
    writeFileSync(`${file}.new`, `${seconds < 0 ? '' : '+'}${seconds}\n`);
    renameSync(`${file}.new`, file);
  };
  set(0);
  world.onDispose(removeSharedMemory);
  Object.assign(world.env, {
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_NO_CACHE: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    DONT_FAKE_MONOTONIC: '1',
    LD_PRELOAD: library,
  });
  const claude = world.env.CBOS_CLAUDE_COMMAND;
  if (claude !== undefined) {
    const wrapper = join(world.dir, 'claude-under-clock');
    writeFileSync(wrapper, `#!/bin/sh\n${FRESH_MEMORY}\nexport LD_PRELOAD='${library}'\nexec '${claude}' "$@"\n`, {
      mode: 0o700,
    });
    world.env.CBOS_CLAUDE_COMMAND = wrapper;
  }
  return { set, offset: () => offset, now: () => Date.now() + offset };
}

/** Removes the memory that the library leaves behind when a process is killed or becomes another program. */
function removeSharedMemory(): void {
  for (const name of readdirSync('/dev/shm')) {
    const pid = /^(?:sem\.faketime_sem|faketime_shm)_(\d+)$/.exec(name)?.[1];
    if (pid !== undefined && !existsSync(`/proc/${pid}`)) rmSync(`/dev/shm/${name}`, { force: true });
  }
}
