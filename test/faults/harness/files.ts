import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { World } from '../../harness/world.ts';

/** What the server has written into its log so far. */
export function logOf(world: World): string {
  return readFileSync(join(world.cbosHome, 'server.log'), 'utf8');
}
