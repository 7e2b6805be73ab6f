import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { World } from './world.ts';

/** A disk of a world's own, small enough to be filled. */
export interface SmallDisk {
  dir: string;
  /** takes all the room that is left */
  fill(): void;
  /** gives it back */
  free(): void;
}

/** Mounts a small disk on a directory of a world, made when it is missing. Null where nothing may be mounted (no root). It goes with the world. */
export function mountSmallDisk(world: World, dir: string, size: string): SmallDisk | null {
  mkdirSync(dir, { recursive: true });
  const options = ['-t', 'tmpfs', '-o', `size=${size},mode=0700`, 'tmpfs', dir];
  if (spawnSync('mount', options, { stdio: 'ignore' }).status !== 0) return null;
  world.onDispose(() => void spawnSync('umount', ['--lazy', dir], { stdio: 'ignore' }));
  const ballast = join(dir, 'ballast');
  return {
    dir,
    fill: () => {
      try {
        for (;;) writeFileSync(ballast, Buffer.alloc(65_536), { flag: 'a' });
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      }
    },
    free: () => rmSync(ballast),
  };
}
