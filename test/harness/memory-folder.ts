import { accessSync, constants, readFileSync, statfsSync } from 'node:fs';

/** A file system in memory that almost every Linux mounts. Containers often mount it small, or without programs. */
const FOLDER = '/dev/shm';

/** The workers need a tenth of this. The other half of the memory is for the programs in the worlds. */
const LEAST_BYTES = 4 * 1024 ** 3;

/**
 * Returns a folder in memory for the worlds, or null if there is none that is large enough and may contain programs.
 * Worlds consist of thousands of small files that live for seconds. On an ext4 without a journal, the kernel takes 40
 * per cent of the processor time of the suites with git only to find numbers for new files (Linux 6.18).
 */
export function findMemoryFolder(): string | null {
  try {
    const [, , kind, options = ''] = (mounts().findLast(([, place]) => place === FOLDER) ?? []) as string[];
    if (kind !== 'tmpfs' || options.split(',').includes('noexec')) return null;
    accessSync(FOLDER, constants.W_OK | constants.X_OK);
    const { bavail, bsize } = statfsSync(FOLDER);
    return Math.min(bavail * bsize, process.availableMemory() / 2) >= LEAST_BYTES ? FOLDER : null;
  } catch {
    return null;
  }
}

const mounts = (): string[][] =>
  readFileSync('/proc/self/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' '));
