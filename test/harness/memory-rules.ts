import { openDatabase } from '../../src/platform/sqlite/database.ts';
import { createRuleStore, type RuleStore } from '../../src/platform/sqlite/rule-store.ts';
import { createApprovals } from '../../src/server/approval/approvals.ts';
import { createRulesDesk, type RulesDesk } from '../../src/server/approval/rules-desk.ts';
import { type Clock, createSystemClock } from '../../src/server/clock.ts';
import type { Sessions } from '../../src/server/sessions.ts';

/** The real rules over sessions in memory, in a database in memory. A session's id is its name. */
export function memoryRules(options: {
  home: string;
  userHome: string;
  sessions: Pick<Sessions, 'list'>;
  clock?: Pick<Clock, 'now'>;
  warn?: (fields: object, message: string) => void;
}): { desk: RulesDesk; store: RuleStore } {
  const { home, userHome, sessions, clock = createSystemClock(), warn = () => undefined } = options;
  const store = createRuleStore(openDatabase(':memory:'));
  const approvals = createApprovals({ home, userHome, store, clock, log: { warn } });
  const named = () => sessions.list().map(({ slug, path }) => ({ id: slug, name: slug, path }));
  return { desk: createRulesDesk({ approvals, store, clock, sessions: named }), store };
}
