import { spawnSync } from 'node:child_process';
import { mkdirSync, openSync, readFileSync, rmSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { World } from '../../harness/world.ts';

/** A disk that belongs to a world and is small enough to be filled. */
export interface SmallDisk {
  dir: string;
  /** uses up all the room that is left */
  fill(): void;
  /** frees that room again */
  free(): void;
}

/**
 * Mounts a small disk on a directory of a world, which is created if it is missing. Null if nothing can be mounted
 * (without root). The disk ends with the world.
 */
export function mountSmallDisk(world: World, dir: string, size: string): SmallDisk | null {
  mkdirSync(dir, { recursive: true });
  const options = ['-t', 'tmpfs', '-o', `size=${size},mode=0700`, 'tmpfs', dir];
  if (!run('mount', options)) return null;
  world.onDispose(() => void run('umount', ['--lazy', dir]));
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

/** Remounts the disk of a directory. No file on the disk may be open for writing when it becomes read-only. */
export function remount(dir: string, mode: 'ro' | 'rw'): void {
  if (!run('mount', ['-o', `remount,${mode}`, dir])) throw new Error(`${dir} could not be remounted ${mode}`);
}

/** A disk that turns read-only while files on it are open for writing. ext4 does so after an error of the device. */
export interface FailingDisk {
  dir: string;
  /** makes the disk read-only permanently: only a new mount can be written to */
  turnReadOnly(): void;
}

const FAILING_DISK_BYTES = 16_000_000;

/**
 * Mounts such a disk on a directory of a world. Null if there is no root, no loop device, or no ext4. The disk ends
 * with the world.
 */
export function mountFailingDisk(world: World, dir: string): FailingDisk | null {
  const image = join(world.dir, 'disk.img');
  mkdirSync(dir, { recursive: true });
  writeFileSync(image, '');
  truncateSync(image, FAILING_DISK_BYTES);
  if (!run('mkfs.ext4', ['-q', '-F', image])) return null;
  if (!run('mount', ['-o', 'loop,errors=remount-ro', image, dir])) return null;
  world.onDispose(() => void run('umount', ['--lazy', dir]));
  const device = readFileSync('/proc/self/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' '))
    .find(([, place]) => place === dir)?.[0];
  return {
    dir,
    turnReadOnly: () => writeFileSync(`/sys/fs/ext4/${basename(device ?? '')}/trigger_fs_error`, '1'),
  };
}

/** Overwrites a part of a file with garbage, in place. */
export function garble(file: string, { from, bytes }: { from: number; bytes: number }): void {
  writeSync(openSync(file, 'r+'), Buffer.alloc(bytes, 0xa5), 0, bytes, from);
}

function run(command: string, args: readonly string[]): boolean {
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0;
}
