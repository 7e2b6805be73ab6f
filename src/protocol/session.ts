import { z } from 'zod';
import { ATTENTIONS } from './attention.ts';
import { ContextWindow } from './figures.ts';
import { RateLimit } from './json-session.ts';
import { KEPT_LABELS } from './labels.ts';
import { Loss } from './restore.ts';
import { KEPT_ATTENTION } from './snooze.ts';
import { State, Status } from './status.ts';
import { SessionType, Timestamp } from './words.ts';
import { Worktree } from './worktree.ts';

export const JsonState = z.enum(['idle', 'running', 'waiting_permission', 'complete', 'error']);
export type JsonState = z.infer<typeof JsonState>;

/**
 * Why a session is not recorded at the moment. `disk`: nothing can be written, and nothing of the session is seen.
 * `removed`: its files were deleted or moved away, and no others could be created yet.
 */
export const RecordingStop = z.enum(['disk', 'removed']);
export type RecordingStop = z.infer<typeof RecordingStop>;

/** A session as every face shows it. */
export const Session = z
  .object({
    slug: z.string(),
    path: z.string().nullable(),
    type: SessionType,
    screen_id: z.string().nullable().meta({ description: 'PID.NAME of the Screen session' }),
    pid: z.int().nullable().meta({ description: "Claude Code's process" }),
    attached: z.boolean().nullable(),
    adopted: z
      .boolean()
      .meta({ description: 'false: started by something else and only observed, until it is adopted' }),
    state: State,
    status: Status,
    created_at: Timestamp.nullable(),
    last_activity: Timestamp.nullable(),
    last_question: z.string().nullable(),
    buffer_tail: z.string().nullable().meta({ description: 'The last lines on its screen' }),
    claude_session_id: z.string().nullable(),
    permission_mode: z.string().nullable(),
    model: z.string().nullable(),
    cost_usd: z.number().nullable().meta({
      description:
        'JSON sessions: of all turns. Sessions in a terminal: as Claude Code last reported it to the status line, since its start',
    }),
    context: ContextWindow.nullable().meta({
      description: 'Sessions in a terminal: how full the context window is; null where nothing reports it',
    }),
    effort: z.string().nullable().meta({ description: 'Sessions in a terminal: low, medium, high, …' }),
    lines_added: z.int().nullable().meta({ description: 'Sessions in a terminal: since the start of Claude Code' }),
    lines_removed: z.int().nullable(),
    cols: z.int().nullable(),
    rows: z.int().nullable(),
    json_state: JsonState.nullable(),
    max_budget_usd: z.number().nullable().meta({ description: 'What a JSON session may cost at most' }),
    rate_limit: RateLimit.nullable(),
    recording_stopped_at: Timestamp.nullable().meta({
      description: 'Since when what it shows is not recorded; null while it is',
    }),
    undrawn_since: Timestamp.optional().meta({
      description:
        'Since when what it writes is not drawn, for that took too long: its screen is empty here, and its status comes from its hooks and its process alone',
    }),
    brought_back: z.boolean().meta({
      description:
        'The database lacked it when the server started, and it was found again by its processes and files: what it did before is not known',
    }),
    recording_stopped_because: RecordingStop.nullable().meta({
      description: 'Why it is not recorded: nothing can be written (`disk`), or its files were removed (`removed`)',
    }),
    worktree: Worktree.optional().meta({ description: 'Its git worktree, where CBOS made one for it' }),
    screen_prompt_at: Timestamp.nullable().meta({
      description:
        "When something was to be typed and Screen itself had the keys: somebody at the terminal had copy mode or one of Screen's prompts open. null where nothing is known of one",
    }),
    parked_at: Timestamp.nullable().meta({
      description:
        'Since when CBOS has parked it: its process has ended to give its memory back, and a text, `wake` or `attach` brings the conversation back; null while it is not parked',
    }),
    lost: Loss.optional().meta({
      description:
        'How it was lost: its processes are gone, and nobody ended it; `POST /restore` brings it back. Absent for every other session',
    }),
    queue_stopped_at: Timestamp.nullable().meta({
      description:
        'Since when an interrupt keeps the queued texts and stashed replies of this session from being sent; null while they may go, and where none waits',
    }),
    ...KEPT_ATTENTION,
    ...KEPT_LABELS,
  })
  .meta({ id: 'Session' });
export type Session = z.infer<typeof Session>;

export const StatusCounts = z
  .object({
    total: z.int(),
    by_state: z.record(State, z.int()),
    by_attention: z.record(z.enum(ATTENTIONS), z.int()).meta({
      description: 'What the sessions want of their person, as every list counts it',
    }),
    unread: z.int().meta({ description: 'How many are unread, snoozed ones aside' }),
  })
  .meta({ id: 'StatusCounts' });
export type StatusCounts = z.infer<typeof StatusCounts>;

/** A change of status, as the history keeps it. */
export const StatusChange = z
  .object({
    at: Timestamp,
    primary: Status.shape.primary,
    detail: Status.shape.detail,
    state: State,
    health: Status.shape.health,
    because: Status.shape.because,
  })
  .meta({ id: 'StatusChange' });
export type StatusChange = z.infer<typeof StatusChange>;

export const ServerHealth = z
  .object({ status: z.literal('ok'), version: z.string(), uptime_ms: z.number(), sessions: z.int() })
  .meta({ id: 'ServerHealth' });

export const Buffer = z
  .object({
    buffer: z.string(),
    lines: z.int(),
    cols: z.int(),
    rows: z.int(),
    offset: z.int().meta({ description: "Byte position in the recording's file that this shows" }),
  })
  .meta({ id: 'Buffer' });
export type Buffer = z.infer<typeof Buffer>;
