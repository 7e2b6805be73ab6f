import { completeFolder } from '../platform/files/complete-folder.ts';
import { createAlwaysAnswers } from './approval/always-answers.ts';
import { createAlwaysHandlers, createRuleHandlers } from './approval/handlers.ts';
import type { Rules } from './approval/rules.ts';
import { createSignInHandlers, type SignInOptions } from './auth/handlers.ts';
import type { BudgetList } from './budgets/budget-list.ts';
import { createBudgetHandlers } from './budgets/handlers.ts';
import type { CatchupReader } from './catchup/catchup-reader.ts';
import type { SessionChanges } from './changes/session-changes.ts';
import type { Clock } from './clock.ts';
import { createFileHandlers } from './files/handlers.ts';
import type { SessionFiles } from './files/session-files.ts';
import type { Handlers } from './handlers.ts';
import type { Fleet } from './machines/fleet.ts';
import { createMachineHandlers } from './machines/handlers.ts';
import { createMemoryHandlers } from './memory/handlers.ts';
import type { PastAnswers } from './memory/past-answers.ts';
import { createPushHandlers } from './push/handlers.ts';
import type { Push } from './push/push.ts';
import { createRecordingHandlers, type RecordingOptions } from './replay/handlers.ts';
import { createOlderRecordings } from './replay/older-recordings.ts';
import { createReviewHandlers } from './review/handlers.ts';
import type { Reviews } from './review/reviews.ts';
import { createScheduleHandlers } from './schedules/handlers.ts';
import type { Scheduler } from './schedules/scheduler.ts';
import { createPastHandlers, createTextHandlers } from './session/handlers.ts';
import { createSessionHandlers } from './sessions/handlers.ts';
import type { Sessions } from './sessions.ts';
import { createSinkHandlers } from './sinks/handlers.ts';
import type { Sinks } from './sinks/sinks.ts';
import { readTerminalPart } from './stream/terminal-part.ts';
import type { Checkpoints } from './turns/checkpoints.ts';
import { createChangesHandlers } from './turns/handlers.ts';
import { createViewHandlers } from './views/handlers.ts';
import type { SavedViews } from './views/saved-views.ts';
import { createWorktreeHandlers } from './worktrees/handlers.ts';
import type { PullRequests } from './worktrees/pull-requests.ts';
import type { Worktrees } from './worktrees/worktrees.ts';

export interface HandlerOptions extends SignInOptions, RecordingOptions {
  push: Push;
  sessions: Sessions;
  files: SessionFiles;
  /** the changes that sessions have made in their repositories */
  changes: SessionChanges;
  turns: Checkpoints;
  worktrees: Worktrees;
  pullRequests: PullRequests;
  reviews: Reviews;
  rules: Rules;
  memory: PastAnswers;
  catchup: CatchupReader;
  schedules: Scheduler;
  views: SavedViews;
  sinks: Sinks;
  budgets: BudgetList;
  /** the other machines in the fleet */
  machines: Fleet;
  clock: Pick<Clock, 'after'>;
  /** the directory that `~` stands for in a path that a user types */
  userHome: string;
  /** Unix milliseconds */
  startedAt: number;
}

/** Returns the handler of each route. Each feature creates its own. */
export function createHandlers(options: HandlerOptions): Handlers {
  const { sessions, files, rules, version, startedAt, now } = options;
  const older = createOlderRecordings(options).list;
  return {
    health: () => ({
      ...{ status: 'ok', version, uptime_ms: now() - startedAt, sessions: sessions.list().length },
      max_file_size: files.mostBytes,
    }),
    ...createSignInHandlers(options),
    ...createPushHandlers(options.push),
    ...createSessionHandlers(sessions),
    ...createTextHandlers(sessions),
    ...createPastHandlers(sessions),
    ...createFileHandlers(files),
    ...createRecordingHandlers(options),
    ...createChangesHandlers(options),
    ...createReviewHandlers(options.reviews),
    ...createWorktreeHandlers(options),
    ...createMachineHandlers(options.machines),
    ...createRuleHandlers(rules, older),
    ...createAlwaysHandlers(createAlwaysAnswers({ sessions, rules })),
    ...createMemoryHandlers(options.memory),
    ...createScheduleHandlers(options.schedules),
    ...createSinkHandlers(options.sinks),
    ...createBudgetHandlers(options.budgets),
    ...createViewHandlers(options.views),
    catchup: ({ query }) => options.catchup.read(query.since ?? null),
    terminal: ({ params, query }) => readTerminalPart(sessions, { slug: params.slug, query, clock: options.clock }),
    completeFolder: async ({ query }) => ({ folders: await completeFolder(query.path ?? '', options.userHome) }),
  };
}
