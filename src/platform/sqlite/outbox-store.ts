import { z } from 'zod';
import type { Database } from './database.ts';
import { KeptStatements } from './kept-statements.ts';
import { json, Table } from './table.ts';

/**
 * The state of a message. `waiting`: nothing has been sent, or an attempt will be repeated. `sending`: a request is in
 * progress, or was in progress when the server was killed. `sent`: the message has arrived. `closing`: its question is
 * closed, but the message does not show that yet. The final states are `closed`, `dropped` (the question was closed
 * before the message was sent), and `refused` (the sink does not accept the message).
 */
export const OutboxPhase = z.enum(['waiting', 'sending', 'sent', 'closing', 'closed', 'dropped', 'refused']);
export type OutboxPhase = z.infer<typeof OutboxPhase>;

/** The buttons and the text of a sent message. */
const KeptNotice = z.object({
  title: z.string(),
  body: z.string(),
  buttons: z.array(
    z.object({
      key: z.string(),
      label: z.string(),
      answer: z.object({
        choice: z.union([z.enum(['yes', 'no', 'always', 'cancel']), z.number(), z.array(z.number())]).optional(),
      }),
    }),
  ),
});

/** A message to a sink. Times are in Unix milliseconds. */
const OutboxMessage = z.object({
  id: z.string(),
  sinkId: z.string(),
  sessionId: z.string(),
  /** the session's question, or whatever else the session needs */
  need: z.string(),
  /** the code in the message's buttons, which no one else knows */
  code: z.string(),
  phase: OutboxPhase,
  openedAt: z.number(),
  changedAt: z.number(),
  attempts: z.number(),
  retryAt: z.number().nullable(),
  /** the time from which the message may exist, if the outcome of sending it is unknown */
  unsureSince: z.number().nullable(),
  notice: json(KeptNotice).nullable(),
  /** the sink's own id for the message */
  remote: z.string().nullable(),
  /** how the question was closed, in words */
  ended: z.string().nullable(),
  error: z.string().nullable(),
});
export type OutboxMessage = z.infer<typeof OutboxMessage>;

export interface OutboxStore {
  /** @returns false if there is already a message about this need for this sink */
  add(message: Pick<OutboxMessage, 'id' | 'sinkId' | 'sessionId' | 'need' | 'code' | 'openedAt'>): boolean;
  save(message: OutboxMessage): void;
  get(id: string): OutboxMessage | null;
  byCode(sinkId: string, code: string): OutboxMessage | null;
  /** the unfinished messages of a sink: first those that may have arrived, then the oldest ones */
  unfinished(sinkId: string): OutboxMessage[];
  /** the messages of all sinks about a session that have not reached a final state */
  openOf(sessionId: string): OutboxMessage[];
  /** the sessions that have a message that has not reached a final state */
  openSessions(): string[];
  find(sinkId: string, sessionId: string, need: string): OutboxMessage | null;
  counts(sinkId: string, since: number): { waiting: number; sent: number };
  /** Removes the notes about answers that a server was about to give when it was killed. */
  clearAnswers(): void;
  forgetSink(sinkId: string): void;
  /** Deletes messages that reached a final state before the given time. */
  forgetBefore(time: number): void;
  memory(sinkId: string): string | null;
  remember(sinkId: string, memory: string): void;
}

const COUNTS = `
  SELECT count(*) FILTER (WHERE phase IN ('waiting', 'sending')) AS waiting,
    count(*) FILTER (WHERE phase IN ('sent', 'closing', 'closed') AND opened_at >= ?) AS sent
  FROM outbox WHERE sink_id = ?`;

const UNFINISHED = `
  WHERE sink_id = ? AND phase IN ('waiting', 'sending', 'closing')
  ORDER BY phase <> 'sending' AND unsure_since IS NULL, opened_at, rowid`;

export function createOutboxStore(database: Database): OutboxStore {
  const sql = new KeptStatements(database);
  const table = new Table(sql, 'outbox', OutboxMessage);
  const open = "phase IN ('waiting', 'sending', 'sent')";
  return {
    add: ({ openedAt, ...message }) =>
      table.insert(
        { ...message, phase: 'waiting', openedAt, changedAt: openedAt, attempts: 0 },
        'ON CONFLICT DO NOTHING',
      ),
    save: ({ id, ...message }) => table.update(id, message),
    get: (id) => table.get('WHERE id = ?', id),
    byCode: (sinkId, code) => table.get('WHERE sink_id = ? AND code = ?', sinkId, code),
    unfinished: (sinkId) => table.all(UNFINISHED, sinkId),
    openOf: (sessionId) => table.all(`WHERE session_id = ? AND ${open}`, sessionId),
    openSessions: () =>
      sql
        .all(`SELECT DISTINCT session_id FROM outbox WHERE ${open}`)
        .map((row) => z.object({ session_id: z.string() }).parse(row).session_id),
    find: (sinkId, sessionId, need) =>
      table.get('WHERE sink_id = ? AND session_id = ? AND need = ?', sinkId, sessionId, need),
    counts: (sinkId, since) =>
      z.object({ waiting: z.number(), sent: z.number() }).parse(sql.get(COUNTS, since, sinkId)),
    clearAnswers: () => void sql.run(`UPDATE outbox SET ended = NULL WHERE ended IS NOT NULL AND ${open}`),
    forgetSink: (sinkId) => {
      sql.run('DELETE FROM outbox WHERE sink_id = ?', sinkId);
      sql.run('DELETE FROM sink_memory WHERE sink_id = ?', sinkId);
    },
    forgetBefore: (time) =>
      void sql.run("DELETE FROM outbox WHERE changed_at < ? AND phase IN ('closed', 'dropped', 'refused')", time),
    memory: (sinkId) => {
      const row = sql.get('SELECT memory FROM sink_memory WHERE sink_id = ?', sinkId);
      return row === undefined ? null : z.object({ memory: z.string() }).parse(row).memory;
    },
    remember: (sinkId, memory) =>
      void sql.run(
        'INSERT INTO sink_memory VALUES (?1, ?2) ON CONFLICT (sink_id) DO UPDATE SET memory = ?2',
        sinkId,
        memory,
      ),
  };
}
