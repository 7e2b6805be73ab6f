import { v4 as uuid } from 'uuid';
import { Emitter } from '../../src/emitter/emitter.ts';
import { createAnswerStore } from '../../src/platform/sqlite/answer-store.ts';
import { openDatabase } from '../../src/platform/sqlite/database.ts';
import { createRuleStore, type RuleStore } from '../../src/platform/sqlite/rule-store.ts';
import { type Approvals, createApprovals, type RuleEvent } from '../../src/server/approval/approvals.ts';
import { createRulesDesk, type RulesDesk } from '../../src/server/approval/rules-desk.ts';
import { type Clock, createSystemClock } from '../../src/server/clock.ts';
import type { Sessions } from '../../src/server/sessions.ts';

/** Creates the real rules over sessions in memory, with a database in memory. A session's id is its name. */
export function memoryRules(options: {
  home: string;
  userHome: string;
  sessions: Pick<Sessions, 'list'>;
  clock?: Pick<Clock, 'now'>;
  warn?: (fields: object, message: string) => void;
}): { desk: RulesDesk; store: RuleStore; approvals: Approvals } {
  const { home, userHome, sessions, clock = createSystemClock(), warn = () => undefined } = options;
  const database = openDatabase(':memory:');
  const store = createRuleStore(database);
  const events = new Emitter<[RuleEvent]>();
  const approvals = createApprovals({
    ...{ home, userHome, store, answers: createAnswerStore(database), clock, log: { warn } },
    onDecided: (id) => events.tell({ kind: 'decided', id }),
  });
  const named = () => sessions.list().map(({ slug, path }) => ({ id: slug, name: slug, path }));
  return {
    desk: createRulesDesk({
      ...{ approvals, store, clock, sessions: named, onEvent: events.on },
      onChange: async () => events.tell({ kind: 'changed' }),
    }),
    store,
    approvals,
  };
}

/** Records a decision of the session AUTH, as a rule makes it. @returns its number */
export function addDecision(approvals: Approvals, decision: Partial<Parameters<Approvals['record']>[0]> = {}): number {
  const id = approvals.record({
    ...{ sessionId: 'AUTH', session: 'AUTH', asked: uuid(), decision: 'allow', rules: [], tool: 'Bash' },
    ...{ input: { command: 'npm test' }, place: { epoch: 0, offset: 3 }, seq: null },
    ...decision,
  });
  if (id === null) throw new Error('the question was decided before');
  return id;
}
