import { recordingAt } from '../../core/recording/index.ts';
import type {
  ALWAYS_ROUTES,
  CATCHUP_ROUTES,
  KeptRecording,
  MEMORY_ROUTES,
  RULE_ROUTES,
  SCHEDULE_ROUTES,
  SINK_ROUTES,
} from '../../protocol/index.ts';
import { type AlwaysDesk, type AlwaysOptions, createAlwaysDesk } from '../approval/always-desk.ts';
import type { RulesDesk } from '../approval/rules-desk.ts';
import type { BudgetDesk } from '../budgets/budget-desk.ts';
import type { CatchupDesk } from '../catchup/catchup-desk.ts';
import type { MemoryDesk } from '../memory/memory-desk.ts';
import type { Scheduler } from '../schedules/scheduler.ts';
import type { Sinks } from '../sinks/sinks.ts';
import type { Handlers } from './handler-types.ts';

type UnattendedRoute =
  | keyof typeof RULE_ROUTES
  | keyof typeof ALWAYS_ROUTES
  | keyof typeof MEMORY_ROUTES
  | keyof typeof CATCHUP_ROUTES
  | keyof typeof SCHEDULE_ROUTES
  | keyof typeof SINK_ROUTES
  | 'listBudgets'
  | 'raiseBudget';

/**
 * Creates the handlers for everything that acts without a person or on a person's behalf: rules, answers, schedules,
 * sinks, and budgets.
 */
export function createUnattendedHandlers({
  rules,
  memory,
  catchup,
  schedules,
  sinks,
  budgets,
  sessions,
  olderRecordings,
}: {
  sessions: AlwaysOptions['sessions'];
  /** returns the older recordings under a name, which were moved aside when the session was restarted */
  olderRecordings(slug: string): Promise<KeptRecording[]>;
  rules: RulesDesk;
  memory: MemoryDesk;
  catchup: CatchupDesk;
  schedules: Scheduler;
  sinks: Sinks;
  budgets: BudgetDesk;
}): Pick<Handlers, UnattendedRoute> {
  return {
    ...createRuleHandlers(rules, olderRecordings),
    ...createAlwaysHandlers(createAlwaysDesk({ sessions, rules })),
    ...createMemoryHandlers(memory),
    catchup: ({ query }) => catchup.read(query.since ?? null),
    ...createScheduleHandlers(schedules),
    ...createSinkHandlers(sinks),
    ...createBudgetHandlers(budgets),
  };
}

function createRuleHandlers(
  rules: RulesDesk,
  olderRecordings: (slug: string) => Promise<KeptRecording[]>,
): Pick<Handlers, keyof typeof RULE_ROUTES> {
  return {
    listRules: ({ query }) => rules.list(query.folder),
    addRule: ({ body }) => rules.add(body),
    removeRule: ({ params }) => rules.remove(params.id),
    suggestRules: () => rules.suggest(),
    testRules: ({ body }) => rules.test(body),
    trustRules: ({ body }) => rules.trust(body),
    untrustRules: ({ body }) => rules.untrust(body.path),
    audit: ({ query }) => rules.audit(query),
    auditRecord: async ({ params }) => {
      const entry = rules.decision(params.id);
      const { listed, session, offset } = entry;
      if (listed === null || offset === null) return { ...entry, recording: null };
      // Older recordings keep their old name when a session is renamed.
      const kept = await Promise.all([...new Set([listed, session])].map(olderRecordings));
      return { ...entry, recording: recordingAt(kept.flat(), Date.parse(entry.at))?.recording ?? listed };
    },
  };
}

function createAlwaysHandlers(always: AlwaysDesk): Pick<Handlers, keyof typeof ALWAYS_ROUTES> {
  return {
    alwaysChoices: ({ params, query }) => always.choices(params.slug, query.question_id),
    allowByRule: ({ params, body }) => always.allow(params.slug, body),
  };
}

function createMemoryHandlers(memory: MemoryDesk): Pick<Handlers, keyof typeof MEMORY_ROUTES> {
  return {
    questionMemory: ({ params, query }) => memory.ofQuestion(params.slug, query.question_id),
    memory: ({ query }) => memory.list(query),
    forgetMemory: ({ query }) => memory.forget(query),
  };
}

function createSinkHandlers(sinks: Sinks): Pick<Handlers, keyof typeof SINK_ROUTES> {
  return {
    listSinks: () => sinks.list(),
    addSink: ({ body }) => sinks.add(body),
    removeSink: ({ params }) => sinks.remove(params.name),
    testSink: ({ params }) => sinks.test(params.name),
  };
}

function createScheduleHandlers(schedules: Scheduler): Pick<Handlers, keyof typeof SCHEDULE_ROUTES> {
  return {
    listSchedules: () => schedules.list(),
    addSchedule: ({ body }) => schedules.add(body),
    scheduleTimes: ({ query }) => schedules.times(query.cron, query.timezone),
    changeSchedule: ({ params, body }) => schedules.change(params.name, body),
    removeSchedule: ({ params }) => schedules.remove(params.name),
    pauseSchedule: ({ params }) => schedules.pause(params.name, true),
    resumeSchedule: ({ params }) => schedules.pause(params.name, false),
    runSchedule: ({ params }) => schedules.run(params.name),
    scheduleRuns: ({ params }) => schedules.runs(params.name),
    createTrigger: ({ params }) => schedules.createTrigger(params.name),
    removeTrigger: ({ params }) => schedules.removeTrigger(params.name),
    trigger: ({ params, request, from }) =>
      schedules.trigger(params.id, {
        header: (name) => request.headers.get(name),
        body: async () => new Uint8Array(await request.arrayBuffer()),
        from,
      }),
  };
}

function createBudgetHandlers(budgets: BudgetDesk): Pick<Handlers, 'listBudgets' | 'raiseBudget'> {
  return {
    listBudgets: () => budgets.list(),
    raiseBudget: ({ params, body }) => budgets.raise(params.name, body),
  };
}
