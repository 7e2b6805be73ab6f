import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { World } from '../harness/world.ts';

/** What says how a fault came about: recordings, journal, log, Claude Code's transcripts. */
const KEPT = ['streams', 'cbos/cbos.db', 'cbos/cbos.db-wal', 'cbos/server.log', 'home/.claude/projects'] as const;

/**
 * Copies what a run in which something went wrong has left, before its world is taken away, together with what its
 * clients did and when.
 * @param name of the run; the folder of an earlier one of this name is written over
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
