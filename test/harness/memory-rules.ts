import { v4 as uuid } from 'uuid';
import { Emitter } from '../../src/emitter/emitter.ts';
import { type AnswerStore, createAnswerStore } from '../../src/platform/sqlite/answer-store.ts';
import { type Database, openDatabase } from '../../src/platform/sqlite/database.ts';
import { createRuleStore, type RuleStore } from '../../src/platform/sqlite/rule-store.ts';
import { type Approvals, createApprovals, type RuleEvent } from '../../src/server/approval/approvals.ts';
import { createRules, type Rules } from '../../src/server/approval/rules.ts';
import { type Clock, createSystemClock } from '../../src/server/clock.ts';
import type { Sessions } from '../../src/server/sessions.ts';

/** Creates the real rules with sessions in memory and a database in memory. A session's id is its name. */
export function memoryRules(options: {
  home: string;
  userHome: string;
  sessions: Pick<Sessions, 'list'>;
  clock?: Pick<Clock, 'now'>;
  warn?: (fields: object, message: string) => void;
  /** if absent, a database of its own */
  database?: Database;
}): { desk: Rules; store: RuleStore; approvals: Approvals; answers: AnswerStore } {
  const {
    home,
    userHome,
    sessions,
    clock = createSystemClock(),
    warn = () => undefined,
    database = openDatabase(':memory:'),
  } = options;
  const store = createRuleStore(database);
  const answers = createAnswerStore(database);
  const events = new Emitter<[RuleEvent]>();
  const approvals = createApprovals({
    ...{ home, userHome, store, answers, clock, log: { warn } },
    onDecided: (id) => events.tell({ kind: 'decided', id }),
  });
  const named = () => sessions.list().map(({ slug, path }) => ({ id: slug, name: slug, path }));
  return {
    desk: createRules({
      ...{ approvals, store, clock, sessions: named, onEvent: events.on },
      onChange: async () => events.tell({ kind: 'changed' }),
    }),
    store,
    approvals,
    answers,
  };
}

/** Records a decision about a call in the session AUTH, as if a rule had made it. @returns its number */
export function addDecision(approvals: Approvals, decision: Partial<Parameters<Approvals['record']>[0]> = {}): number {
  const id = approvals.record({
    ...{ sessionId: 'AUTH', session: 'AUTH', asked: uuid(), decision: 'allow', rules: [], tool: 'Bash' },
    ...{ input: { command: 'npm test' }, place: { epoch: 0, offset: 3 }, seq: null },
    ...decision,
  });
  if (id === null) throw new Error('the question was decided before');
  return id;
}

/** Records a person's answer about a command in a folder outside any repository. */
export function addAnswer(
  approvals: Approvals,
  {
    session = 'AUTH',
    folder,
    command,
    said = 'yes',
    remark = null,
  }: {
    session?: string;
    folder: string;
    command: string;
    said?: 'yes' | 'no' | 'always';
    remark?: string | null;
  },
): void {
  const tool = { name: 'Bash', input: { command, description: 'Runs it' } };
  approvals.keepAnswer({
    ...{ session, folder, project: folder, tool, about: command },
    answer: { said, remark, chosen: [] },
  });
}
