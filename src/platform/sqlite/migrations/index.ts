import { sessions } from './01-sessions.ts';
import { stash } from './02-stash.ts';
import { jsonSessions } from './03-json-sessions.ts';
import { sessionDays } from './04-session-days.ts';
import { deliveryNotes } from './05-delivery-notes.ts';
import { droppedRecordings } from './06-dropped-recordings.ts';
import { answerKey } from './07-answer-key.ts';
import { clearedAt } from './08-cleared-at.ts';
import { orderOfDeliveries } from './09-order-of-deliveries.ts';
import { deliveryPhases } from './10-delivery-phases.ts';
import { removedSessions } from './11-removed-sessions.ts';
import { stoppedQueue } from './12-stopped-queue.ts';
import { typedInput } from './13-typed-input.ts';
import { senders } from './14-senders.ts';
import { onePhase } from './15-one-phase.ts';
import { attention } from './16-attention.ts';
import { parking } from './17-parking.ts';
import { rulesAndAudit } from './18-rules-and-audit.ts';
import { terminalCosts } from './19-terminal-costs.ts';
import { losses } from './20-losses.ts';
import { reviews } from './21-reviews.ts';
import { labels } from './22-labels.ts';
import { schedules } from './23-schedules.ts';
import { outbox } from './24-outbox.ts';
import { budgets } from './25-budgets.ts';
import { scheduledTexts } from './26-scheduled-texts.ts';
import { scheduledLaunches } from './27-scheduled-launches.ts';
import { answers } from './28-answers.ts';
import { triggers } from './29-triggers.ts';
import { answerMemory } from './30-answer-memory.ts';
import { trustedSetUps } from './31-trusted-set-ups.ts';
import { endedSessions } from './32-ended-sessions.ts';
import { reported } from './33-reported.ts';
import { shownDialogs } from './34-shown-dialogs.ts';
import { decidedClocks } from './35-decided-clocks.ts';

/**
 * The steps that create the database schema. A step that has been released is never changed; a new step is appended
 * instead.
 */
export const MIGRATIONS: readonly string[] = [
  sessions,
  stash,
  jsonSessions,
  sessionDays,
  deliveryNotes,
  droppedRecordings,
  answerKey,
  clearedAt,
  orderOfDeliveries,
  deliveryPhases,
  removedSessions,
  stoppedQueue,
  typedInput,
  senders,
  onePhase,
  attention,
  parking,
  rulesAndAudit,
  terminalCosts,
  losses,
  reviews,
  labels,
  schedules,
  outbox,
  budgets,
  scheduledTexts,
  scheduledLaunches,
  answers,
  triggers,
  answerMemory,
  trustedSetUps,
  endedSessions,
  reported,
  shownDialogs,
  decidedClocks,
];
