import { renameSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import type { World } from '../../harness/world.ts';

export const recordingOf = (world: World, slug: string): string => join(world.streamDir, `${slug}.typescript`);
export const movedTo = (world: World, slug: string): string => join(world.dir, `${slug}.moved`);

/** `rm`, as a program that cleans up does it to all that is old. */
export function deleteRecording(world: World, slug: string): void {
  for (const part of ['typescript', 'timing']) rmSync(join(world.streamDir, `${slug}.${part}`), { force: true });
}

/** `mv` on the same file system: who writes it goes on. */
export function moveRecording(world: World, slug: string): void {
  renameSync(recordingOf(world, slug), movedTo(world, slug));
}

/** `> FILE`, or logrotate's copytruncate. */
export function cutOff(world: World, slug: string): void {
  truncateSync(recordingOf(world, slug));
}
