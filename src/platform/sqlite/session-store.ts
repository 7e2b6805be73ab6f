import { z } from 'zod';
import type { Database } from './database.ts';

/** What a session is launched with; kept so that `restart` can do it again. */
export const Launch = z.object({
  args: z.array(z.string()),
  env: z.record(z.string(), z.string()),
  permission_mode: z.string().nullable(),
  model: z.string().nullable(),
  cols: z.int(),
  rows: z.int(),
});
export type Launch = z.infer<typeof Launch>;

/** What CBOS must remember of a session to find it again after a crash. Times are Unix milliseconds. */
export interface SessionRecord {
  /** stays through renames and restarts */
  id: string;
  slug: string;
  path: string | null;
  /** false: started by something else, only observed */
  adopted: boolean;
  createdAt: number;
  launch: Launch;
  /** the mark in the environment of this launch's processes; null for a session CBOS did not launch */
  launchId: string | null;
  screenId: string | null;
  agent: { pid: number; startTime: string } | null;
  claudeSessionId: string | null;
  recording: { typescript: string; timing: string | null } | null;
  endedAt: number | null;
  lastActivity: number | null;
  lastQuestion: string | null;
  /** hook evidence as core folds it, so that a restarted server knows what hooks have said */
  hooks: unknown;
}

const Row = z.object({
  id: z.string(),
  slug: z.string(),
  path: z.string().nullable(),
  adopted: z.number(),
  created_at: z.number(),
  launch: z.string(),
  launch_id: z.string().nullable(),
  screen_id: z.string().nullable(),
  agent_pid: z.number().nullable(),
  agent_start: z.string().nullable(),
  claude_session_id: z.string().nullable(),
  typescript: z.string().nullable(),
  timing: z.string().nullable(),
  ended_at: z.number().nullable(),
  last_activity: z.number().nullable(),
  last_question: z.string().nullable(),
  hooks: z.string().nullable(),
});

export interface SessionStore {
  /** all sessions, oldest first */
  all(): SessionRecord[];
  /** inserts or replaces */
  save(record: SessionRecord): void;
  /** with its history and deliveries */
  remove(id: string): void;
}

export function createSessionStore(database: Database): SessionStore {
  const all = database.prepare('SELECT * FROM sessions ORDER BY created_at, rowid');
  const save = database.prepare(`
    INSERT INTO sessions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET slug = excluded.slug, path = excluded.path, adopted = excluded.adopted,
      launch = excluded.launch, launch_id = excluded.launch_id, screen_id = excluded.screen_id,
      agent_pid = excluded.agent_pid, agent_start = excluded.agent_start, claude_session_id = excluded.claude_session_id,
      typescript = excluded.typescript, timing = excluded.timing, ended_at = excluded.ended_at,
      last_activity = excluded.last_activity, last_question = excluded.last_question, hooks = excluded.hooks`);
  const remove = database.prepare('DELETE FROM sessions WHERE id = ?');
  return {
    all: () => all.all().map((row) => toRecord(Row.parse(row))),
    save: (record) => {
      save.run(
        record.id,
        record.slug,
        record.path,
        record.adopted ? 1 : 0,
        record.createdAt,
        JSON.stringify(record.launch),
        record.launchId,
        record.screenId,
        record.agent?.pid ?? null,
        record.agent?.startTime ?? null,
        record.claudeSessionId,
        record.recording?.typescript ?? null,
        record.recording?.timing ?? null,
        record.endedAt,
        record.lastActivity,
        record.lastQuestion,
        record.hooks === null ? null : JSON.stringify(record.hooks),
      );
    },
    remove: (id) => {
      remove.run(id);
    },
  };
}

function toRecord(row: z.infer<typeof Row>): SessionRecord {
  return {
    id: row.id,
    slug: row.slug,
    path: row.path,
    adopted: row.adopted === 1,
    createdAt: row.created_at,
    launch: Launch.parse(JSON.parse(row.launch)),
    launchId: row.launch_id,
    screenId: row.screen_id,
    agent:
      row.agent_pid === null || row.agent_start === null ? null : { pid: row.agent_pid, startTime: row.agent_start },
    claudeSessionId: row.claude_session_id,
    recording: row.typescript === null ? null : { typescript: row.typescript, timing: row.timing },
    endedAt: row.ended_at,
    lastActivity: row.last_activity,
    lastQuestion: row.last_question,
    hooks: row.hooks === null ? null : JSON.parse(row.hooks),
  };
}
