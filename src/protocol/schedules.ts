import { z } from 'zod';
import { DeliveryStatus } from './delivery.ts';
import { Tags } from './labels.ts';
import { SLUG_PATTERN } from './names.ts';
import { PermissionMode, SessionType, Timestamp } from './words.ts';
import { GitName } from './worktree.ts';

/** What to do about a run whose time passed while no server was running or while the machine was asleep. */
export const ScheduleMissed = z.enum(['skip', 'run']);
export type ScheduleMissed = z.infer<typeof ScheduleMissed>;

/** The outcome of a run. `begun` means that the run was recorded, but the outcome of its prompt is not known yet. */
export const ScheduleOutcome = z.enum(['begun', 'sent', 'skipped', 'failed']);
export type ScheduleOutcome = z.infer<typeof ScheduleOutcome>;

/**
 * Why a run was skipped. `missed`: its time had passed. `overlapping`: the previous run's prompt was still waiting.
 * `working`: the session that the previous run launched was still working or asking something. `paused`: the schedule
 * was paused. `over_budget`: a budget had been used up. `refused`: the session did not accept the prompt.
 */
export const ScheduleReason = z.enum(['missed', 'overlapping', 'working', 'paused', 'over_budget', 'refused']);
export type ScheduleReason = z.infer<typeof ScheduleReason>;

/** What started a run: one of the schedule's times, a request from the user, or a webhook. */
export const ScheduleTriggeredBy = z.enum(['schedule', 'person', 'webhook']);
export type ScheduleTriggeredBy = z.infer<typeof ScheduleTriggeredBy>;

/** A schedule's name follows the rules for session names. */
const ScheduleName = z.string().regex(SLUG_PATTERN, 'a name is 1 to 64 letters, digits, - and _');

const LONGEST_PATTERN = 200;
const LONGEST_ZONE = 64;
const LONGEST_PROMPT = 100_000;

const Pattern = z.string().min(1).max(LONGEST_PATTERN).meta({
  description:
    'Minute, hour, day of the month, month, day of the week: `0 7 * * 1-5`; `never`: only by hand or webhook',
});
const Zone = z.string().min(1).max(LONGEST_ZONE);
const SessionName = z.string().max(LONGEST_ZONE).meta({
  description: 'The session that gets the prompt, even if it is renamed',
});
const Prompt = z.string().min(1).max(LONGEST_PROMPT);

/** What happens if a run is due while the previous run's session is still working or asking something. */
export const ScheduleOverlap = z.enum(['skip', 'launch']);
export type ScheduleOverlap = z.infer<typeof ScheduleOverlap>;

/** The name is shorter than the 64 characters of a session name, because a number is appended to it. */
const LONGEST_BASE = 56;
const MOST_KEPT = 1_000;

/** The new session that a schedule launches for each run. */
export const ScheduleLaunch = z
  .strictObject({
    name: ScheduleName.max(LONGEST_BASE).meta({ description: 'The sessions are called `NAME-1`, `NAME-2`, …' }),
    path: z.string().min(1),
    type: SessionType.optional(),
    model: z.string().min(1).optional(),
    permission_mode: PermissionMode.optional(),
    worktree: z
      .strictObject({ from: GitName.optional() })
      .optional()
      .meta({ description: 'Each session works in its own git worktree, on a new branch named after the session' }),
    tags: Tags.optional(),
    args: z.array(z.string()).optional(),
    max_budget_usd: z
      .number()
      .positive()
      .optional()
      .meta({ description: 'JSON sessions only: the most that each one may cost' }),
    overlap: ScheduleOverlap.optional().meta({
      description:
        '`skip` (default): no run while the session of the previous run is working or asking; `launch`: launch another session',
    }),
    keep: z.int().min(1).max(MOST_KEPT).optional().meta({
      description:
        "How many of the schedule's sessions stay listed; older ones that are done are parked and archived. Default: all",
    }),
  })
  .meta({ id: 'ScheduleLaunch' });
export type ScheduleLaunch = z.infer<typeof ScheduleLaunch>;

export const NewSchedule = z
  .strictObject({
    name: ScheduleName,
    cron: Pattern,
    timezone: Zone.optional().meta({
      description: "A name such as `Europe/Berlin`; default: the time zone of the server's machine",
    }),
    session: SessionName.optional(),
    launch: ScheduleLaunch.optional(),
    prompt: Prompt,
    missed: ScheduleMissed.optional().meta({
      description: '`run`: make up for the last missed run, once; `skip` (default): do not',
    }),
  })
  .refine(({ session, launch }) => (session === undefined) !== (launch === undefined), {
    error: 'needs exactly one of session and launch',
  })
  .meta({ id: 'NewSchedule' });
export type NewSchedule = z.infer<typeof NewSchedule>;

/** The fields of a schedule to change. Fields that are missing keep their values. */
export const ScheduleChange = z
  .strictObject({
    cron: Pattern.optional(),
    timezone: Zone.optional(),
    session: SessionName.optional(),
    launch: ScheduleLaunch.optional(),
    prompt: Prompt.optional(),
    missed: ScheduleMissed.optional(),
  })
  .refine(({ session, launch }) => session === undefined || launch === undefined, {
    error: 'takes either session or launch',
  })
  .meta({ id: 'ScheduleChange' });
export type ScheduleChange = z.infer<typeof ScheduleChange>;

/** The next times of a schedule, which the user sees before saving it. */
export const ScheduleTimesQuery = z.strictObject({ cron: Pattern, timezone: Zone.optional() });

export const NextTimes = z
  .object({
    timezone: z.string().meta({ description: 'The time zone in which the pattern was interpreted' }),
    times: z.array(Timestamp).meta({ description: 'The next five times, or fewer if no more can match' }),
  })
  .meta({ id: 'NextTimes' });
export type NextTimes = z.infer<typeof NextTimes>;

export const ScheduleRun = z
  .object({
    due_at: Timestamp.meta({
      description: 'The scheduled time; for a run by hand or by webhook, the time of the request',
    }),
    at: Timestamp.meta({ description: 'When the outcome was decided' }),
    outcome: ScheduleOutcome,
    reason: ScheduleReason.nullable(),
    by_hand: z.boolean().meta({ description: 'Whether a person started the run' }),
    triggered_by: ScheduleTriggeredBy,
    session: z
      .string()
      .nullable()
      .meta({ description: 'The session that got the prompt; null if there was none, or if it was deleted' }),
    delivery_id: z.string().nullable().meta({ description: "The delivery of the run's prompt" }),
    delivery_status: DeliveryStatus.nullable().meta({ description: 'How far the prompt has got; null if unknown' }),
    taken_at: Timestamp.nullable().meta({
      description: 'When Claude Code received the prompt, which is where the run begins in the recording',
    }),
    cost_usd: z.number().nullable().meta({
      description:
        "What the run's session has cost so far; null if the run launched no session, or if the cost is unknown",
    }),
    error: z.string().nullable(),
  })
  .meta({ id: 'ScheduleRun' });
export type ScheduleRun = z.infer<typeof ScheduleRun>;

/** The address to which another program posts in order to start a run. */
export const ScheduleTrigger = z
  .object({ url: z.string(), created_at: Timestamp })
  .meta({ id: 'ScheduleTrigger', description: 'The address that accepts signed requests to start a run' });
export type ScheduleTrigger = z.infer<typeof ScheduleTrigger>;

/** A trigger together with its secret, which is shown only once. */
export const NewTrigger = ScheduleTrigger.extend({
  secret: z.string().meta({ description: 'The secret that signs the requests. It is returned only here' }),
}).meta({ id: 'NewTrigger' });
export type NewTrigger = z.infer<typeof NewTrigger>;

/**
 * The response to a webhook. It reveals nothing about the schedule, because the sender is only allowed to trigger the
 * schedule.
 */
export const TriggerAnswer = z
  .object({
    status: z.enum(['accepted', 'repeated', 'ignored']).meta({
      description:
        '`accepted`: recorded, and run unless the schedule skips it; `repeated`: already accepted before, so nothing happens; `ignored`: a ping from GitHub',
    }),
  })
  .meta({ id: 'TriggerAnswer' });
export type TriggerAnswer = z.infer<typeof TriggerAnswer>;

export const Schedule = z
  .object({
    name: z.string(),
    cron: z.string(),
    timezone: z.string(),
    session: z
      .string()
      .nullable()
      .meta({ description: 'null if the session was deleted, or if each run launches a new one' }),
    launch: ScheduleLaunch.nullable(),
    prompt: z.string(),
    missed: ScheduleMissed,
    paused: z.boolean(),
    created_at: Timestamp,
    next_at: Timestamp.nullable().meta({
      description: 'null while the schedule is paused, or if no future time matches',
    }),
    last_run: ScheduleRun.nullable(),
    trigger: ScheduleTrigger.nullable().meta({ description: 'null if no webhook can start a run' }),
  })
  .meta({ id: 'Schedule' });
export type Schedule = z.infer<typeof Schedule>;
