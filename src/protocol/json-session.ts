import { z } from 'zod';
import { PermissionMode, Timestamp } from './words.ts';

/**
 * An event of a JSON session. Each event is a message from Claude Code's stream-json output, stored unchanged, even if
 * its type is unknown. CBOS adds two types: `{"type":"raw","content"}` for output that is not JSON, and
 * `{"type":"error","message"}` for a process that failed. The most important types, as 2.1.329 sends them:
 * - `user`: a prompt that was accepted (`isReplay` is true, and `uuid` is the id of its delivery or invocation), or the
 *   results of tools
 * - `assistant`: one event for each finished content block (`text`, `thinking`, `tool_use`)
 * - `stream_event`: the same content in pieces, while the model writes it (the Messages API's own events)
 * - `control_request` with `request.subtype` `can_use_tool`: a question; a `control_response` answers it, and a
 *   `control_cancel_request` withdraws it
 * - `result`: the end of a turn, with the turn's text and cost, and whether it failed
 * - `system`: `init` at the beginning of a turn, `status`, `compact_boundary`, and others
 * - `rate_limit_event`
 */
export const ClaudeEvent = z.looseObject({ type: z.string() }).meta({ id: 'ClaudeEvent' });
export type ClaudeEvent = z.infer<typeof ClaudeEvent>;

const Seq = z.int().min(1).meta({
  description:
    'Grows with every event of the session, even across restarts. Old events are dropped, so the numbers may have gaps',
});

export const StoredEvent = z
  .object({
    seq: Seq,
    timestamp: z.number().meta({ description: 'When CBOS read the event, in Unix seconds with a fraction' }),
    event: ClaudeEvent,
  })
  .meta({ id: 'StoredEvent' });
export type StoredEvent = z.infer<typeof StoredEvent>;

export const EventsPage = z
  .object({
    events: z.array(StoredEvent).meta({ description: 'Oldest first' }),
    next: z.int().nullable().meta({
      description:
        'The value of `after` that returns the following events; null if there are no more events at present',
    }),
  })
  .meta({ id: 'EventsPage' });
export type EventsPage = z.infer<typeof EventsPage>;

/** The options for a turn. They remain in effect for the turns that follow. */
export const InvokeOptions = z.strictObject({
  permission_mode: PermissionMode.optional(),
  model: z.string().min(1).optional(),
});
export type InvokeOptions = z.infer<typeof InvokeOptions>;

export const Invocation = z
  .object({
    invocation_id: z.string().meta({
      description: 'The `uuid` of the prompt among the events; the turn ends with the first `result` after it',
    }),
  })
  .meta({ id: 'Invocation' });
export type Invocation = z.infer<typeof Invocation>;

export const LastResponse = z
  .object({
    text: z.string(),
    cost_usd: z.number().nullable().meta({ description: 'The cost of that turn' }),
    duration_ms: z.number().nullable(),
    at: Timestamp,
    error: z.string().optional().meta({
      description: 'Why the turn ended although it had answered, such as a used-up budget; absent if it succeeded',
    }),
  })
  .meta({ id: 'LastResponse' });
export type LastResponse = z.infer<typeof LastResponse>;

/** The total usage of a number of turns. The amount in dollars is Claude Code's own estimate, based on list prices. */
export const Usage = z
  .object({
    turns: z.int(),
    cost_usd: z.number(),
    input_tokens: z.int(),
    output_tokens: z.int(),
    cache_read_tokens: z.int(),
    cache_creation_tokens: z.int(),
    duration_ms: z.number(),
  })
  .meta({ id: 'Usage' });
export type Usage = z.infer<typeof Usage>;

const Spent = Usage.extend({
  terminal_cost_usd: z.number().meta({
    description:
      'The part of cost_usd that sessions in a terminal reported through their status lines. Turns, tokens and duration cover only JSON sessions',
  }),
});
export type Spent = z.infer<typeof Spent>;
const DayUsage = Spent.extend({ day: z.iso.date().meta({ description: "In the server's time zone" }) });
const TurnUsage = Usage.omit({ turns: true }).extend({ at: Timestamp });

/** The costs of one session, by turn and by day. */
export const SessionCosts = z
  .object({
    session: Spent,
    max_budget_usd: z.number().nullable(),
    days: z.array(DayUsage).meta({ description: 'Oldest first' }),
    turns: z.array(TurnUsage).meta({ description: 'The last 100, oldest first' }),
  })
  .meta({ id: 'SessionCosts' });
export type SessionCosts = z.infer<typeof SessionCosts>;

/** The costs of all sessions, including deleted ones. */
export const FleetCosts = z.object({ total: Spent, days: z.array(DayUsage) }).meta({ id: 'FleetCosts' });
export type FleetCosts = z.infer<typeof FleetCosts>;

/** A Claude Code conversation on this machine that does not belong to a CBOS session. */
export const Conversation = z
  .object({
    claude_session_id: z.string(),
    path: z.string(),
    title: z.string().nullable().meta({ description: 'The first prompt of the conversation' }),
    last_activity: Timestamp,
    pid: z.int().nullable().meta({ description: 'The process that has the conversation open; null if none does' }),
  })
  .meta({ id: 'Conversation' });
export type Conversation = z.infer<typeof Conversation>;

/** The account's limits, as Claude Code last reported them. */
export const RateLimit = z
  .object({
    status: z.string().meta({ description: 'allowed, allowed_warning or rejected' }),
    kind: z.string().nullable().meta({ description: 'five_hour, seven_day, …' }),
    resets_at: Timestamp.nullable(),
    utilization: z.number().nullable().meta({ description: '1 means that the limit is used up' }),
  })
  .meta({ id: 'RateLimit' });
export type RateLimit = z.infer<typeof RateLimit>;
