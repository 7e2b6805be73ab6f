import { renameSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import type { World } from '../../harness/world.ts';

export const recordingOf = (world: World, slug: string): string => join(world.streamDir, `${slug}.typescript`);
export const movedTo = (world: World, slug: string): string => join(world.dir, `${slug}.moved`);

/** Removes the files, as a program that cleans up old files does. */
export function deleteRecording(world: World, slug: string): void {
  for (const part of ['typescript', 'timing']) rmSync(join(world.streamDir, `${slug}.${part}`), { force: true });
}

/** Moves the file within its file system, so its writer keeps writing to it. */
export function moveRecording(world: World, slug: string): void {
  renameSync(recordingOf(world, slug), movedTo(world, slug));
}

/** Truncates the file, as `> FILE` or logrotate's copytruncate does. */
export function cutOff(world: World, slug: string): void {
  truncateSync(recordingOf(world, slug));
}
