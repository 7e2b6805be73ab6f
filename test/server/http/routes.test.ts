import { createHash } from 'node:crypto';
import { mkdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Review, type ReviewComment, ROUTES, type RouteName, type Session } from '../../../src/protocol/index.ts';
import { type FacesUnderTest, startFaces, TOKEN } from '../../harness/faces.ts';
import { createRepository } from '../../harness/git-repository.ts';
import { addDecision } from '../../harness/memory-rules.ts';
import { addQuietSchedule, signedTrigger } from '../../harness/memory-schedules.ts';
import { namingSetUp, trustedSetUp } from '../../harness/named-set-up.ts';
import { callRoute, ELSEWHERE, type RestInput } from '../../harness/rest.ts';
import { passRequest, signInAsPage } from '../../harness/signed-in-page.ts';
import { someSession } from '../../harness/some-session.ts';
import { asking } from '../../harness/some-sessions.ts';
import { addDeafSink, addHearingSink } from '../../harness/some-sinks.ts';
import { runTurn } from '../../harness/some-turns.ts';
import { createWorktreeRepository } from '../../harness/worktree-repository.ts';

let server: FacesUnderTest;

const origin = (): string => `http://127.0.0.1:${server.port}`;
type PageInput = RestInput & { headers: Record<string, string> };

const { status } = someSession('X');
const WAITING: Partial<Session> = { state: 'waiting', status: { ...status, primary: 'idle', detail: 'waiting_input' } };
const LIMIT_OVER: Partial<Session> = { ...WAITING, limit_over_at: '2026-11-20T15:04:05.123Z' };
const QUESTION = asking();

type RouteOfOne = Exclude<RouteName, keyof typeof ELSEWHERE>;

/** One successful request for each route. A route without one does not compile. */
const SUCCESSES: Record<RouteOfOne, RestInput & { before?: () => unknown; asPage?: () => Promise<PageInput> }> = {
  health: {},
  signIn: { body: { token: TOKEN } },
  challenge: {
    asPage: async () => ({ headers: { origin: origin() }, body: { id: 'x', nonce: 'n'.repeat(20) } }),
  },
  pass: {
    asPage: async () => {
      const page = await signInAsPage(server);
      return { headers: { origin: origin() }, body: await passRequest(server, page) };
    },
  },
  signedIn: {},
  signOut: {},
  createSignInLink: {},
  pushKey: {},
  subscribePush: {
    body: { endpoint: 'https://push.example/1', expirationTime: null, keys: { p256dh: 'BAAA', auth: 'AAAA' } },
  },
  unsubscribePush: { body: { endpoint: 'https://push.example/1' } },
  listSessions: { query: { state: 'idle' } },
  ...{ countSessions: {}, waitingSessions: {} },
  createSession: { body: { slug: 'NEW', path: '/tmp', args: ['-c'], env: { A: 'b' }, cols: 100, rows: 30 } },
  adoptSession: { body: { screen_id: '12.work' } },
  getSession: { params: { slug: 'AUTH' } },
  patchSession: { params: { slug: 'AUTH' }, body: { slug: 'LOGIN' } },
  deleteSession: { params: { slug: 'AUTH' } },
  killSession: { params: { slug: 'AUTH' } },
  setPath: { params: { slug: 'AUTH' }, body: { path: '/' } },
  convertSession: { params: { slug: 'AUTH' }, body: { type: 'json' } },
  conversations: {},
  parkSession: { params: { slug: 'AUTH' } },
  wakeSession: { params: { slug: 'AUTH' } },
  tagSession: { params: { slug: 'AUTH' }, body: { add: ['night'] } },
  archiveSession: {
    params: { slug: 'AUTH' },
    before: () => void server.sessions.change('AUTH', { parked_at: '2026-11-20T15:04:05.123Z' }),
  },
  unarchiveSession: { params: { slug: 'AUTH' } },
  resources: {},
  restore: { body: { dry_run: true } },
  restoration: {},
  restartSession: { params: { slug: 'AUTH' }, before: () => void server.sessions.kill('AUTH') },
  send: { params: { slug: 'AUTH' }, body: { text: 'hello' } },
  answer: {
    params: { slug: 'AUTH' },
    body: { choice: 'yes' },
    before: () => void server.sessions.change('AUTH', QUESTION),
  },
  listDeliveries: { params: { slug: 'AUTH' }, before: () => queued() },
  getDelivery: { params: { slug: 'AUTH', id: 'd1' }, before: () => queued() },
  patchDelivery: { params: { slug: 'AUTH', id: 'd1' }, body: { text: 'other' }, before: () => queued() },
  cancelDelivery: { params: { slug: 'AUTH', id: 'd1' }, before: () => queued() },
  keys: { params: { slug: 'AUTH' }, body: { keys: '\u0003' } },
  resize: { params: { slug: 'AUTH' }, body: { cols: 120, rows: 40 } },
  continueSession: { params: { slug: 'AUTH' }, before: () => void server.sessions.change('AUTH', LIMIT_OVER) },
  interrupt: {
    params: { slug: 'AUTH' },
    before: () => void server.sessions.change('AUTH', { status: { ...status, primary: 'active', detail: 'thinking' } }),
  },
  resumeQueue: { params: { slug: 'AUTH' } },
  markSeen: { params: { slug: 'AUTH' }, body: { news: 0 } },
  markUnseen: { params: { slug: 'AUTH' } },
  snoozeSession: { params: { slug: 'AUTH' }, body: { until_asks: true } },
  unsnoozeSession: { params: { slug: 'AUTH' } },
  buffer: { params: { slug: 'AUTH' }, query: { lines: '10', format: 'text' } },
  terminal: { params: { slug: 'AUTH' }, query: { from: '0', wait_ms: '1' } },
  olderRecordings: { params: { slug: 'AUTH' } },
  replay: { params: { slug: 'AUTH' } },
  replayFrame: { params: { slug: 'AUTH' }, query: { t: '1.5' } },
  replayOutput: { params: { slug: 'AUTH' }, query: { from: '0', limit: '10' } },
  stream: { params: { slug: 'AUTH' }, query: { from: '3' } },
  explain: { params: { slug: 'AUTH' } },
  transcript: { params: { slug: 'AUTH' }, query: { after: '0' } },
  history: { params: { slug: 'AUTH' }, query: { since: '2026-01-01T00:00:00Z' } },
  invoke: { params: { slug: 'JSON' }, body: { prompt: 'hello' }, before: () => json() },
  events: { params: { slug: 'JSON' }, query: { after: '1', limit: '10' }, before: () => json() },
  lastResponse: { params: { slug: 'JSON' }, query: { delivery: 'd1' }, before: () => json() },
  sessionCosts: { params: { slug: 'JSON' }, before: () => json() },
  ...{ costs: {}, recordings: {} },
  historyDays: { query: { session: 'AUTH', since: '2026-01-01' } },
  search: { query: { q: 'deploy', session: 'AUTH', kind: 'screen', limit: '5' } },
  listStash: { before: () => kept() },
  addStash: { body: { session_slug: 'AUTH', response: 'later', question: 'When?', when: 'next_waiting' } },
  applyStash: { params: { id: 'r1' }, before: () => kept() },
  removeStash: { params: { id: 'r1' }, before: () => kept() },
  listRules: { query: { folder: '/tmp' } },
  addRule: { body: { effect: 'allow', command: 'npm test', only: 'AUTH', count: 2 } },
  removeRule: { params: { id: 'r1' }, before: () => ruled() },
  ...{ catchup: {}, memory: {}, forgetMemory: {} },
  questionMemory: { params: { slug: 'AUTH' }, before: () => void server.sessions.change('AUTH', QUESTION) },
  testRules: { body: { tool: 'Bash', input: { command: 'npm test' }, session: 'AUTH' } },
  suggestRules: {},
  trustRules: { asPage: async () => ({ headers: {}, body: project(false) }) },
  untrustRules: { asPage: async () => ({ headers: {}, body: { path: project(true).path } }) },
  listSinks: { before: () => addDeafSink(server, 'PHONE') },
  addSink: { body: { name: 'BOT', kind: 'telegram', chat: '12', token: '1:x', quiet: '22:00-07:00' } },
  removeSink: { params: { name: 'GONE' }, before: () => addDeafSink(server, 'GONE') },
  testSink: { asPage: async () => ({ headers: {}, params: { name: await addHearingSink(server) } }) },
  listSchedules: {},
  addSchedule: { body: { name: 'NIGHTLY', cron: '0 7 * * 1-5', session: 'AUTH', prompt: 'run the tests' } },
  scheduleTimes: { query: { cron: '0 7 * * 1-5' } },
  changeSchedule: {
    params: { name: 'CHANGED' },
    body: { prompt: 'run all tests' },
    before: () => addQuietSchedule(server.schedules, 'CHANGED'),
  },
  removeSchedule: { params: { name: 'GONE' }, before: () => addQuietSchedule(server.schedules, 'GONE') },
  pauseSchedule: { params: { name: 'PAUSED' }, before: () => addQuietSchedule(server.schedules, 'PAUSED') },
  resumeSchedule: { params: { name: 'RESUMED' }, before: () => addQuietSchedule(server.schedules, 'RESUMED') },
  runSchedule: { params: { name: 'RUN' }, before: () => addQuietSchedule(server.schedules, 'RUN') },
  scheduleRuns: { params: { name: 'LISTED' }, before: () => addQuietSchedule(server.schedules, 'LISTED') },
  createTrigger: { params: { name: 'HOOKED' }, before: () => addQuietSchedule(server.schedules, 'HOOKED') },
  removeTrigger: { params: { name: 'UNHOOKED' }, before: () => addQuietSchedule(server.schedules, 'UNHOOKED') },
  trigger: { asPage: async () => signedTrigger(server.schedules) },
  listBudgets: {},
  raiseBudget: { params: { name: 'fleet' }, body: {} },
  audit: { query: { session: 'AUTH', since: '2026-01-01T00:00:00Z', limit: '5', before: '9', brief: 'true' } },
  auditRecord: { params: { id: '1' }, before: () => void addDecision(server.approvals) },
  completeFolder: { query: { path: '~/' } },
  completePrompt: { params: { slug: 'AUTH' }, query: { word: '@a' } },
  broadcast: { body: { text: 'hello', all: true } },
  changes: { params: { slug: 'AUTH' }, before: () => inRepository() },
  patch: { params: { slug: 'AUTH' }, query: { file: 'a.txt' }, before: () => inRepository() },
  changedSide: {
    params: { slug: 'AUTH' },
    query: { file: 'a.txt', side: 'new' },
    before: () => inRepository({ 'a.txt': 'a\n' }),
  },
  review: { params: { slug: 'AUTH' }, before: () => inRepository() },
  addReviewComment: {
    params: { slug: 'AUTH' },
    body: { file: 'a.txt', line: 1, text: 'Why?' },
    before: () => inRepository({ 'a.txt': 'a\n' }),
  },
  removeReviewComment: {
    asPage: async () => ({ headers: {}, params: { slug: 'AUTH', id: (await commented()).id } }),
  },
  sendReview: {
    body: { prompt: 'x' },
    asPage: async () => ({ headers: {}, params: { slug: 'AUTH' }, body: await reviewed() }),
  },
  markReviewed: {
    params: { slug: 'AUTH' },
    body: { file: 'a.txt', reviewed: true },
    before: () => inRepository({ 'a.txt': 'a\n' }),
  },
  listTurns: { params: { slug: 'AUTH' }, before: () => inRepository() },
  rewindSession: { params: { slug: 'AUTH' }, body: { turn: 1, to: 'begin' }, before: () => afterTurn() },
  checkpointFiles: { params: { slug: 'AUTH', turn: '1' }, before: () => afterTurn() },
  checkpointChanges: { params: { slug: 'AUTH', turn: '1' }, before: () => afterTurn() },
  checkpointFile: { params: { slug: 'AUTH', turn: '1' }, query: { path: 'a.txt' }, before: () => afterTurn() },
  forkSession: { params: { slug: 'AUTH' }, body: { slug: 'FORK' }, before: () => inWorktree() },
  previewFinish: { params: { slug: 'AUTH' }, before: () => inWorktree() },
  finishSession: { params: { slug: 'AUTH' }, body: { how: 'discard', stop: true }, before: () => inWorktree() },
  skipSetUp: { params: { slug: 'AUTH' }, before: () => inWorktree() },
  listWorktrees: { asPage: async () => ({ headers: {}, query: { path: namingSetUp(server.world).path } }) },
  trustSetUp: { asPage: async () => ({ headers: {}, body: namingSetUp(server.world) }) },
  untrustSetUp: { asPage: async () => ({ headers: {}, body: await trustedSetUp(server) }) },
  listSaved: { query: { path: '/tmp' } },
  recover: { asPage: async () => ({ headers: {}, body: await saved() }) },
};
/** Gives AUTH a worktree. */
const inWorktree = (): void => {
  const repository = createWorktreeRepository(server.world, 'repository-of-auth');
  repository.commit('first', { 'a.txt': 'a\n' });
  const path = `${repository.path}/tree`;
  repository.git('worktree', 'add', '--quiet', '-b', 'fix', path);
  const at = { path, repository: repository.path, branch: 'fix', base: 'main' };
  const set_up = {
    command: 'npm ci',
    from: 'settings',
    state: 'pending',
    exit_code: null,
    after_failure: 'stop',
  } as const;
  const more = { new_branch: true, left_out: [], set_up: { ...set_up, at: '2026-11-20T15:04:05.123Z' } };
  server.sessions.change('AUTH', { path, worktree: { ...at, ...more } });
};
/** Saves something by a finish, and returns the input that requests it. */
const saved = async (): Promise<{ repository: string; id: string; folder: null; branch: string }> => {
  inWorktree();
  const { worktree } = await server.sessions.finish('AUTH', { how: 'discard', stop: true });
  return { repository: worktree?.repository ?? '', id: worktree?.finished?.saved ?? '', folder: null, branch: 'back' };
};
/** Plays a turn of AUTH in a repository. */
const afterTurn = async (): Promise<void> => {
  inRepository({ 'a.txt': 'a\n' });
  await runTurn(server, 'AUTH', { prompt: 'do it', work: () => undefined });
};
const inRepository = (files: Readonly<Record<string, string>> = {}): void => {
  const repository = createRepository(server.world);
  for (const [name, text] of Object.entries(files)) repository.write(name, text);
  server.sessions.change('AUTH', { path: repository.dir });
};
const commented = async (): Promise<ReviewComment> => {
  inRepository({ 'a.txt': 'a\n' });
  const body = { file: 'a.txt', line: 1, text: 'Why?' };
  return (await callRoute(server, 'addReviewComment', { params: { slug: 'AUTH' }, body })).json() as ReviewComment;
};
/** Adds comments, and returns the input that sends their round. */
const reviewed = async (): Promise<{ prompt: string }> => {
  await commented();
  const review = (await callRoute(server, 'review', { params: { slug: 'AUTH' } })).json() as Review;
  return { prompt: review.prompt ?? '' };
};
const ruled = (): void =>
  server.rules.add({ id: 'r1', sessionId: null, effect: 'deny', fields: { tool: 'X' }, createdAt: 1 });
function project(isTrusted: boolean): { path: string; sha256: string } {
  const folder = server.world.project('ruled');
  const content = '[[deny]]\ntool = "X"\n';
  mkdirSync(join(folder, '.cbos'));
  writeFileSync(join(folder, '.cbos/rules.toml'), content);
  const sha256 = createHash('sha256').update(content).digest('hex');
  if (isTrusted) server.rules.trust({ folder: realpathSync(folder), sha256, content }, 1);
  return { path: folder, sha256 };
}
const json = (): void => {
  server.sessions.addWithoutRecording('JSON', { type: 'json' });
  server.sessions.happen('JSON', { type: 'system', subtype: 'init' }, { type: 'result', result: 'Hello!' });
};
const queued = (): void => void server.sessions.send('AUTH', { text: 'hello', queue: true });
const kept = (): void => void server.sessions.addToStash({ session_slug: 'AUTH', response: 'later' });
const NAMES = (Object.keys(ROUTES) as RouteName[]).filter((name): name is RouteOfOne => !(name in ELSEWHERE));
const OF_A_SESSION = NAMES.filter((name) => ROUTES[name].path.includes('{slug}'));

describe('every route', () => {
  beforeEach(async () => {
    server = await startFaces();
  });
  afterEach(() => server[Symbol.asyncDispose]());

  test.each(NAMES)('%s answers as its entry describes', async (name) => {
    server.sessions.add('AUTH');
    await SUCCESSES[name].before?.();
    const answer = await callRoute(server, name, (await SUCCESSES[name].asPage?.()) ?? SUCCESSES[name]);
    expect(answer.status, answer.text).toBe(ROUTES[name].success);
  });
});

/** Requests that change nothing share a server. */
describe('a folder that was removed', () => {
  beforeEach(async () => {
    server = await startFaces();
  });
  afterEach(() => server[Symbol.asyncDispose]());

  test.each(NAMES)('is no unexpected failure of %s, and is not taken for a missing git', async (name) => {
    server.sessions.add('AUTH', { path: server.world.project('auth') });
    const { before, asPage, ...given } = SUCCESSES[name];
    await before?.();
    const input = { ...given, ...(await asPage?.()) };
    const { path, worktree } = server.sessions.get('AUTH');
    const folders = [path, worktree?.repository, (input.body as { repository?: string } | undefined)?.repository];
    for (const folder of folders)
      if (folder?.startsWith(server.world.dir)) rmSync(folder, { recursive: true, force: true });
    const { status: answered, text } = await callRoute(server, name, input as RestInput);
    expect(answered, text).not.toBe(500);
    expect(text).not.toContain('git_not_found');
    expect(server.log.filter(({ level }) => level === 'error')).toEqual([]);
  });
});

describe('on a server without sessions', () => {
  beforeAll(async () => {
    server = await startFaces();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  test.each(OF_A_SESSION)('%s of a session that does not exist, or cannot exist, is no_such_session', async (name) => {
    const none = ['NONE', '../x', '-X', 'a\nb', '$(id)', 'x'.repeat(200), 'a/b', '%2e%2e', '\u0000', 'constructor'];
    for (const slug of none) {
      const answer = await callRoute(server, name, { ...SUCCESSES[name], params: { slug, id: 'd1', turn: '1' } });
      expect(answer.code()).toBe('no_such_session');
    }
  });

  test.each([
    ['listWorktrees', { query: { path: '/a\0b' } }],
    ['trustSetUp', { body: { path: '/a\0b', sha256: 'a'.repeat(64) } }],
    ['untrustSetUp', { body: { path: '/a\0b' } }],
    ['listSaved', { query: { path: '/a\0b' } }],
    ['recover', { body: { repository: '/a\0b', id: 'x' } }],
    ['recover', { body: { repository: '/', id: 'x', folder: '/a\0b' } }],
    ['memory', { query: { project: '/a\0b' } }],
  ] as const)('%s refuses a path with a NUL, and names the field: %j', async (name, input) => {
    const answer = await callRoute(server, name, input);
    expect(answer.code()).toBe('invalid_request');
    expect(answer.text).toContain('a path cannot contain a NUL');
  });

  test('every answer states that it is not a page', async () => {
    for (const path of ['/health', '/sessions', '/nothing', '/', '/openapi.json']) {
      const { headers } = await server.call(path);
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
      });
      expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
    }
    expect((await server.call('/sessions', { token: null })).headers['x-content-type-options']).toBe('nosniff');
  });
});
