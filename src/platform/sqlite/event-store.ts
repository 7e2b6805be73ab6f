import { z } from 'zod';
import { ClaudeEvent, type StoredEvent, type Usage } from '../../protocol/index.ts';
import { type Database, inTransaction } from './database.ts';

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

const StateRow = z.object({
  last_seq: z.number(),
  launch_id: z.string().nullable(),
  output_offset: z.number(),
  evidence: z.string().nullable(),
});
const EventRow = z.object({ seq: z.number(), at: z.number(), event: z.string() });
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

export function createEventStore(database: Database): EventStore {
  const state = database.prepare('SELECT * FROM json_sessions WHERE session_id = ?');
  const saveState = database.prepare(`
    INSERT INTO json_sessions VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (session_id) DO UPDATE SET last_seq = excluded.last_seq, launch_id = excluded.launch_id,
      output_offset = excluded.output_offset, evidence = excluded.evidence`);
  const insert = database.prepare('INSERT INTO json_events VALUES (?, ?, ?, ?, ?)');
  const insertTurn = database.prepare('INSERT INTO json_turns VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)');
  const read = database.prepare(
    'SELECT seq, at, event FROM json_events WHERE session_id = ? AND seq > ? ORDER BY seq LIMIT ?',
  );
  const newest = database.prepare(
    'SELECT seq, at, event FROM json_events WHERE session_id = ? AND type = ? ORDER BY seq DESC LIMIT ?',
  );
  const prune = database.prepare(`
    DELETE FROM json_events WHERE session_id = ?1 AND seq <= (
      SELECT max(seq) FROM (
        SELECT seq, row_number() OVER newest AS count, sum(length(event)) OVER newest AS bytes
        FROM json_events WHERE session_id = ?1 WINDOW newest AS (ORDER BY seq DESC)
      ) WHERE count > ${KEPT_EVENTS} OR bytes > ${KEPT_BYTES})`);
  const days = database.prepare(
    `SELECT day, ${USAGE_SUMS} FROM json_turns WHERE ?1 IS NULL OR session_id = ?1 GROUP BY day ORDER BY day`,
  );
  const sessionDays = database.prepare(`
    SELECT session_id, day, total(cost_usd) AS cost_usd,
      sum(input_tokens + output_tokens + cache_read_tokens + cache_creation_tokens) AS tokens FROM json_turns
    WHERE (?1 IS NULL OR session_id = ?1) AND (?2 IS NULL OR day >= ?2) GROUP BY session_id, day`);
  const turns = database.prepare(
    `SELECT * FROM json_turns WHERE session_id = ? ORDER BY at DESC, rowid DESC LIMIT ${LISTED_TURNS}`,
  );

  const stateOf = (sessionId: string): ReturnType<EventStore['state']> => {
    const found = state.get(sessionId);
    if (found === undefined) return null;
    const row = StateRow.parse(found);
    return {
      lastSeq: row.last_seq,
      output: { launchId: row.launch_id, offset: row.output_offset },
      evidence: row.evidence === null ? null : JSON.parse(row.evidence),
    };
  };

  return {
    state: stateOf,
    append: (sessionId, { at, events, output, evidence, turns: ended }) =>
      inTransaction(database, () => {
        const before = stateOf(sessionId)?.lastSeq ?? 0;
        const stored = events.map((event, index) => ({ seq: before + index + 1, timestamp: at / 1_000, event }));
        for (const { seq, event } of stored) insert.run(sessionId, seq, at, event.type, JSON.stringify(event));
        for (const turn of ended) {
          const { cost_usd, input_tokens, output_tokens, cache_read_tokens, cache_creation_tokens } = turn;
          const spent = [cost_usd, input_tokens, output_tokens, cache_read_tokens, cache_creation_tokens];
          insertTurn.run(sessionId, turn.at, turn.day, ...spent, turn.duration_ms);
        }
        const lastSeq = before + events.length;
        saveState.run(sessionId, lastSeq, output.launchId, output.offset, JSON.stringify(evidence));
        if (Math.floor(lastSeq / PRUNE_EVERY) > Math.floor(before / PRUNE_EVERY)) prune.run(sessionId);
        return stored;
      }),
    read: (sessionId, after, limit) => read.all(sessionId, after, limit).map(toStored),
    newest: (sessionId, types, count) =>
      types
        .flatMap((type) => newest.all(sessionId, type, count).map(toStored))
        .sort((one, other) => one.seq - other.seq)
        .slice(-count),
    days: (sessionId) => days.all(sessionId).map((row) => DayRow.parse(row)),
    sessionDays: (sessionId, since) => sessionDays.all(sessionId, since).map((row) => SessionDayRow.parse(row)),
    turns: (sessionId) =>
      turns
        .all(sessionId)
        .map((row) => TurnRow.parse(row))
        .reverse(),
  };
}

function toStored(value: unknown): StoredEvent {
  const row = EventRow.parse(value);
  return { seq: row.seq, timestamp: row.at / 1_000, event: ClaudeEvent.parse(JSON.parse(row.event)) };
}
