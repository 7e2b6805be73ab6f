import { CatalogueError, NOTHING_KEPT, type Session, withoutLabels } from '../../src/protocol/index.ts';

export const SINCE = '2026-11-20T15:04:05.123Z';

/** Returns a session that waits for its first prompt. */
export function someSession(slug: string, some: Partial<Session> = {}): Session {
  return {
    slug,
    path: '/tmp',
    type: 'screen',
    screen_id: `100.${slug}`,
    pid: 101,
    attached: false,
    adopted: true,
    state: 'idle',
    status: {
      primary: 'idle',
      detail: 'ready',
      health: 'ALIVE',
      since: SINCE,
      unchanged_ms: 0,
      quiet_ms: 0,
      because: { source: 'hook', rule: 'hook.SessionStart', evidence: 'startup' },
      question: null,
    },
    created_at: SINCE,
    last_activity: SINCE,
    last_question: null,
    buffer_tail: null,
    claude_session_id: null,
    permission_mode: null,
    model: null,
    cost_usd: null,
    context: null,
    effort: null,
    lines_added: null,
    lines_removed: null,
    cols: 80,
    rows: 24,
    json_state: null,
    max_budget_usd: null,
    rate_limit: null,
    recording_stopped_at: null,
    recording_stopped_because: null,
    brought_back: false,
    screen_prompt_at: null,
    parked_at: null,
    queue_stopped_at: null,
    ...NOTHING_KEPT,
    ...withoutLabels(),
    ...some,
  };
}

/** Returns the change that leaves out the set-up of a session's worktree. */
export function withoutSetUp({ worktree }: Session): Pick<Session, 'worktree'> {
  if (worktree?.set_up === undefined) throw new CatalogueError('no_set_up');
  return { worktree: { ...worktree, set_up: { ...worktree.set_up, state: 'skipped' } } };
}
