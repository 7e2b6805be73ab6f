import { z } from 'zod';
import { SLUG_PATTERN } from './names.ts';
import { Timestamp } from './words.ts';

/** What becomes of a run whose time passed while no server ran or the machine slept. */
export const ScheduleMissed = z.enum(['skip', 'run']);
export type ScheduleMissed = z.infer<typeof ScheduleMissed>;

/** `begun`: written down, and nothing is known of its text yet. */
export const ScheduleOutcome = z.enum(['begun', 'sent', 'skipped', 'failed']);
export type ScheduleOutcome = z.infer<typeof ScheduleOutcome>;

/**
 * Why a run was skipped: its time had passed (`missed`), the text of the run before still waits (`overlapping`), the
 * schedule was paused (`paused`), or the session took no text (`refused`).
 */
export const ScheduleReason = z.enum(['missed', 'overlapping', 'paused', 'refused']);
export type ScheduleReason = z.infer<typeof ScheduleReason>;

/** A schedule is called by the rules for a session. */
const ScheduleName = z.string().regex(SLUG_PATTERN, 'a name is 1 to 64 letters, digits, - and _');

const LONGEST_PATTERN = 200;
const LONGEST_ZONE = 64;
const LONGEST_PROMPT = 100_000;

export const NewSchedule = z
  .strictObject({
    name: ScheduleName,
    cron: z.string().min(1).max(LONGEST_PATTERN).meta({
      description: 'Minute, hour, day of the month, month, day of the week: `0 7 * * 1-5`',
    }),
    timezone: z.string().min(1).max(LONGEST_ZONE).optional().meta({
      description: "A name such as `Europe/Berlin`; left out: that of the server's machine",
    }),
    session: z
      .string()
      .max(LONGEST_ZONE)
      .meta({ description: 'The session that gets the prompt, under whatever name it has by then' }),
    prompt: z.string().min(1).max(LONGEST_PROMPT),
    missed: ScheduleMissed.optional().meta({
      description: '`run`: the last time that was missed is made up for, once; `skip` (default): it is not',
    }),
  })
  .meta({ id: 'NewSchedule' });
export type NewSchedule = z.infer<typeof NewSchedule>;

export const ScheduleRun = z
  .object({
    due_at: Timestamp.meta({ description: 'The time of the schedule; of a run by hand, when it was asked for' }),
    at: Timestamp.meta({ description: 'When it was decided' }),
    outcome: ScheduleOutcome,
    reason: ScheduleReason.nullable(),
    by_hand: z.boolean(),
    delivery_id: z.string().nullable().meta({ description: 'The delivery of its prompt' }),
    error: z.string().nullable(),
  })
  .meta({ id: 'ScheduleRun' });
export type ScheduleRun = z.infer<typeof ScheduleRun>;

export const Schedule = z
  .object({
    name: z.string(),
    cron: z.string(),
    timezone: z.string(),
    session: z.string().nullable().meta({ description: 'null: it was deleted' }),
    prompt: z.string(),
    missed: ScheduleMissed,
    paused: z.boolean(),
    created_at: Timestamp,
    next_at: Timestamp.nullable().meta({ description: 'null while it is paused, or if no time matches' }),
    last_run: ScheduleRun.nullable(),
  })
  .meta({ id: 'Schedule' });
export type Schedule = z.infer<typeof Schedule>;
