/**
 * A body for each request that has one, as a person would send it. A test checks that the server accepts each, and
 * that none is missing.
 * @type {Readonly<Record<string, unknown>>}
 */
export const REST_EXAMPLES = {
  signIn: { token: 'the token that `cbos token` prints' },
  challenge: { id: 'a1b2c3d4', nonce: '00112233445566778899aabbccddeeff' },
  pass: {
    id: 'a1b2c3d4',
    nonce: '00112233445566778899aabbccddeeff',
    server_nonce: 'ffeeddccbbaa99887766554433221100',
    proof: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822c',
  },
  subscribePush: {
    endpoint: 'https://push.example/abc',
    keys: { p256dh: 'BNcRdreALRFXTkOOUHK1EtK2wtaz5Ry4YfYCAAbc', auth: 'tBHItJI5svbpez7KI4CCXg' },
  },
  unsubscribePush: { endpoint: 'https://push.example/abc' },
  createSession: { slug: 'AUTH', path: '/home/me/src/auth', prompt: 'run the tests' },
  adoptSession: { screen_id: '4711.work', slug: 'AUTH' },
  patchSession: { slug: 'LOGIN' },
  setPath: { path: '/home/me/src/auth' },
  markSeen: {},
  snoozeSession: { until_asks: true },
  tagSession: { add: ['night'], remove: ['old'] },
  restore: { dry_run: true },
  addReviewComment: { file: 'src/login.ts', line: 41, side: 'now', text: 'this also runs for guests' },
  sendReview: { prompt: 'src/login.ts:41: this also runs for guests' },
  markReviewed: { file: 'src/login.ts', reviewed: true },
  addSchedule: { name: 'NIGHTLY', cron: '0 7 * * 1-5', session: 'CI', prompt: 'run the tests' },
  rewindSession: { turn: 3, to: 'begin' },
  send: { text: 'run the tests', idempotency_key: 'build-1412' },
  answer: { choice: 'yes' },
  patchDelivery: { text: 'run the tests, and then the linter' },
  keys: { keys: '\u001b[A' },
  resize: { cols: 160, rows: 45 },
  finishSession: { how: 'merge' },
  recover: { repository: '/home/me/src/shop', id: '20261123-101500-LOGIN' },
  convertSession: { type: 'json' },
  invoke: { prompt: 'run the tests' },
  addStash: { session_slug: 'AUTH', response: 'and now the documentation' },
  addRule: { effect: 'allow', command: ['npm test'], session: ['AUTH'] },
  testRules: { tool: 'Bash', input: { command: 'git push' } },
  trustRules: { path: '/home/me/src/shop', sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08' },
  untrustRules: { path: '/home/me/src/shop' },
  broadcast: { text: 'pull main', state: 'ready' },
};
