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
import { flag, json, Table } from './table.ts';

const Schedule = z.object({
  id: z.string(),
  name: z.string(),
  cron: z.string(),
  timezone: z.string(),
  /** empty if each run launches a session of its own */
  sessionId: z.string(),
  launch: json(ScheduleLaunch).nullable(),
  prompt: z.string(),
  missed: ScheduleMissed,
  isPaused: flag,
  /** the time up to which all of the schedule's times have been decided, on the clock as `decidedClock` describes it */
  decidedUntil: z.number(),
  decidedBoot: z.string(),
  decidedOffsetMs: z.number(),
  createdAt: z.number(),
});

/** A schedule. Times are in Unix milliseconds. */
export interface ScheduleRecord extends Omit<z.infer<typeof Schedule>, 'decidedBoot' | 'decidedOffsetMs'> {
  /** how the clock was set at that moment: the boot of the machine, and the wall clock minus the monotonic one */
  decidedClock: { boot: string; offset_ms: number };
}

const Run = z.object({
  scheduleId: z.string(),
  dueAt: z.number(),
  at: z.number(),
  /** the session that receives the prompt; empty until that session has been launched */
  sessionId: z.string(),
  /** the name of the session that this run launches, or null if it launches none */
  launches: z.string().nullable(),
  /** the prompt, which is kept until its outcome is known */
  prompt: z.string().nullable(),
  byHand: flag,
  byWebhook: flag,
  outcome: ScheduleOutcome,
  reason: ScheduleReason.nullable(),
  deliveryId: z.string().nullable(),
  error: z.string().nullable(),
});

/** What happened at one of a schedule's times. */
export interface RunRecord extends Omit<z.infer<typeof Run>, 'byHand' | 'byWebhook'> {
  triggeredBy: ScheduleTriggeredBy;
}

/** How a webhook starts the runs of a schedule. */
const TriggerRecord = z.object({
  scheduleId: z.string(),
  /** the part of the webhook's address that no one can guess */
  id: z.string(),
  secret: z.string(),
  createdAt: z.number(),
});
export type TriggerRecord = z.infer<typeof TriggerRecord>;

/**
 * How many runs of a schedule are kept. This covers more than two years of a daily schedule, or most of a day of a
 * schedule that runs every minute.
 */
const KEPT_RUNS = 1_000;

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

const INSERT_ACCEPTED = `
  INSERT INTO trigger_deliveries (schedule_id, key, at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING`;

// The order is that of the decisions. If the clock was set back, the times of the newest runs are not the latest ones.
const FORGET_OLD = `
  DELETE FROM schedule_runs WHERE schedule_id = ?1 AND rowid <
    (SELECT rowid FROM schedule_runs WHERE schedule_id = ?1 ORDER BY rowid DESC LIMIT 1 OFFSET ${KEPT_RUNS - 1})`;

export function createScheduleStore(database: Database): ScheduleStore {
  const sql = new KeptStatements(database);
  const schedules = new Table(sql, 'schedules', Schedule);
  const runs = new Table(sql, 'schedule_runs', Run);
  const triggers = new Table(sql, 'schedule_triggers', TriggerRecord);
  /** @returns false if another run already has that time */
  const insertRun = ({ triggeredBy, ...run }: RunRecord): boolean =>
    runs.insert(
      { ...run, byHand: triggeredBy === 'person', byWebhook: triggeredBy === 'webhook' },
      'ON CONFLICT DO NOTHING',
    );
  const runsOf = (which: string, ...values: string[]): RunRecord[] => runs.all(which, ...values).map(toRun);
  return {
    add: (schedule) => void schedules.insert({ ...schedule, ...toColumns(schedule) }),
    remove: (id) => void sql.run('DELETE FROM schedules WHERE id = ?', id),
    pause: (id, isPaused) => schedules.update(id, { isPaused }),
    change: ({ id, cron, timezone, sessionId, launch, prompt, missed, ...decided }) =>
      schedules.update(id, { cron, timezone, sessionId, launch, prompt, missed, ...toColumns(decided) }),
    all: () =>
      schedules.all('ORDER BY rowid').map(({ decidedBoot: boot, decidedOffsetMs: offset_ms, ...schedule }) => ({
        ...schedule,
        decidedClock: { boot, offset_ms },
      })),
    decide: (id, decided, given) =>
      inTransaction(database, () => {
        schedules.update(id, toColumns(decided));
        const added = given.filter(insertRun);
        if (added.length > 0) sql.run(FORGET_OLD, id);
        return added;
      }),
    isDecided: (id, dueAt) => runs.get('WHERE schedule_id = ? AND due_at = ?', id, dueAt) !== null,
    setTrigger: (trigger) =>
      inTransaction(database, () => {
        sql.run('DELETE FROM schedule_triggers WHERE schedule_id = ?', trigger.scheduleId);
        triggers.insert(trigger);
      }),
    removeTrigger: (id) => void sql.run('DELETE FROM schedule_triggers WHERE schedule_id = ?', id),
    triggers: () => triggers.all(''),
    accept: (key, run) =>
      inTransaction(database, () => {
        if (!sql.run(INSERT_ACCEPTED, run.scheduleId, key, run.at)) return null;
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
    runs: (id) => runsOf('WHERE schedule_id = ? ORDER BY rowid', id),
    lastRun: (id) => runsOf('WHERE schedule_id = ? ORDER BY rowid DESC LIMIT 1', id)[0] ?? null,
    lastSent: (id) =>
      runsOf("WHERE schedule_id = ? AND outcome IN ('begun', 'sent') ORDER BY rowid DESC LIMIT 1", id)[0] ?? null,
    begun: () => runsOf("WHERE outcome = 'begun' ORDER BY rowid"),
  };
}

const toColumns = ({ decidedUntil, decidedClock: { boot, offset_ms } }: Decided) => ({
  ...{ decidedUntil, decidedBoot: boot, decidedOffsetMs: offset_ms },
});

function toRun({ byHand, byWebhook, ...run }: z.infer<typeof Run>): RunRecord {
  return { ...run, triggeredBy: byWebhook ? 'webhook' : byHand ? 'person' : 'schedule' };
}
