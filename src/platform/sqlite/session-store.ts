import { z } from 'zod';
import { Loss, SessionType, Worktree } from '../../protocol/index.ts';
import type { Database } from './database.ts';
import { KeptStatements } from './kept-statements.ts';
import { NOTHING_REPORTED, Reported } from './reported.ts';
import { ShownDialog } from './shown-dialog.ts';
import { flag, json, Table } from './table.ts';

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

const Columns = z.object({
  /** the session's id, which does not change when the session is renamed or restarted */
  id: z.string(),
  slug: z.string(),
  type: SessionType,
  path: z.string().nullable(),
  /** false if something else started the session and CBOS only observes it */
  adopted: flag,
  createdAt: z.number(),
  launch: json(Launch),
  /** the mark in the environment of this launch's processes, or null for a session that CBOS did not launch */
  launchId: z.string().nullable(),
  screenId: z.string().nullable(),
  screenWindow: z.string(),
  daemonPid: z.number().nullable(),
  daemonStart: z.string().nullable(),
  agentPid: z.number().nullable(),
  agentStart: z.string().nullable(),
  claudeSessionId: z.string().nullable(),
  /** the version of Claude Code, such as `2.1.329`, or null if nothing has reported it yet */
  claudeVersion: z.string().nullable(),
  typescript: z.string().nullable(),
  timing: z.string().nullable(),
  endedAt: z.number().nullable(),
  lastActivity: z.number().nullable(),
  lastQuestion: z.string().nullable(),
  /** the evidence from hooks, as accumulated by core, so that a restarted server knows what hooks have reported */
  hooks: json(z.unknown()).nullable(),
  /**
   * the digits that were typed as the last answers, or null if the prompt cannot contain such a digit; a digit ends up
   * in the prompt if its dialog had already closed
   */
  answerKey: z.string().nullable(),
  /** when a keypress last cleared the session's prompt, in Unix milliseconds */
  clearedAt: z.number().nullable(),
  /** when an interrupt paused the session's queue, in Unix milliseconds, or null if queued prompts may be sent */
  queueStoppedAt: z.number().nullable(),
  /**
   * what was last typed into the prompt, which is kept to check whether it has been read, or null if nothing was typed
   * or all of it has been read
   */
  typed: json(TypedInput).nullable(),
  /**
   * when someone requested that the session be deleted, in Unix milliseconds; if a crash interrupts the deletion, the
   * next server completes it
   */
  removedAt: z.number().nullable(),
  /**
   * since when the session has been parked, in Unix milliseconds; this is saved before the process is ended, so if it
   * is set and `endedAt` is not, the server died while it was parking the session
   */
  parkedAt: z.number().nullable(),
  /** the kernel's id of the boot during which the session's processes were last seen, or null if unknown */
  boot: z.string().nullable(),
  /**
   * when someone requested that the session be ended, in Unix milliseconds; this is saved before the processes are
   * ended, so that the next server does not count the session as lost. A launch clears it
   */
  stopAskedAt: z.number().nullable(),
  /** null if the session is not lost; a launch clears it */
  loss: json(LostSession).nullable(),
  /** how the last launch ended; a launch keeps it only if a turn was interrupted, and the next turn clears it */
  ended: json(EndedSession).nullable(),
  reported: json(Reported)
    .nullable()
    .transform((reported) => reported ?? NOTHING_REPORTED),
  /** the dialogs that were shown as questions, the newest last */
  shown: json(z.array(ShownDialog).readonly())
    .nullable()
    .transform((shown) => shown ?? []),
});
type Columns = z.infer<typeof Columns>;

type Gathered = 'screenWindow' | 'daemonPid' | 'daemonStart' | 'agentPid' | 'agentStart' | 'typescript' | 'timing';

/** What CBOS needs to know about a session to find it again after a crash. Times are in Unix milliseconds. */
export interface SessionRecord extends Omit<Columns, Gathered> {
  /** the number of the session's window in Screen; sessions that CBOS launched have only one window */
  window: string;
  /** Screen's daemon, or null if the session has never been seen alive */
  daemon: { pid: number; startTime: string } | null;
  /** the Claude Code process, identified by its pid and start time */
  agent: { pid: number; startTime: string } | null;
  recording: { typescript: string; timing: string | null } | null;
}

export interface SessionStore {
  /** all sessions, oldest first */
  all(): SessionRecord[];
  /** inserts or replaces a session */
  save(record: SessionRecord): void;
  /** deletes a session together with its history and its deliveries */
  remove(id: string): void;
}

export function createSessionStore(database: Database): SessionStore {
  const sql = new KeptStatements(database);
  const table = new Table(sql, 'sessions', Columns);
  return {
    all: () => table.all('ORDER BY rowid').map(toRecord),
    save: ({ window, daemon, agent, recording, lastActivity, ...record }) =>
      table.save(
        {
          ...record,
          screenWindow: window,
          daemonPid: daemon?.pid ?? null,
          daemonStart: daemon?.startTime ?? null,
          agentPid: agent?.pid ?? null,
          agentStart: agent?.startTime ?? null,
          typescript: recording?.typescript ?? null,
          timing: recording?.timing ?? null,
          // The times of hooks and files contain fractions of a millisecond.
          lastActivity: lastActivity === null ? null : Math.round(lastActivity),
        },
        'id',
      ),
    remove: (id) => void sql.run('DELETE FROM sessions WHERE id = ?', id),
  };
}

function toRecord(row: Columns): SessionRecord {
  const { screenWindow: window, daemonPid, daemonStart, agentPid, agentStart, typescript, timing, ...record } = row;
  return {
    ...record,
    window,
    daemon: toProcess(daemonPid, daemonStart),
    agent: toProcess(agentPid, agentStart),
    recording: typescript === null ? null : { typescript, timing },
  };
}

function toProcess(pid: number | null, startTime: string | null): { pid: number; startTime: string } | null {
  return pid === null || startTime === null ? null : { pid, startTime };
}
