import { openDatabase } from '../../src/platform/sqlite/database.ts';
import { createSetUpStore } from '../../src/platform/sqlite/set-up-store.ts';
import { createSetUps, type SetUps, type SetUpsOptions } from '../../src/server/worktrees/set-ups.ts';

/** The set-ups of repositories, whose trust is kept in a database in memory. */
export function memorySetUps(options: Omit<SetUpsOptions, 'store'>, database = openDatabase(':memory:')): SetUps {
  return createSetUps({ ...options, store: createSetUpStore(database) });
}
