/** @typedef {{ status: number, body: unknown }} Answer */

const SINCE = '2026-11-20T15:04:05.123Z';

/**
 * @param {string} slug
 * @param {{ state: string, primary: string, detail: string, evidence: string, question?: unknown }} is
 */
const session = (slug, { state, primary, detail, evidence, question = null }) => ({
  slug,
  ...{ path: '/tmp', type: 'screen', screen_id: `100.${slug}`, pid: 101, attached: false, adopted: true, state },
  status: {
    ...{ primary, detail, health: 'ALIVE', since: SINCE, unchanged_ms: 0, quiet_ms: 0 },
    because: { source: 'hook', rule: 'hook.Stop', evidence },
    question,
  },
  ...{ created_at: SINCE, last_activity: SINCE, last_question: null, buffer_tail: 'Ran the tests ✓', model: null },
  ...{ claude_session_id: null, permission_mode: null, cost_usd: 0.5, context: null, effort: null },
  ...{ lines_added: 3, lines_removed: 1, cols: 80, rows: 24, json_state: null, max_budget_usd: null, rate_limit: null },
  ...{ recording_stopped_at: null, recording_stopped_because: null, brought_back: false, screen_prompt_at: null },
  ...{
    parked_at: null,
    queue_stopped_at: null,
    queued: 0,
    unread: true,
    news: 1,
    last_message: 'It is done — see below.',
  },
});

const SESSIONS = [
  session('AUTH', {
    ...{ state: 'waiting', primary: 'waiting', detail: 'permission', evidence: 'Bash: npm test' },
    question: {
      ...{
        id: 'q1',
        kind: 'permission',
        text: 'Do you want to proceed?',
        multi: false,
        questions: [],
        asked_at: SINCE,
      },
      tool: { name: 'Bash', input: { command: 'npm test' } },
      options: [
        { key: '1', label: 'Yes', description: null, means: 'yes' },
        { key: '2', label: 'No', description: 'and say what to do', means: 'no' },
      ],
    },
  }),
  session('DOCS', { state: 'waiting', primary: 'idle', detail: 'waiting_input', evidence: 'Stop' }),
  session('API', { state: 'thinking', primary: 'active', detail: 'thinking', evidence: 'UserPromptSubmit' }),
];

const RECORDINGS = {
  ...{ total_bytes: 1_000_000, max_total_size: 1_000_000_000, free_bytes: 1_000_000_000, fault: null },
  ...{ not_recorded: [], dropped: [] },
};

const NO_SUCH_SESSION = {
  error: { code: 'no_such_session', message: 'No session has this name', hint: 'cbos ls lists the sessions' },
};

/**
 * Returns a server's answer, so that a command has something to print. The answer need not be complete: it only
 * determines which functions' compiled code is stored.
 * @param {string} method @param {string} url
 * @returns {Answer}
 */
exports.answerTo = function answerTo(method, url) {
  const [path = ''] = url.split('?');
  if (path === '/sessions') return { status: 200, body: SESSIONS };
  if (path === '/recordings') return { status: 200, body: RECORDINGS };
  if (path.endsWith('/send')) return { status: 202, body: { id: 'd1', status: 'queued', phase: 'held', text: 'run' } };
  const found = SESSIONS.find(({ slug }) => path === `/sessions/${slug}`);
  if (found !== undefined) return { status: 200, body: found };
  return method === 'GET' && path === '/stash' ? { status: 200, body: [] } : { status: 404, body: NO_SUCH_SESSION };
};
