import { DatabaseSync } from '@photostructure/sqlite';
import { z } from 'zod';
import { DeliveryPhase } from '../../src/protocol/index.ts';
import type { FinalDelivery, Span } from './verdict.ts';

/** The time in Unix milliseconds, in SQLite. */
const NOW = "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)";

const Delivery = z.object({
  id: z.string(),
  text: z.string(),
  updated_at: z.number(),
  phase: DeliveryPhase,
  into_queue: z.number(),
  held: z.number(),
});
const Change = z.object({ id: z.string(), phase: DeliveryPhase, at: z.number() });
const Pause = z.object({ session: z.string(), is_paused: z.number(), at: z.number() });

/**
 * Makes the server's database record every phase of every delivery and every pause of a queue, with the time at which
 * the server saved it.
 */
export function recordChanges(file: string): void {
  const phases = ['INSERT', 'UPDATE'].map(
    (event) => `
      CREATE TRIGGER torture_${event.toLowerCase()} AFTER ${event} ON deliveries BEGIN
        INSERT INTO torture_phases (id, phase, at) VALUES (NEW.id, NEW.phase, ${NOW});
      END`,
  );
  const pauses = `
      CREATE TRIGGER torture_pause AFTER UPDATE ON sessions
      WHEN (OLD.queue_stopped_at IS NULL) <> (NEW.queue_stopped_at IS NULL) BEGIN
        INSERT INTO torture_pauses (session, is_paused, at) VALUES (NEW.slug, NEW.queue_stopped_at IS NOT NULL, ${NOW});
      END`;
  const database = new DatabaseSync(file);
  try {
    database.exec('CREATE TABLE torture_phases (id TEXT, phase TEXT, at INTEGER)');
    database.exec('CREATE TABLE torture_pauses (session TEXT, is_paused INTEGER, at INTEGER)');
    for (const trigger of [...phases, pauses]) database.exec(trigger);
  } finally {
    database.close();
  }
}

/** What the journal knows at the end of a run. */
export interface Journal {
  /** all deliveries, by their text */
  finals: Map<string, FinalDelivery>;
  /** the times in which a session's queue was paused, by session */
  pauses: Map<string, Span[]>;
}

export function readJournal(file: string): Journal {
  const database = new DatabaseSync(file, { readOnly: true });
  const read = <T>(schema: z.ZodType<T>, sql: string): T[] => z.array(schema).parse(database.prepare(sql).all());
  try {
    const changes = read(Change, 'SELECT id, phase, at FROM torture_phases ORDER BY rowid');
    const phases = new Map<string, { phase: DeliveryPhase; at: number }[]>();
    for (const { id, ...change } of changes) phases.set(id, [...(phases.get(id) ?? []), change]);
    const deliveries = read(Delivery, 'SELECT id, text, updated_at, phase, into_queue, held FROM deliveries');
    const finals = deliveries.map(({ id, text, updated_at: at, phase, into_queue, held }): [string, FinalDelivery] => [
      text,
      { id, at, phase, intoQueue: into_queue === 1, held: held === 1, phases: phases.get(id) ?? [] },
    ]);
    return {
      finals: new Map(finals),
      pauses: spansOf(read(Pause, 'SELECT session, is_paused, at FROM torture_pauses ORDER BY rowid')),
    };
  } finally {
    database.close();
  }
}

function spansOf(pauses: readonly z.infer<typeof Pause>[]): Map<string, Span[]> {
  const spans = new Map<string, Span[]>();
  for (const { session, is_paused: isPaused, at } of pauses) {
    const known = spans.get(session) ?? [];
    const last = known.at(-1);
    if (isPaused === 1) known.push({ from: at, to: Number.POSITIVE_INFINITY });
    else if (last !== undefined) last.to = at;
    spans.set(session, known);
  }
  return spans;
}
