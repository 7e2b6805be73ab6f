import { z } from 'zod';
import { localDay } from '../../core/history/index.ts';
import { type DroppedRecording, DropReason } from '../../protocol/index.ts';
import type { Database } from './database.ts';
import { readTable } from './read-table.ts';
import { flag } from './table.ts';

/** How many drops are remembered. No one needs older ones. */
const KEPT = 200;

const Row = z.object({
  recording: z.string(),
  reason: DropReason,
  bytes: z.number(),
  whole: flag,
  at: z.number(),
});

/** Stores how much of each recording has been dropped, in total and per day. */
export interface DropStore {
  /** stores a drop; `at` is in Unix milliseconds */
  add(drop: Pick<DroppedRecording, 'recording' | 'reason' | 'bytes' | 'whole'>, at: number): void;
  /** all remembered drops, newest first */
  all(): DroppedRecording[];
}

export function createDropStore(database: Database): DropStore {
  const add = database.prepare(`
    INSERT INTO dropped_recordings VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET bytes = bytes + excluded.bytes, whole = excluded.whole, at = excluded.at`);
  const prune = database.prepare(`
    DELETE FROM dropped_recordings WHERE at < (SELECT at FROM dropped_recordings ORDER BY at DESC LIMIT 1 OFFSET ${KEPT})`);
  return {
    add: ({ recording, reason, bytes, whole }, at) => {
      add.run(recording, localDay(at), reason, bytes, whole ? 1 : 0, at);
      prune.run();
    },
    all: () => readAll(database),
  };
}

/** Works like `all`, but reads from the database of a home. */
export const readDrops = (file: string): DroppedRecording[] => readTable(file, 'dropped_recordings', readAll);

function readAll(database: Database): DroppedRecording[] {
  const rows = database.prepare('SELECT * FROM dropped_recordings ORDER BY at DESC, rowid DESC').all();
  return rows.map((row) => Row.parse(row)).map(({ at, ...drop }) => ({ ...drop, at: new Date(at).toISOString() }));
}
