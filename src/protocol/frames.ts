import { z } from 'zod';
import { Delivery } from './delivery.ts';
import { ErrorBody } from './error-body.ts';
import { ClaudeEvent } from './json-session.ts';
import { MachineSessions } from './machines.ts';
import { Answer, Invoke, Send, Text } from './requests.ts';
import { JsonState, Session } from './session.ts';
import { KEPT_ATTENTION } from './snooze.ts';
import { Status } from './status.ts';
import { Columns, Rows } from './words.ts';

/** A time in Unix seconds, with a fraction. */
const Seconds = z.number();
const Offset = z.int().min(0);
const SlugText = z.string();

/**
 * The maximum number of names in one frame, ten times as many as the most sessions ever listed. The limit is needed
 * because the server answers each unknown name: a frame with a million names, a hundred thousand of them unknown, kept
 * it busy for over 10 s.
 */
const MAX_NAMES = 10_000;
const SlugTexts = z.array(SlugText).max(MAX_NAMES);

const result = { session: SlugText, success: z.boolean(), error: ErrorBody.optional() };

/** Messages from a client to the server on `/ws/stream`. */
export const StreamCommand = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('subscribe'),
    sessions: SlugTexts,
    from: z.record(SlugText, Offset).optional(),
    after: z.record(SlugText, z.int().min(0)).optional(),
  }),
  z.strictObject({ type: z.literal('unsubscribe'), sessions: SlugTexts }),
  z.strictObject({ type: z.literal('send'), session: SlugText, ...Send.shape, text: Text }),
  z.strictObject({ type: z.literal('answer'), session: SlugText, ...Answer.shape }),
  z.strictObject({ type: z.literal('interrupt'), session: SlugText }),
  z.strictObject({ type: z.literal('invoke'), session: SlugText, ...Invoke.shape }),
  z.strictObject({ type: z.literal('get_buffer'), session: SlugText }),
  z.strictObject({ type: z.literal('list_sessions') }),
  z.strictObject({
    type: z.literal('follow_fleet'),
    changes: z.literal(true).optional().meta({
      description:
        'The client takes `machine` frames with `change`. A server that can send them says so in its `fleet` frame; an older one refuses this field',
    }),
  }),
  z.strictObject({ type: z.literal('keys'), session: SlugText, keys: z.string() }),
  z.strictObject({ type: z.literal('resize'), session: SlugText, cols: Columns, rows: Rows }),
  z.strictObject({ type: z.literal('ack'), session: SlugText, offset: Offset }),
]);
export type StreamCommand = z.infer<typeof StreamCommand>;

/** Messages from the server to a client on `/ws/stream`. */
export const StreamFrame = z.discriminatedUnion('type', [
  z.object({ type: z.literal('sessions'), sessions: z.array(Session) }),
  z.object({ type: z.literal('available_streams'), sessions: z.array(SlugText) }),
  z.object({ type: z.literal('subscribed'), sessions: z.array(SlugText) }),
  z.object({
    type: z.literal('stream'),
    session: SlugText,
    data: z.string(),
    ts: Seconds,
    offset: Offset,
    snapshot: z.literal(true).optional(),
  }),
  z.object({ type: z.literal('send_result'), ...result, delivery: Delivery.optional() }),
  z.object({ type: z.literal('answer_result'), ...result }),
  z.object({ type: z.literal('interrupt_result'), ...result }),
  z.object({ type: z.literal('invoke_result'), ...result, invocation_id: z.string().optional() }),
  z.object({
    type: z.literal('claude_event'),
    session: SlugText,
    event: ClaudeEvent,
    timestamp: Seconds,
    seq: z.int(),
  }),
  z.object({ type: z.literal('buffer'), session: SlugText, data: z.string() }),
  z.object({ type: z.literal('resized'), session: SlugText, cols: z.int(), rows: z.int() }),
  z.object({
    type: z.literal('session_state'),
    session: SlugText,
    state: z.string(),
    status: Status,
    json_state: JsonState.nullable(),
    ...z.object(KEPT_ATTENTION).partial().shape,
  }),
  z.object({ type: z.literal('session_added'), session: Session }),
  z.object({ type: z.literal('session_updated'), session: Session }),
  z.object({
    type: z.literal('session_removed'),
    session: SlugText,
    archived: z.literal(true).optional().meta({ description: 'The session was archived, not deleted' }),
  }),
  z.object({ type: z.literal('session_renamed'), session: SlugText, slug: SlugText }),
  z.object({ type: z.literal('reset'), session: SlugText, epoch: z.int() }),
  z.object({ type: z.literal('schedules_changed') }),
  z.object({ type: z.literal('rules_changed') }),
  z.object({
    type: z.literal('rule_decided'),
    id: z
      .int()
      .meta({ description: 'the id of the decision in the audit; the frame is sent again when the outcome is known' }),
  }),
  z.object({
    type: z.literal('fleet'),
    machines: z.array(SlugText),
    changes: z.literal(true).optional().meta({ description: 'The server accepts `follow_fleet` with `changes`' }),
  }),
  z.object({
    type: z.literal('machine'),
    ...MachineSessions.shape,
    change: z
      .object({ removed: z.array(SlugText) })
      .optional()
      .meta({
        description:
          'Only for a client that takes changes: `sessions` contains only the sessions that are new or different since the last frame about this machine, and `removed` the names of those that are no longer listed',
      }),
  }),
  z.object({ type: z.literal('error'), error: ErrorBody, session: SlugText.optional() }),
]);
export type StreamFrame = z.infer<typeof StreamFrame>;

/** Messages from a client to the server on `/ws`. */
export const SessionsCommand = z.strictObject({ type: z.literal('send'), slug: SlugText, text: Text });
export type SessionsCommand = z.infer<typeof SessionsCommand>;

/** Messages from the server to a client on `/ws`. */
export const SessionsFrame = z.discriminatedUnion('type', [
  z.object({ type: z.literal('init'), sessions: z.array(Session) }),
  z.object({ type: z.literal('refresh'), sessions: z.array(Session) }),
  z.object({
    type: z.literal('send_result'),
    slug: SlugText,
    success: z.boolean(),
    delivery: Delivery.optional(),
    error: ErrorBody.optional(),
  }),
  z.object({ type: z.literal('error'), error: ErrorBody }),
]);
export type SessionsFrame = z.infer<typeof SessionsFrame>;
