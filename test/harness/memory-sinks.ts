import { join } from 'node:path';
import { type Database, openDatabase } from '../../src/platform/sqlite/database.ts';
import { createOutboxStore } from '../../src/platform/sqlite/outbox-store.ts';
import type { Clock } from '../../src/server/clock.ts';
import type { Logger } from '../../src/server/logger.ts';
import type { Sessions } from '../../src/server/sessions.ts';
import { createSinks, type Sinks } from '../../src/server/sinks/sinks.ts';

const nothing = (): void => undefined;

/** Creates the real sinks with sessions in memory. */
export function memorySinks(options: {
  home: string;
  sessions: Pick<Sessions, 'list' | 'onEvent' | 'answer'>;
  clock: Clock;
  /** if absent, a session's id is its name */
  idOf?: (slug: string) => string;
  /** a database that outlives a server; if absent, the database is only in memory */
  database?: Database;
  lookedMsAgo?: () => number | null;
  log?: Logger;
  /** the address of a desktop's bus */
  bus?: string;
}): Sinks {
  const { home, sessions, clock, database = openDatabase(':memory:'), lookedMsAgo = () => null } = options;
  return createSinks({
    sessions,
    idOf: options.idOf ?? ((slug) => slug),
    store: createOutboxStore(database),
    file: join(home, 'sinks.json'),
    lookedMsAgo,
    clock,
    log: options.log ?? { debug: nothing, info: nothing, warn: nothing, error: nothing },
    timezone: 'Europe/Berlin',
    bus: options.bus ?? null,
  });
}
