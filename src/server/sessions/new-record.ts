import { v7 as uuid } from 'uuid';
import { NOTHING_REPORTED } from '../../platform/sqlite/reported.ts';
import type { SessionRecord } from '../../platform/sqlite/session-store.ts';
import type { NewSession, SessionType, Worktree } from '../../protocol/index.ts';

/**
 * The default size of a session's terminal: large enough for Claude Code's dialogs, but small enough for a laptop's
 * screen.
 */
const DEFAULT_SIZE = { cols: 160, rows: 45 };

/** Returns the record of a session that has never been launched. @param now the current time, in Unix milliseconds */
export function newRecord(
  request: Omit<NewSession, 'path'> & { type: SessionType; made?: Worktree | null },
  path: string | null,
  now: number,
): SessionRecord {
  return {
    id: uuid(),
    slug: request.slug,
    type: request.type,
    path,
    adopted: true,
    createdAt: now,
    launch: {
      args: request.args ?? [],
      env: request.env ?? {},
      permission_mode: request.permission_mode ?? null,
      model: request.model ?? null,
      cols: request.cols ?? DEFAULT_SIZE.cols,
      rows: request.rows ?? DEFAULT_SIZE.rows,
      max_budget_usd: request.max_budget_usd ?? null,
      trusted_folder: null,
      ...(request.made ? { worktree: request.made } : {}),
      ...(request.same_folder === true ? { same_folder: true } : {}),
    },
    launchId: null,
    screenId: null,
    window: '0',
    daemon: null,
    agent: null,
    claudeSessionId: null,
    claudeVersion: null,
    recording: null,
    endedAt: null,
    lastActivity: null,
    lastQuestion: null,
    hooks: null,
    answerKey: null,
    clearedAt: null,
    typed: null,
    removedAt: null,
    queueStoppedAt: null,
    parkedAt: null,
    boot: null,
    stopAskedAt: null,
    loss: null,
    ended: null,
    reported: NOTHING_REPORTED,
    shown: [],
  };
}
