import { z } from 'zod';
import { OverBudget } from './budgets.ts';
import { ChangeCounts } from './changes.ts';
import { ContextWindow } from './figures.ts';
import { RateLimit } from './json-session.ts';
import { KEPT_LABELS } from './labels.ts';
import { Loss } from './restore.ts';
import { SessionEnd } from './session-end.ts';
import { KEPT_ATTENTION } from './snooze.ts';
import { State, Status } from './status.ts';
import { ATTENTIONS } from './status-words.ts';
import { SessionType, Timestamp } from './words.ts';
import { Worktree } from './worktree.ts';

export const JsonState = z.enum(['idle', 'running', 'waiting_permission', 'complete', 'error']);
export type JsonState = z.infer<typeof JsonState>;

/**
 * Why a session is currently not being recorded. `disk`: nothing can be written, so CBOS cannot see the session's
 * output. `removed`: the recording's files were deleted or moved, and new ones could not be created yet.
 */
export const RecordingStop = z.enum(['disk', 'removed']);
export type RecordingStop = z.infer<typeof RecordingStop>;

/** A session, as all faces show it. */
export const Session = z
  .object({
    slug: z.string(),
    path: z.string().nullable(),
    place: z.string().optional().meta({
      description:
        'The folder in which the session works now, if the model, `/cd` or `--worktree` has moved it out of its `path`, where it starts. Branch, changes, files and rules are those of this folder',
    }),
    type: SessionType,
    screen_id: z.string().nullable().meta({ description: 'PID.NAME of the Screen session' }),
    pid: z.int().nullable().meta({ description: "Claude Code's process" }),
    attached: z.boolean().nullable(),
    adopted: z.boolean().meta({
      description: 'false if another program started the session, which CBOS only observes until it is adopted',
    }),
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
        'JSON sessions: the cost of all turns. Sessions in a terminal: the cost since Claude Code started, as last reported to the status line',
    }),
    context: ContextWindow.nullable().meta({
      description: 'Sessions in a terminal: how full the context window is; null if no source reports it',
    }),
    effort: z.string().nullable().meta({ description: 'Sessions in a terminal: low, medium, high, …' }),
    lines_added: z.int().nullable().meta({ description: 'Sessions in a terminal: since the start of Claude Code' }),
    lines_removed: z.int().nullable(),
    cols: z.int().nullable(),
    rows: z.int().nullable(),
    json_state: JsonState.nullable(),
    max_budget_usd: z.number().nullable().meta({ description: 'The most that a JSON session may cost' }),
    rate_limit: RateLimit.nullable(),
    limit_over_at: Timestamp.optional().meta({
      description:
        "When the usage limit that stopped the session's last turn ended; `POST /sessions/{slug}/continue` continues the session. Absent if nobody needs to continue it",
    }),
    recording_stopped_at: Timestamp.nullable().meta({
      description: "When CBOS stopped recording the session's output; null while the output is recorded",
    }),
    undrawn_since: Timestamp.optional().meta({
      description:
        "When CBOS stopped drawing the session's output because drawing took too long: the screen is then empty here, and the status comes only from hooks and the process",
    }),
    hooks_silent: z.literal(true).optional().meta({
      description:
        'Present if no hook has reported since the launch although a turn has ended, for example because a wrapper drops `--settings`. The status then comes only from the screen and the process, with a delay, and a dialog is answered with keys',
    }),
    brought_back: z.boolean().meta({
      description:
        'Whether the database lacked the session when the server started. CBOS then found the session by its processes and files, and does not know its earlier history',
    }),
    missing_conversation: z.string().optional().meta({
      description:
        "The id of the session's conversation, if Claude Code no longer has the transcript, or only its newest turns. CBOS then does not launch the session, does not end its idle process, and without a process holds prompts until somebody restores the file or begins a new conversation",
    }),
    other_conversation: z.string().optional().meta({
      description:
        'The id of the conversation that Claude Code began although it was to continue `missing_conversation`, for example because a wrapper dropped `--resume`. CBOS sends no prompt into it until somebody restarts the session',
    }),
    also_open_in: z.string().optional().meta({
      description:
        "The name of another running session that has the same conversation open, for example because somebody opened it there with `/resume`. Each session's new turns are missing in the other, and only the new turns of one of them are continued later. Absent if there is none",
    }),
    recording_stopped_because: RecordingStop.nullable().meta({
      description:
        'Why the session is not recorded: nothing can be written (`disk`), or its files were removed (`removed`)',
    }),
    changes: ChangeCounts.optional().meta({
      description:
        'How much the working tree differs from its base: committed, staged, unstaged and untracked changes. Counted when a turn or a tool ends, never on request. Absent outside of a git repository, and while no correct number is known',
    }),
    worktree: Worktree.optional().meta({ description: "The session's git worktree, if CBOS created one for it" }),
    screen_prompt_at: Timestamp.nullable().meta({
      description:
        'When CBOS last could not type because Screen intercepted the keys: Screen was in copy mode, or showed a prompt of its own. null if CBOS knows of no such case',
    }),
    view: z.object({ name: z.string() }).optional().meta({
      description:
        'The view that covers the prompt, such as the detailed transcript or `Help`: a person or a command has opened it, and keys go to it. `POST /sessions/{slug}/interrupt` closes it. Absent if none is open',
    }),
    parked_at: Timestamp.nullable().meta({
      description:
        'When CBOS parked the session: its process was ended to free memory, and a prompt, `wake` or `attach` wakes it with its conversation. null while it is not parked',
    }),
    ended: SessionEnd.optional().meta({
      description: 'How the session ended; absent while it runs or is parked, and for a JSON session',
    }),
    interrupted_at: Timestamp.optional().meta({
      description:
        'When the end of a process interrupted the last turn, which a restart does not continue; absent once another turn has begun',
    }),
    lost: Loss.optional().meta({
      description:
        'How the session was lost: its processes no longer exist, although nobody ended them; `POST /restore` brings it back. Absent for every other session',
    }),
    queue_stopped_at: Timestamp.nullable().meta({
      description:
        "When an interrupt paused the session's queued prompts and drafts; null if they may be sent, or if there are none",
    }),
    over_budget: OverBudget.optional().meta({
      description:
        'The budget that has been used up: CBOS holds every prompt for the session until somebody raises the budget or its day ends. Absent while CBOS may send prompts',
    }),
    ...KEPT_ATTENTION,
    ...KEPT_LABELS,
  })
  .meta({ id: 'Session' });

/** A session that was just restarted. */
export const RestartedSession = Session.extend({
  conversation: z.enum(['continued', 'copied', 'new']).optional().meta({
    description:
      'What the restart did: `continued` the conversation of the session, `copied` that of the session from which it was forked, or began a `new` one. Older servers omit this field',
  }),
  conversation_empty: z.boolean().optional().meta({
    description:
      'true: the restart `continued` a conversation in which nothing has been asked since it began, for example with `/clear`',
  }),
}).meta({ id: 'RestartedSession' });
export type RestartedSession = z.infer<typeof RestartedSession>;
export type Session = z.infer<typeof Session>;

export const StatusCounts = z
  .object({
    total: z.int(),
    by_state: z.record(State, z.int()),
    by_attention: z.record(z.enum(ATTENTIONS), z.int()).meta({
      description: 'How many sessions need a person, are done, are working and so on, as counted in every list',
    }),
    unread: z.int().meta({ description: 'How many sessions are unread, not counting snoozed ones' }),
  })
  .meta({ id: 'StatusCounts' });
export type StatusCounts = z.infer<typeof StatusCounts>;

/** A status change, as stored in the history. */
export const StatusChange = z
  .object({
    at: Timestamp,
    primary: Status.shape.primary,
    detail: Status.shape.detail,
    state: State,
    health: Status.shape.health,
    because: Status.shape.because,
    interrupted: Status.shape.interrupted,
  })
  .meta({ id: 'StatusChange' });
export type StatusChange = z.infer<typeof StatusChange>;

export const ServerHealth = z
  .object({
    status: z.literal('ok'),
    version: z.string(),
    uptime_ms: z.number(),
    sessions: z.int(),
    max_file_size: z.int().optional().meta({
      description: 'The largest file that can be sent into a session, in bytes; missing if the server is older',
    }),
  })
  .meta({ id: 'ServerHealth' });

export const Buffer = z
  .object({
    buffer: z.string(),
    lines: z.int(),
    cols: z.int(),
    rows: z.int(),
    offset: z.int().meta({ description: "Offset in the recording's file after the bytes that drew this screen" }),
  })
  .meta({ id: 'Buffer' });
export type Buffer = z.infer<typeof Buffer>;
