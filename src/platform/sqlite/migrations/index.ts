import { sessions } from './01-sessions.ts';
import { stash } from './02-stash.ts';
import { jsonSessions } from './03-json-sessions.ts';
import { sessionDays } from './04-session-days.ts';
import { droppedRecordings } from './06-dropped-recordings.ts';
import { orderOfDeliveries } from './09-order-of-deliveries.ts';
import { deliveryPhases } from './10-delivery-phases.ts';
import { onePhase } from './15-one-phase.ts';
import { attention } from './16-attention.ts';
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
import { decidedClocks } from './35-decided-clocks.ts';

/**
 * The steps that create the database schema, in order. A step that has been released is never changed; a new step is
 * appended instead.
 */
export const MIGRATIONS: readonly string[] = [
  sessions,
  stash,
  jsonSessions,
  sessionDays,
  'ALTER TABLE deliveries ADD COLUMN note TEXT;',
  droppedRecordings,
  'ALTER TABLE sessions ADD COLUMN answer_key TEXT;',
  'ALTER TABLE sessions ADD COLUMN cleared_at REAL;',
  orderOfDeliveries,
  deliveryPhases,
  'ALTER TABLE sessions ADD COLUMN removed_at REAL;',
  'ALTER TABLE sessions ADD COLUMN queue_stopped_at REAL;',
  'ALTER TABLE sessions ADD COLUMN typed TEXT;',
  // The session inside which a text was sent; null: by a person.
  'ALTER TABLE deliveries ADD COLUMN sender TEXT;',
  onePhase,
  attention,
  'ALTER TABLE sessions ADD COLUMN parked_at REAL;',
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
  'ALTER TABLE sessions ADD COLUMN ended TEXT;',
  // What Claude Code has reported about a session's conversation and about the folder in which it works (JSON).
  'ALTER TABLE sessions ADD COLUMN reported TEXT;',
  // The dialogs that were shown as questions, with their ids (JSON), so that a restarted server knows these ids.
  'ALTER TABLE sessions ADD COLUMN shown TEXT;',
  decidedClocks,
];
