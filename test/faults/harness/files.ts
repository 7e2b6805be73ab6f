import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { World } from '../../harness/world.ts';

/** Returns everything that the server has written to its log so far. */
export function logOf(world: World): string {
  return readFileSync(join(world.cbosHome, 'server.log'), 'utf8');
}
