import { z } from 'zod';
import type { Labels } from '../../core/labels/index.ts';
import type { Database } from './database.ts';

const Row = z.object({
  session_id: z.string(),
  tags: z.string(),
  repository: z.string().nullable(),
  archived_at: z.number().nullable(),
});

const KeptTags = z.array(z.string());

/** Stores the labels of each session, keyed by the session's id. */
export interface LabelStore {
  all(): Map<string, Labels>;
  /** inserts or replaces a row, which is deleted together with its session */
  save(sessionId: string, labels: Labels): void;
}

export function createLabelStore(database: Database): LabelStore {
  const all = database.prepare('SELECT * FROM labels');
  const save = database.prepare(`
    INSERT INTO labels (session_id, tags, repository, archived_at) VALUES (?, ?, ?, ?)
    ON CONFLICT (session_id) DO UPDATE SET tags = excluded.tags, repository = excluded.repository,
      archived_at = excluded.archived_at`);
  return {
    all: () =>
      new Map(
        all.all().map((given) => {
          const { session_id, tags, repository, archived_at } = Row.parse(given);
          return [session_id, { tags: KeptTags.parse(JSON.parse(tags)), repository, archivedAt: archived_at }];
        }),
      ),
    save: (sessionId, { tags, repository, archivedAt }) => {
      save.run(sessionId, JSON.stringify(tags), repository, archivedAt);
    },
  };
}
