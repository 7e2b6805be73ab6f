import { z } from 'zod';
import { ClaudeEvent, type StoredEvent, type Usage } from '../../protocol/index.ts';
import { type Database, inTransaction } from './database.ts';
import { KeptStatements, type Value } from './kept-statements.ts';
import { json, Table } from './table.ts';

/** How far the output of a process has been read. */
export interface OutputPosition {
  /** the launch whose output is read, or null before the first launch */
  launchId: string | null;
  /** the position in bytes after the last line that was stored */
  offset: number;
}

/** The cost of a turn that has ended. */
export interface TurnCost extends Omit<Usage, 'turns'> {
  /** when the turn ended, in Unix milliseconds */
  at: number;
  /** the day on which the turn ended, such as `2026-11-21`, in the server's time zone */
  day: string;
}

/**
 * The rows to store for a piece of output. Either all of them are stored or none, so that killing the server neither
 * loses nor duplicates an event.
 */
export interface EventBatch {
  /** when the output was read, in Unix milliseconds */
  at: number;
  events: readonly ClaudeEvent[];
  output: OutputPosition;
  /** the evidence after these events, as accumulated by core */
  evidence: unknown;
  turns: readonly TurnCost[];
}

/**
 * How many events are kept for a session: a few hundred turns, with every piece of their answers. Older ones are
 * deleted first.
 */
const KEPT_EVENTS = 50_000;
/** How many bytes of events are kept. Without this limit, a few images or huge tool results would fill the disk. */
const KEPT_BYTES = 64_000_000;
/** How many events are stored before old ones are deleted again. Each deletion reads a session's whole index. */
const PRUNE_EVERY = 2_000;

const State = z.object({
  sessionId: z.string(),
  lastSeq: z.number(),
  launchId: z.string().nullable(),
  outputOffset: z.number(),
  evidence: json(z.unknown()).nullable(),
});
const EventRow = z.object({ seq: z.number(), at: z.number(), event: json(ClaudeEvent) });
const UsageRow = z.object({
  turns: z.int(),
  cost_usd: z.number(),
  input_tokens: z.int(),
  output_tokens: z.int(),
  cache_read_tokens: z.int(),
  cache_creation_tokens: z.int(),
  duration_ms: z.number(),
});
const DayRow = UsageRow.extend({ day: z.string() });
const SessionDayRow = z.object({ session_id: z.string(), day: z.string(), cost_usd: z.number(), tokens: z.int() });
const TurnRow = UsageRow.omit({ turns: true }).extend({ at: z.number() });
const Turn = TurnRow.extend({ sessionId: z.string(), day: z.string() });

/** How many turns are listed in a session's costs. */
const LISTED_TURNS = 100;

/** Stores the events of JSON sessions, how far the output of each session has been read, and the cost of each turn. */
export interface EventStore {
  /** null if nothing has ever been stored for the session */
  state(sessionId: string): { lastSeq: number; output: OutputPosition; evidence: unknown } | null;
  /** @returns the events with their sequence numbers */
  append(sessionId: string, batch: EventBatch): StoredEvent[];
  /** the events after a given sequence number, oldest first */
  read(sessionId: string, after: number, limit: number): StoredEvent[];
  /** the last `count` events of these types, oldest first */
  newest(sessionId: string, types: readonly string[], count: number): StoredEvent[];
  /** the costs per day, oldest first; if the session is null, for all sessions, including deleted ones */
  days(sessionId: string | null): z.infer<typeof DayRow>[];
  /** the dollars and the tokens per session and day, for one session or for all sessions, including deleted ones */
  sessionDays(sessionId: string | null, since: string | null): z.infer<typeof SessionDayRow>[];
  /** the costs of the last turns, oldest first */
  turns(sessionId: string): z.infer<typeof TurnRow>[];
}

const USAGE_SUMS = `count(*) AS turns, total(cost_usd) AS cost_usd, sum(input_tokens) AS input_tokens, sum(output_tokens) AS output_tokens,
  sum(cache_read_tokens) AS cache_read_tokens, sum(cache_creation_tokens) AS cache_creation_tokens, total(duration_ms) AS duration_ms`;

const PRUNE = `
  DELETE FROM json_events WHERE session_id = ?1 AND seq <= (
    SELECT max(seq) FROM (
      SELECT seq, row_number() OVER newest AS count, sum(length(event)) OVER newest AS bytes
      FROM json_events WHERE session_id = ?1 WINDOW newest AS (ORDER BY seq DESC)
    ) WHERE count > ${KEPT_EVENTS} OR bytes > ${KEPT_BYTES})`;

const DAYS = `SELECT day, ${USAGE_SUMS} FROM json_turns WHERE ?1 IS NULL OR session_id = ?1 GROUP BY day ORDER BY day`;

const SESSION_DAYS = `
  SELECT session_id, day, total(cost_usd) AS cost_usd,
    sum(input_tokens + output_tokens + cache_read_tokens + cache_creation_tokens) AS tokens FROM json_turns
  WHERE (?1 IS NULL OR session_id = ?1) AND (?2 IS NULL OR day >= ?2) GROUP BY session_id, day`;

export function createEventStore(database: Database): EventStore {
  const sql = new KeptStatements(database);
  const states = new Table(sql, 'json_sessions', State);
  const turns = new Table(sql, 'json_turns', Turn);

  const stateOf = (sessionId: string): ReturnType<EventStore['state']> => {
    const found = states.get('WHERE session_id = ?', sessionId);
    if (found === null) return null;
    const { lastSeq, launchId, outputOffset: offset, evidence } = found;
    return { lastSeq, output: { launchId, offset }, evidence };
  };

  const eventsOf = (which: string, ...values: Value[]): StoredEvent[] =>
    sql.all(`SELECT seq, at, event FROM json_events WHERE session_id = ? AND ${which}`, ...values).map(toStored);

  return {
    state: stateOf,
    append: (sessionId, { at, events, output, evidence, turns: ended }) =>
      inTransaction(database, () => {
        const before = stateOf(sessionId)?.lastSeq ?? 0;
        const stored = events.map((event, index) => ({ seq: before + index + 1, timestamp: at / 1_000, event }));
        for (const { seq, event } of stored) {
          const text = JSON.stringify(event);
          sql.run('INSERT INTO json_events VALUES (?, ?, ?, ?, ?)', sessionId, seq, at, event.type, text);
        }
        for (const turn of ended) turns.insert({ ...turn, sessionId });
        const lastSeq = before + events.length;
        const { launchId, offset: outputOffset } = output;
        states.save({ sessionId, lastSeq, launchId, outputOffset, evidence }, 'sessionId');
        if (Math.floor(lastSeq / PRUNE_EVERY) > Math.floor(before / PRUNE_EVERY)) sql.run(PRUNE, sessionId);
        return stored;
      }),
    read: (sessionId, after, limit) => eventsOf('seq > ? ORDER BY seq LIMIT ?', sessionId, after, limit),
    newest: (sessionId, types, count) =>
      types
        .flatMap((type) => eventsOf('type = ? ORDER BY seq DESC LIMIT ?', sessionId, type, count))
        .sort((one, other) => one.seq - other.seq)
        .slice(-count),
    days: (sessionId) => sql.all(DAYS, sessionId).map((row) => DayRow.parse(row)),
    sessionDays: (sessionId, since) => sql.all(SESSION_DAYS, sessionId, since).map((row) => SessionDayRow.parse(row)),
    turns: (sessionId) =>
      sql
        .all(
          `SELECT * FROM json_turns WHERE session_id = ? ORDER BY at DESC, rowid DESC LIMIT ${LISTED_TURNS}`,
          sessionId,
        )
        .map((row) => TurnRow.parse(row))
        .reverse(),
  };
}

function toStored(value: unknown): StoredEvent {
  const { at, ...row } = EventRow.parse(value);
  return { ...row, timestamp: at / 1_000 };
}
