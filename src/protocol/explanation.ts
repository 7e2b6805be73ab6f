import { z } from 'zod';
import { RateLimit } from './json-session.ts';
import { EvidenceSource, Status } from './status.ts';
import { Timestamp } from './words.ts';

const Limit = RateLimit.optional().meta({ description: 'The usage limit that ended the turn; absent if none did' });

const CutText = z.literal(true).optional().meta({
  description: 'Set if the end of `text` is missing, because CBOS keeps only the first 4,000 characters',
});

const CutMessage = z.literal(true).optional().meta({
  description:
    'Set if the beginning of `message`, or of an `error` that is a message, is missing, because CBOS keeps only the last 4,000 characters',
});

const At = Timestamp.nullable();

/** The verdict based on one source alone. */
const SourceSays = z
  .object({
    source: EvidenceSource,
    primary: Status.shape.primary,
    detail: Status.shape.detail,
    rule: z.string(),
    evidence: z.string(),
    since: Timestamp.meta({ description: 'When the source began to report this' }),
    won: z.boolean().meta({ description: 'Whether the status follows this source' }),
  })
  .meta({ id: 'SourceVerdict' });

const Thresholds = z
  .object({
    spinner_settle_ms: z.int(),
    prompt_settle_ms: z.int(),
    silent_end_ms: z.int(),
    draw_lag_ms: z.int(),
    stale_screen_ms: z.int(),
  })
  .meta({ description: 'The thresholds from `[status]` in config.toml' });

const Process = z.object({ alive: z.boolean(), started_at: At, ended_at: At });

const Hooks = z.object({
  last_at: At,
  started: z.object({ at: Timestamp, source: z.string() }).nullable(),
  prompt: z
    .object({
      at: Timestamp,
      text: z.string(),
      cut: CutText,
      queued: z.boolean().optional().meta({
        description:
          'true if Claude Code accepted the prompt during a turn, which may take the prompt in or leave it to the next turn',
      }),
    })
    .nullable(),
  tools: z
    .array(z.object({ name: z.string(), at: Timestamp, requested_at: At }))
    .meta({ description: 'Calls that were announced but not reported as finished' }),
  tool_ended_at: At,
  turn_end: z
    .object({
      at: Timestamp,
      event: z.string(),
      error: z.string().nullable(),
      message: z.string().nullable(),
      cut: CutMessage,
      limit: Limit,
    })
    .nullable(),
  compacting_since: At,
});

const Screen = z.object({
  rule: z.string().meta({ description: 'The rule whose result is used' }),
  since: Timestamp,
  newest_rule: z.string().meta({
    description:
      'The rule that matches the current screen; its result is used once the rule has matched for a short time',
  }),
  newest_since: Timestamp.meta({ description: 'When the current screen first matched this rule' }),
  dialog_seen_at: At.meta({ description: 'When a dialog was last on the screen' }),
  changed_at: Timestamp,
  progressed_at: Timestamp.meta({ description: 'When anything except a spinner and its clock last changed' }),
  draft: z.string().nullable(),
  lines: z.array(z.string()),
  cols: z.int(),
  rows: z.int(),
  cursor: z.object({ row: z.int(), col: z.int() }),
  dim_rows: z.array(z.int()),
  alert_rows: z.array(z.int()).meta({ description: 'Rows that begin with a sign in the colour of a warning' }),
  ended_rows: z
    .array(z.int())
    .meta({ description: 'Rows that begin with the sign of a tool call, in the colour of a finished call' }),
  flow: z.enum(['sending', 'receiving']).nullable().meta({
    description:
      'What the highlight on the spinner shows: that a request was sent, or that its answer is arriving; up to Claude Code 2.1.92',
  }),
});

const Registry = z.object({
  status: z.string().nullable(),
  waiting_for: z.string().nullable(),
  updated_at: At,
  read_at: Timestamp,
});

const Call = z.object({ name: z.string(), at: Timestamp });

const JsonEvents = z.object({
  last_at: At,
  prompt: z.object({ at: Timestamp, text: z.string(), cut: CutText }).nullable(),
  busy_since: At,
  phase: z.object({ kind: z.enum(['thinking', 'responding']), at: Timestamp }).nullable(),
  tools: z.array(Call).meta({ description: 'Calls without a result yet' }),
  questions: z.array(Call).meta({ description: 'The request that Claude Code wants answered' }),
  compacting_since: At,
  turn_end: z
    .object({
      at: Timestamp,
      error: z.string().nullable(),
      message: z.string().nullable(),
      cut: CutMessage,
      interrupted: z.boolean(),
      command_error: z.string().optional().meta({
        description: 'Why Claude Code did not carry out the slash command that it answered; absent if it did',
      }),
      limit: Limit,
    })
    .nullable(),
  retry: z
    .object({ at: Timestamp, next_at: Timestamp, reason: z.string() })
    .nullable()
    .meta({ description: 'A failed request that Claude Code is retrying on its own' }),
  background: z.int().meta({ description: 'Tasks that continue after the turn' }),
});

/**
 * Everything that is known about a session, the verdict based on each source, and why CBOS decided in favour of one of
 * them.
 */
export const Explanation = z
  .object({
    status: Status,
    at: Timestamp.meta({ description: 'The time to which this explanation applies' }),
    claude_version: z.string().nullable(),
    stuck_threshold_ms: z.int(),
    thresholds: Thresholds,
    why: z.string().meta({ description: 'Why CBOS believed this source rather than another, as a sentence' }),
    recheck_at: At.meta({ description: 'When CBOS will evaluate the same evidence again' }),
    verdicts: z
      .array(SourceSays)
      .meta({ description: 'The most reliable source first; sources that report nothing are left out' }),
    evidence: z.object({
      process: Process.nullable(),
      hooks: Hooks.nullable(),
      screen: Screen.nullable(),
      registry: Registry.nullable(),
      json: JsonEvents.nullable().meta({ description: 'JSON sessions only' }),
    }),
  })
  .meta({ id: 'Explanation' });
export type Explanation = z.infer<typeof Explanation>;
