import { z } from 'zod';
import { ScheduleMissed, ScheduleOutcome, ScheduleReason } from '../../protocol/index.ts';
import { type Database, inTransaction } from './database.ts';
import { KeptStatements } from './kept-statements.ts';

/** A schedule. Times are Unix milliseconds. */
export interface ScheduleRecord {
  id: string;
  name: string;
  cron: string;
  timezone: string;
  sessionId: string;
  prompt: string;
  missed: ScheduleMissed;
  isPaused: boolean;
  /** up to when its times were decided about */
  decidedUntil: number;
  createdAt: number;
}

/** What became of one time of a schedule. */
export interface RunRecord {
  scheduleId: string;
  dueAt: number;
  at: number;
  isByHand: boolean;
  outcome: ScheduleOutcome;
  reason: ScheduleReason | null;
  deliveryId: string | null;
  error: string | null;
}

const flag = z.number().transform((value) => value === 1);

const ScheduleRow = z
  .object({
    id: z.string(),
    name: z.string(),
    cron: z.string(),
    timezone: z.string(),
    session_id: z.string(),
    prompt: z.string(),
    missed: ScheduleMissed,
    paused: flag,
    decided_until: z.number(),
    created_at: z.number(),
  })
  .transform(
    ({ session_id: sessionId, paused: isPaused, decided_until: decidedUntil, created_at: createdAt, ...row }) => ({
      ...row,
      ...{ sessionId, isPaused, decidedUntil, createdAt },
    }),
  );

const RunRow = z
  .object({
    schedule_id: z.string(),
    due_at: z.number(),
    at: z.number(),
    by_hand: flag,
    outcome: ScheduleOutcome,
    reason: ScheduleReason.nullable(),
    delivery_id: z.string().nullable(),
    error: z.string().nullable(),
  })
  .transform(
    ({ schedule_id: scheduleId, due_at: dueAt, by_hand: isByHand, delivery_id: deliveryId, ...row }): RunRecord => ({
      ...row,
      ...{ scheduleId, dueAt, isByHand, deliveryId },
    }),
  );

/** How many runs of a schedule are kept: two years of a daily one, most of a day of one by the minute. */
const KEPT_RUNS = 1_000;

export interface ScheduleStore {
  add(schedule: ScheduleRecord): void;
  remove(id: string): void;
  pause(id: string, isPaused: boolean): void;
  /** in the order in which they were added */
  all(): ScheduleRecord[];
  /**
   * Writes down what was decided about times, and up to when. Either all of it takes effect or nothing. A time that was
   * decided about before stays as it was.
   * @returns the runs that are new
   */
  decide(id: string, decidedUntil: number, runs: readonly RunRecord[]): RunRecord[];
  /** Changes what became of a run. */
  conclude(run: RunRecord): void;
  /** oldest first */
  runs(id: string): RunRecord[];
  lastRun(id: string): RunRecord | null;
  /** the last run that was not skipped and did not fail */
  lastSent(id: string): RunRecord | null;
  /** the runs that were begun and of whose text nothing is known, oldest first */
  begun(): RunRecord[];
}

const INSERT_RUN = `
  INSERT INTO schedule_runs (schedule_id, due_at, at, by_hand, outcome, reason, delivery_id, error)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING due_at`;

const LAST_SENT = `
  SELECT * FROM schedule_runs WHERE schedule_id = ? AND outcome IN ('begun', 'sent') ORDER BY due_at DESC LIMIT 1`;

const FORGET_OLD = `
  DELETE FROM schedule_runs WHERE schedule_id = ?1 AND due_at <
    (SELECT due_at FROM schedule_runs WHERE schedule_id = ?1 ORDER BY due_at DESC LIMIT 1 OFFSET ${KEPT_RUNS - 1})`;

export function createScheduleStore(database: Database): ScheduleStore {
  const sql = new KeptStatements(database);
  return {
    add: ({ id, name, cron, timezone, sessionId, prompt, missed, isPaused, decidedUntil, createdAt }) =>
      void sql.run(
        'INSERT INTO schedules VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
        ...[id, name, cron, timezone, sessionId, prompt, missed, isPaused ? 1 : 0, decidedUntil, createdAt],
      ),
    remove: (id) => void sql.run('DELETE FROM schedules WHERE id = ?', id),
    pause: (id, isPaused) => void sql.run('UPDATE schedules SET paused = ? WHERE id = ?', isPaused ? 1 : 0, id),
    all: () => sql.all('SELECT * FROM schedules ORDER BY rowid').map((row) => ScheduleRow.parse(row)),
    decide: (id, decidedUntil, runs) =>
      inTransaction(database, () => {
        sql.run('UPDATE schedules SET decided_until = max(decided_until, ?) WHERE id = ?', decidedUntil, id);
        const added = runs.filter(
          ({ dueAt, at, isByHand, outcome, reason, deliveryId, error }) =>
            sql.all(INSERT_RUN, id, dueAt, at, isByHand ? 1 : 0, outcome, reason, deliveryId, error).length > 0,
        );
        if (added.length > 0) sql.run(FORGET_OLD, id);
        return added;
      }),
    conclude: ({ scheduleId, dueAt, outcome, reason, deliveryId, error }) =>
      void sql.run(
        'UPDATE schedule_runs SET outcome = ?, reason = ?, delivery_id = ?, error = ? WHERE schedule_id = ? AND due_at = ?',
        ...[outcome, reason, deliveryId, error, scheduleId, dueAt],
      ),
    runs: (id) =>
      sql.all('SELECT * FROM schedule_runs WHERE schedule_id = ? ORDER BY due_at', id).map((row) => RunRow.parse(row)),
    lastRun: (id) => {
      const row = sql.get('SELECT * FROM schedule_runs WHERE schedule_id = ? ORDER BY due_at DESC LIMIT 1', id);
      return row === undefined ? null : RunRow.parse(row);
    },
    lastSent: (id) => {
      const row = sql.get(LAST_SENT, id);
      return row === undefined ? null : RunRow.parse(row);
    },
    begun: () =>
      sql.all("SELECT * FROM schedule_runs WHERE outcome = 'begun' ORDER BY due_at").map((row) => RunRow.parse(row)),
  };
}
