import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { World } from '../harness/world.ts';

/** Files that show how a fault came about: recordings, journal, log, and Claude Code's transcripts. */
const KEPT = ['streams', 'cbos/cbos.db', 'cbos/cbos.db-wal', 'cbos/server.log', 'home/.claude/projects'] as const;

/**
 * Copies what a failed run left, together with what its clients did and when. Call it before the world of the run is
 * removed.
 * @param name of the run; an earlier folder with this name is overwritten
 * @returns the folder
 */
export function keepEvidence(world: World, name: string, ledger: object): string {
  const folder = join('build', 'torture', name);
  mkdirSync(folder, { recursive: true });
  for (const kept of KEPT.filter((path) => existsSync(join(world.dir, path))))
    cpSync(join(world.dir, kept), join(folder, kept), { recursive: true, force: true });
  writeFileSync(join(folder, 'ledger.json'), JSON.stringify(ledger, null, 1));
  return folder;
}
