import { z } from 'zod';
import { Loss, SessionType, Worktree } from '../../protocol/index.ts';
import type { Database } from './database.ts';
import { NOTHING_REPORTED, Reported } from './reported.ts';
import { ShownDialog } from './shown-dialog.ts';

/** The options with which a session was launched. They are kept so that `restart` can repeat the launch. */
export const Launch = z.object({
  args: z.array(z.string()),
  env: z.record(z.string(), z.string()),
  permission_mode: z.string().nullable(),
  model: z.string().nullable(),
  cols: z.int(),
  rows: z.int(),
  /** for JSON sessions: the maximum total cost of all turns */
  max_budget_usd: z.number().nullable().default(null),
  /** for JSON sessions: the folder that the user has trusted for this session; no other folder is trusted */
  trusted_folder: z.string().nullable().default(null),
  /** the git worktree that was created for the session */
  worktree: Worktree.optional(),
  /** whether a user has started the session in its folder although another session works there */
  same_folder: z.boolean().optional(),
  /** the conversation from which the session was forked, and the folder in which that conversation took place */
  fork: z.object({ sessionId: z.string(), cwd: z.string() }).optional(),
});
export type Launch = z.infer<typeof Launch>;

/**
 * The processes that read a session's terminal, and how many bytes each of them had read before text was typed into the
 * terminal.
 */
export const TypedInput = z.object({
  agent: z.object({ pid: z.int(), startTime: z.string() }),
  readers: z.array(z.object({ pid: z.int(), before: z.number() })),
});
export type TypedInput = z.infer<typeof TypedInput>;

/** How a session was lost, and what has been done to restore it. */
export const LostSession = z.object({
  because: Loss,
  /** how many times CBOS has begun to restore the session */
  tries: z.int(),
  /** whether the session was lost before its first prompt, so that the same launch yields the same session */
  wasBlank: z.boolean(),
  /**
   * sessions that were lost at the same time, in the place given, and have been started again since; this session may
   * start in the same worktree
   */
  restoredBeside: z.array(z.object({ id: z.string(), place: z.string() })).optional(),
});
export type LostSession = z.infer<typeof LostSession>;

/** How the Claude Code of a session in a terminal ended. Times are in Unix milliseconds. */
export const EndedSession = z.object({
  at: z.number(),
  /** the exit code in the recording's last line, or null if there is none */
  code: z.int().nullable(),
  /** when the recording was closed, or null if it was not */
  closedAt: z.number().nullable(),
  /** whether a turn was running, which a restart does not continue */
  wasRunning: z.boolean(),
});
export type EndedSession = z.infer<typeof EndedSession>;

/** What CBOS needs to know about a session to find it again after a crash. Times are in Unix milliseconds. */
export interface SessionRecord {
  /** the session's id, which does not change when the session is renamed or restarted */
  id: string;
  slug: string;
  type: SessionType;
  path: string | null;
  /** false if something else started the session and CBOS only observes it */
  adopted: boolean;
  createdAt: number;
  launch: Launch;
  /** the mark in the environment of this launch's processes, or null for a session that CBOS did not launch */
  launchId: string | null;
  screenId: string | null;
  /** the number of the session's window in Screen; sessions that CBOS launched have only one window */
  window: string;
  /** Screen's daemon, or null if the session has never been seen alive */
  daemon: { pid: number; startTime: string } | null;
  /** the Claude Code process, identified by its pid and start time */
  agent: { pid: number; startTime: string } | null;
  claudeSessionId: string | null;
  /** the version of Claude Code, such as `2.1.329`, or null if nothing has reported it yet */
  claudeVersion: string | null;
  recording: { typescript: string; timing: string | null } | null;
  endedAt: number | null;
  lastActivity: number | null;
  lastQuestion: string | null;
  /** the evidence from hooks, as accumulated by core, so that a restarted server knows what hooks have reported */
  hooks: unknown;
  /**
   * the digits that were typed as the last answers, or null if the prompt cannot contain such a digit; a digit ends up
   * in the prompt if its dialog had already closed
   */
  answerKey: string | null;
  /** when a keypress last cleared the session's prompt, in Unix milliseconds */
  clearedAt: number | null;
  /** when an interrupt paused the session's queue, in Unix milliseconds, or null if queued prompts may be sent */
  queueStoppedAt: number | null;
  /**
   * what was last typed into the prompt, which is kept to check whether it has been read, or null if nothing was typed
   * or all of it has been read
   */
  typed: TypedInput | null;
  /**
   * when someone requested that the session be deleted, in Unix milliseconds; if a crash interrupts the deletion, the
   * next server completes it
   */
  removedAt: number | null;
  /**
   * since when the session has been parked, in Unix milliseconds; this is saved before the process is ended, so if it
   * is set and `endedAt` is not, the server died while it was parking the session
   */
  parkedAt: number | null;
  /** the kernel's id of the boot during which the session's processes were last seen, or null if unknown */
  boot: string | null;
  /**
   * when someone requested that the session be ended, in Unix milliseconds; this is saved before the processes are
   * ended, so that the next server does not count the session as lost. A launch clears it
   */
  stopAskedAt: number | null;
  /** null if the session is not lost; a launch clears it */
  loss: LostSession | null;
  /** how the last launch ended; a launch keeps it only if a turn was interrupted, and the next turn clears it */
  ended: EndedSession | null;
  reported: Reported;
  /** the dialogs that were shown as questions, the newest last */
  shown: readonly ShownDialog[];
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
  screen_window: z.string(),
  daemon_pid: z.number().nullable(),
  daemon_start: z.string().nullable(),
  agent_pid: z.number().nullable(),
  agent_start: z.string().nullable(),
  claude_session_id: z.string().nullable(),
  claude_version: z.string().nullable(),
  typescript: z.string().nullable(),
  timing: z.string().nullable(),
  ended_at: z.number().nullable(),
  last_activity: z.number().nullable(),
  last_question: z.string().nullable(),
  hooks: z.string().nullable(),
  type: SessionType,
  answer_key: z.string().nullable(),
  cleared_at: z.number().nullable(),
  removed_at: z.number().nullable(),
  queue_stopped_at: z.number().nullable(),
  typed: z.string().nullable(),
  parked_at: z.number().nullable(),
  boot: z.string().nullable(),
  stop_asked_at: z.number().nullable(),
  loss: z.string().nullable(),
  ended: z.string().nullable(),
  reported: z.string().nullable(),
  shown: z.string().nullable(),
});

export interface SessionStore {
  /** all sessions, oldest first */
  all(): SessionRecord[];
  /** inserts or replaces a session */
  save(record: SessionRecord): void;
  /** deletes a session together with its history and its deliveries */
  remove(id: string): void;
}

export function createSessionStore(database: Database): SessionStore {
  const all = database.prepare('SELECT * FROM sessions ORDER BY rowid');
  const save = database.prepare(`
    INSERT INTO sessions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET slug = excluded.slug, path = excluded.path, adopted = excluded.adopted,
      launch = excluded.launch, launch_id = excluded.launch_id, screen_id = excluded.screen_id, screen_window = excluded.screen_window,
      daemon_pid = excluded.daemon_pid, daemon_start = excluded.daemon_start,
      agent_pid = excluded.agent_pid, agent_start = excluded.agent_start, claude_session_id = excluded.claude_session_id,
      claude_version = excluded.claude_version,
      typescript = excluded.typescript, timing = excluded.timing, ended_at = excluded.ended_at,
      last_activity = excluded.last_activity, last_question = excluded.last_question, hooks = excluded.hooks, type = excluded.type,
      answer_key = excluded.answer_key, cleared_at = excluded.cleared_at, removed_at = excluded.removed_at,
      queue_stopped_at = excluded.queue_stopped_at, typed = excluded.typed, parked_at = excluded.parked_at,
      boot = excluded.boot, stop_asked_at = excluded.stop_asked_at, loss = excluded.loss, ended = excluded.ended,
      reported = excluded.reported, shown = excluded.shown`);
  const remove = database.prepare('DELETE FROM sessions WHERE id = ?');
  return {
    all: () => all.all().map((row) => toRecord(Row.parse(row))),
    save: (record) => {
      const { id, slug, type, path, adopted, createdAt, launch, launchId, screenId, window, daemon, agent } = record;
      const { claudeSessionId, claudeVersion, recording, endedAt, lastActivity, lastQuestion, hooks } = record;
      const { answerKey, clearedAt, removedAt, queueStoppedAt, typed, parkedAt, boot, stopAskedAt } = record;
      // The times of hooks and files contain fractions of a millisecond.
      const activeAt = lastActivity === null ? null : Math.round(lastActivity);
      save.run(
        ...[id, slug, path, adopted ? 1 : 0, createdAt, JSON.stringify(launch), launchId, screenId, window],
        ...[daemon?.pid ?? null, daemon?.startTime ?? null, agent?.pid ?? null, agent?.startTime ?? null],
        ...[claudeSessionId, claudeVersion, recording?.typescript ?? null, recording?.timing ?? null],
        ...[endedAt, activeAt, lastQuestion, toJson(hooks), type, answerKey, clearedAt, removedAt, queueStoppedAt],
        ...[toJson(typed), parkedAt, boot, stopAskedAt, toJson(record.loss), toJson(record.ended)],
        ...[JSON.stringify(record.reported), JSON.stringify(record.shown)],
      );
    },
    remove: (id) => void remove.run(id),
  };
}

const toJson = (value: unknown): string | null => (value === null ? null : JSON.stringify(value));

function toRecord(row: z.infer<typeof Row>): SessionRecord {
  return {
    id: row.id,
    slug: row.slug,
    type: row.type,
    path: row.path,
    adopted: row.adopted === 1,
    createdAt: row.created_at,
    launch: Launch.parse(JSON.parse(row.launch)),
    launchId: row.launch_id,
    screenId: row.screen_id,
    window: row.screen_window,
    daemon: toProcess(row.daemon_pid, row.daemon_start),
    agent: toProcess(row.agent_pid, row.agent_start),
    claudeSessionId: row.claude_session_id,
    claudeVersion: row.claude_version,
    recording: row.typescript === null ? null : { typescript: row.typescript, timing: row.timing },
    endedAt: row.ended_at,
    lastActivity: row.last_activity,
    lastQuestion: row.last_question,
    hooks: row.hooks === null ? null : JSON.parse(row.hooks),
    answerKey: row.answer_key,
    clearedAt: row.cleared_at,
    removedAt: row.removed_at,
    queueStoppedAt: row.queue_stopped_at,
    typed: row.typed === null ? null : TypedInput.parse(JSON.parse(row.typed)),
    parkedAt: row.parked_at,
    boot: row.boot,
    stopAskedAt: row.stop_asked_at,
    loss: row.loss === null ? null : LostSession.parse(JSON.parse(row.loss)),
    ended: row.ended === null ? null : EndedSession.parse(JSON.parse(row.ended)),
    reported: row.reported === null ? NOTHING_REPORTED : Reported.parse(JSON.parse(row.reported)),
    shown: row.shown === null ? [] : z.array(ShownDialog).parse(JSON.parse(row.shown)),
  };
}

function toProcess(pid: number | null, startTime: string | null): { pid: number; startTime: string } | null {
  return pid === null || startTime === null ? null : { pid, startTime };
}
