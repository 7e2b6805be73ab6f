import { CatalogueError } from '../../protocol/index.ts';
import { type Check, type Finding, fault } from './check.ts';
import { checkCallers } from './checks/callers.ts';
import { checkDatabase } from './checks/database.ts';
import { checkDrops, checkHome, checkRecordings, checkSpool } from './checks/files.ts';
import { checkInotify } from './checks/inotify.ts';
import { checkClaude, checkKeys, checkNode, checkScreen, checkScript } from './checks/programs.ts';
import { checkRules } from './checks/rules.ts';
import { checkOrphans, checkScreenDirectory, checkScreens } from './checks/screens.ts';
import { checkHooks, checkServer, checkService } from './checks/server.ts';
import type { DoctorContext } from './context.ts';

type Examine = (context: DoctorContext) => Finding | Promise<Finding>;

/** The checks are ordered so that the cause of a new user's problem is reported before its consequences. */
const EXAMINATIONS: readonly (readonly [name: string, examine: Examine])[] = [
  ['Node', checkNode],
  ['GNU Screen', checkScreen],
  ["Screen's directory", checkScreenDirectory],
  ['script', checkScript],
  ['Claude Code', checkClaude],
  ['Key bindings', checkKeys],
  ['Home', checkHome],
  ['Database', checkDatabase],
  ['Recordings', checkRecordings],
  ['Dropped recordings', checkDrops],
  ['Hooks', checkHooks],
  ['Hook spool', checkSpool],
  ['Approval rules', checkRules],
  ['File watching', checkInotify],
  ['Server', checkServer],
  ['Callers', checkCallers],
  ['Service', checkService],
  ['Screen sessions', checkScreens],
  ['Left-over processes', checkOrphans],
];

/**
 * Checks everything that CBOS needs, one thing after another, and changes nothing. A check that cannot run counts as a
 * fault, and the other checks still run.
 */
export async function* runDoctor(context: DoctorContext): AsyncGenerator<Check> {
  for (const [name, examine] of EXAMINATIONS) {
    yield { name, ...(await examineSafely(examine, context)) };
  }
}

async function examineSafely(examine: Examine, context: DoctorContext): Promise<Finding> {
  try {
    return await examine(context);
  } catch (error) {
    if (error instanceof CatalogueError) return fault(error.message, error.hint);
    return fault(
      `could not be checked: ${error instanceof Error ? error.message : error}`,
      'Report this as a bug in CBOS',
    );
  }
}
