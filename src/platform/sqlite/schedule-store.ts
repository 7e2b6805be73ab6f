import { z } from 'zod';
import {
  ScheduleLaunch,
  ScheduleMissed,
  ScheduleOutcome,
  ScheduleReason,
  type ScheduleTriggeredBy,
} from '../../protocol/index.ts';
import { type Database, inTransaction } from './database.ts';
import { KeptStatements } from './kept-statements.ts';

/** A schedule. Times are in Unix milliseconds. */
export interface ScheduleRecord {
  id: string;
  name: string;
  cron: string;
  timezone: string;
  /** empty if each run launches a session of its own */
  sessionId: string;
  launch: ScheduleLaunch | null;
  prompt: string;
  missed: ScheduleMissed;
  isPaused: boolean;
  /** the time up to which all of the schedule's times have been decided, on the clock as `decidedClock` describes it */
  decidedUntil: number;
  /** how the clock was set at that moment: the boot of the machine, and the wall clock minus the monotonic one */
  decidedClock: { boot: string; offset_ms: number };
  createdAt: number;
}

/** What happened at one of a schedule's times. */
export interface RunRecord {
  scheduleId: string;
  dueAt: number;
  at: number;
  /** the session that receives the prompt; empty until that session has been launched */
  sessionId: string;
  /** the name of the session that this run launches, or null if it launches none */
  launches: string | null;
  /** the prompt, which is kept until its outcome is known */
  prompt: string | null;
  triggeredBy: ScheduleTriggeredBy;
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
    launch: z
      .string()
      .nullable()
      .transform((json) => (json === null ? null : ScheduleLaunch.parse(JSON.parse(json)))),
    prompt: z.string(),
    missed: ScheduleMissed,
    paused: flag,
    decided_until: z.number(),
    decided_boot: z.string(),
    decided_offset_ms: z.number(),
    created_at: z.number(),
  })
  .transform(
    ({ session_id, paused: isPaused, decided_until, decided_boot, decided_offset_ms, created_at, ...row }) => ({
      ...row,
      ...{ sessionId: session_id, isPaused, decidedUntil: decided_until, createdAt: created_at },
      decidedClock: { boot: decided_boot, offset_ms: decided_offset_ms },
    }),
  );

const RunRow = z
  .object({
    schedule_id: z.string(),
    due_at: z.number(),
    at: z.number(),
    session_id: z.string(),
    launches: z.string().nullable(),
    prompt: z.string().nullable(),
    by_hand: flag,
    by_webhook: flag,
    outcome: ScheduleOutcome,
    reason: ScheduleReason.nullable(),
    delivery_id: z.string().nullable(),
    error: z.string().nullable(),
  })
  .transform(
    ({ schedule_id, due_at, session_id, by_hand, by_webhook, delivery_id, ...row }): RunRecord => ({
      ...row,
      ...{ scheduleId: schedule_id, dueAt: due_at, sessionId: session_id, deliveryId: delivery_id },
      triggeredBy: by_webhook ? 'webhook' : by_hand ? 'person' : 'schedule',
    }),
  );

const TriggerRow = z
  .object({ schedule_id: z.string(), id: z.string(), secret: z.string(), created_at: z.number() })
  .transform(
    ({ schedule_id: scheduleId, created_at: createdAt, ...row }): TriggerRecord => ({ ...row, scheduleId, createdAt }),
  );

/**
 * How many runs of a schedule are kept. This covers more than two years of a daily schedule, or most of a day of a
 * schedule that runs every minute.
 */
const KEPT_RUNS = 1_000;

/** How a webhook starts the runs of a schedule. */
export interface TriggerRecord {
  scheduleId: string;
  /** the part of the webhook's address that no one can guess */
  id: string;
  secret: string;
  createdAt: number;
}

export type Decided = Pick<ScheduleRecord, 'decidedUntil' | 'decidedClock'>;

export interface ScheduleStore {
  add(schedule: ScheduleRecord): void;
  remove(id: string): void;
  pause(id: string, isPaused: boolean): void;
  /** Changes everything except the name and whether the schedule is paused. */
  change(schedule: ScheduleRecord): void;
  /** the schedules in the order in which they were added */
  all(): ScheduleRecord[];
  /**
   * Stores the decisions about times, and the time up to which decisions have been made. Either all of this takes
   * effect or none of it. An earlier decision about a time is never changed.
   * @returns the new runs
   */
  decide(id: string, decided: Decided, runs: readonly RunRecord[]): RunRecord[];
  /** Reports whether a run is on record for one of a schedule's times. */
  isDecided(id: string, dueAt: number): boolean;
  /** Replaces the trigger of a schedule, and forgets which requests were accepted with the old secret. */
  setTrigger(trigger: TriggerRecord): void;
  removeTrigger(scheduleId: string): void;
  triggers(): TriggerRecord[];
  /**
   * Stores a run that a webhook started, together with the key of the webhook's request. The run gets the first free
   * time from its `dueAt` onwards.
   * @returns null, without storing anything, if a request with the same key has already been accepted
   */
  accept(key: string, run: RunRecord): RunRecord | null;
  /** Stores the outcome of a run. */
  conclude(run: RunRecord): void;
  /** the runs of a schedule, in the order in which they were decided */
  runs(id: string): RunRecord[];
  lastRun(id: string): RunRecord | null;
  /** the last run that was neither skipped nor failed */
  lastSent(id: string): RunRecord | null;
  /** the runs that have begun and whose delivery has no known outcome, oldest first */
  begun(): RunRecord[];
}

const INSERT_RUN = `
  INSERT INTO schedule_runs 
    (schedule_id, due_at, at, session_id, launches, prompt, by_hand, by_webhook, outcome, reason, delivery_id, error)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING due_at`;

const INSERT_ACCEPTED = `
  INSERT INTO trigger_deliveries (schedule_id, key, at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING RETURNING key`;

const LAST_SENT = `
  SELECT * FROM schedule_runs WHERE schedule_id = ? AND outcome IN ('begun', 'sent') ORDER BY rowid DESC LIMIT 1`;

// The order is that of the decisions. If the clock was set back, the times of the newest runs are not the latest ones.
const FORGET_OLD = `
  DELETE FROM schedule_runs WHERE schedule_id = ?1 AND rowid <
    (SELECT rowid FROM schedule_runs WHERE schedule_id = ?1 ORDER BY rowid DESC LIMIT 1 OFFSET ${KEPT_RUNS - 1})`;

export function createScheduleStore(database: Database): ScheduleStore {
  const sql = new KeptStatements(database);
  /** @returns false if another run already has that time */
  const insertRun = (run: RunRecord): boolean => {
    const { scheduleId, dueAt, at, sessionId, launches, prompt, triggeredBy, outcome, reason, deliveryId, error } = run;
    const by = [triggeredBy === 'person' ? 1 : 0, triggeredBy === 'webhook' ? 1 : 0];
    const row = [scheduleId, dueAt, at, sessionId, launches, prompt, ...by, outcome, reason, deliveryId, error];
    return sql.all(INSERT_RUN, ...row).length > 0;
  };
  return {
    add: ({ id, name, cron, timezone, sessionId, launch, prompt, missed, isPaused, createdAt, ...decided }) =>
      void sql.run(
        `INSERT INTO schedules
           (id, name, cron, timezone, session_id, prompt, missed, paused, created_at, launch,
            decided_until, decided_boot, decided_offset_ms)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        ...[id, name, cron, timezone, sessionId, prompt, missed, isPaused ? 1 : 0, createdAt, toJson(launch)],
        ...columnsOf(decided),
      ),
    remove: (id) => void sql.run('DELETE FROM schedules WHERE id = ?', id),
    pause: (id, isPaused) => void sql.run('UPDATE schedules SET paused = ? WHERE id = ?', isPaused ? 1 : 0, id),
    change: ({ id, cron, timezone, sessionId, launch, prompt, missed, ...decided }) =>
      void sql.run(
        `UPDATE schedules SET cron = ?, timezone = ?, session_id = ?, launch = ?, prompt = ?, missed = ?,
         decided_until = ?, decided_boot = ?, decided_offset_ms = ? WHERE id = ?`,
        ...[cron, timezone, sessionId, toJson(launch), prompt, missed, ...columnsOf(decided), id],
      ),
    all: () => sql.all('SELECT * FROM schedules ORDER BY rowid').map((row) => ScheduleRow.parse(row)),
    decide: (id, decided, runs) =>
      inTransaction(database, () => {
        sql.run(
          'UPDATE schedules SET decided_until = ?, decided_boot = ?, decided_offset_ms = ? WHERE id = ?',
          ...[...columnsOf(decided), id],
        );
        const added = runs.filter(insertRun);
        if (added.length > 0) sql.run(FORGET_OLD, id);
        return added;
      }),
    isDecided: (id, dueAt) =>
      sql.get('SELECT 1 FROM schedule_runs WHERE schedule_id = ? AND due_at = ?', id, dueAt) !== undefined,
    setTrigger: ({ scheduleId, id, secret, createdAt }) =>
      inTransaction(database, () => {
        sql.run('DELETE FROM schedule_triggers WHERE schedule_id = ?', scheduleId);
        sql.run(
          'INSERT INTO schedule_triggers (schedule_id, id, secret, created_at) VALUES (?, ?, ?, ?)',
          ...[scheduleId, id, secret, createdAt],
        );
      }),
    removeTrigger: (id) => void sql.run('DELETE FROM schedule_triggers WHERE schedule_id = ?', id),
    triggers: () => sql.all('SELECT * FROM schedule_triggers').map((row) => TriggerRow.parse(row)),
    accept: (key, run) =>
      inTransaction(database, () => {
        if (sql.all(INSERT_ACCEPTED, run.scheduleId, key, run.at).length === 0) return null;
        let added = run;
        while (!insertRun(added)) added = { ...added, dueAt: added.dueAt + 1 };
        sql.run(FORGET_OLD, run.scheduleId);
        return added;
      }),
    conclude: ({ scheduleId, dueAt, sessionId, outcome, reason, deliveryId, error }) =>
      void sql.run(
        `UPDATE schedule_runs SET session_id = ?, outcome = ?, reason = ?, delivery_id = ?, error = ?, prompt = NULL
         WHERE schedule_id = ? AND due_at = ?`,
        ...[sessionId, outcome, reason, deliveryId, error, scheduleId, dueAt],
      ),
    runs: (id) =>
      sql.all('SELECT * FROM schedule_runs WHERE schedule_id = ? ORDER BY rowid', id).map((row) => RunRow.parse(row)),
    lastRun: (id) => {
      const row = sql.get('SELECT * FROM schedule_runs WHERE schedule_id = ? ORDER BY rowid DESC LIMIT 1', id);
      return row === undefined ? null : RunRow.parse(row);
    },
    lastSent: (id) => {
      const row = sql.get(LAST_SENT, id);
      return row === undefined ? null : RunRow.parse(row);
    },
    begun: () =>
      sql.all("SELECT * FROM schedule_runs WHERE outcome = 'begun' ORDER BY rowid").map((row) => RunRow.parse(row)),
  };
}

const columnsOf = ({ decidedUntil, decidedClock: { boot, offset_ms } }: Decided): (string | number)[] => [
  ...[decidedUntil, boot, offset_ms],
];

const toJson = (launch: ScheduleLaunch | null): string | null => (launch === null ? null : JSON.stringify(launch));
