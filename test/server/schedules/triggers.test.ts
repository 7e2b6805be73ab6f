import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openDatabase } from '../../../src/platform/sqlite/database.ts';
import { createScheduleStore } from '../../../src/platform/sqlite/schedule-store.ts';
import { createScheduler, type Scheduler } from '../../../src/server/schedules/scheduler.ts';
import { checkSignature, SIGNED_WITHIN_MS } from '../../../src/server/schedules/signature.ts';
import { type FacesUnderTest, startFaces, TOKEN } from '../../harness/faces.ts';
import { ManualClock } from '../../harness/manual-clock.ts';
import { DONE } from '../../harness/some-sessions.ts';
import { waitFor } from '../../harness/wait-for.ts';

const BODY = '{"ref":"refs/heads/main"}';

let clock: ManualClock;
let server: FacesUnderTest;
let path: string;
let secret: string;
beforeEach(async () => {
  clock = new ManualClock(Date.UTC(2026, 0, 1, 12));
  server = await startFaces({ clock });
  server.sessions.add('CI', DONE);
  server.schedules.add({ name: 'DEPLOY', cron: 'never', session: 'CI', prompt: 'deploy it' });
  const made = server.schedules.createTrigger('DEPLOY');
  path = new URL(made.url).pathname;
  secret = made.secret;
});
afterEach(() => server[Symbol.asyncDispose]());

const bytesOf = (key: string): Buffer => Buffer.from(key.replace('whsec_', ''), 'base64');
const seconds = (): number => Math.floor(clock.now() / 1_000);

/** Signs as Standard Webhooks 1.0 says. */
function standard(body: string, { id = 'msg_1', time = String(seconds()), key = secret } = {}): Record<string, string> {
  const signature = createHmac('sha256', bytesOf(key)).update(`${id}.${time}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': `v1,${signature}` };
}
/** Signs as GitHub does. */
const github = (body: string, key = secret): Record<string, string> => ({
  'x-hub-signature-256': `sha256=${createHmac('sha256', key).update(body).digest('hex')}`,
  'x-github-delivery': 'f00d',
  'x-github-event': 'push',
});
async function post(
  headers: Record<string, string>,
  raw: string | Buffer = BODY,
  to = path,
): Promise<{ status: number; body: unknown }> {
  const more = { 'content-type': 'application/json', ...headers };
  const answer = await server.call(to, { method: 'POST', token: null, headers: more, raw });
  return { status: answer.status, body: answer.json() };
}
const runs = () => server.schedules.runs('DEPLOY');
const prompts = () => server.sessions.deliveries('CI').map(({ text }) => text);
/** The session takes no prompt in this test, so the queued one is taken back. */
const takePrompt = () => server.sessions.cancelDelivery('CI', 'd1');
const settled = () => waitFor(() => runs().every(({ outcome }) => outcome !== 'begun'), { describe: 'all runs ended' });

describe('a signed webhook runs a schedule', () => {
  test('a webhook may be signed as Standard Webhooks or GitHub do; the run names the webhook, and the body reaches no session', async () => {
    expect(await post(standard(BODY))).toMatchObject({ status: 202, body: { status: 'accepted' } });
    await settled();
    await takePrompt();
    expect(await post(github(BODY))).toMatchObject({ status: 202, body: { status: 'accepted' } });
    await settled();
    expect(prompts()).toEqual(['deploy it', 'deploy it']);
    expect(runs()).toMatchObject([
      { outcome: 'sent', by_hand: false, triggered_by: 'webhook' },
      { outcome: 'sent', by_hand: false, triggered_by: 'webhook' },
    ]);
  });

  test('whatever bytes the body has, and however its sender writes other languages', async () => {
    const body = '{"title":"Grüße 🚀 \u202e\\u0000 {{prompt}}"}';
    expect(await post(github(body), body)).toMatchObject({ status: 202, body: { status: 'accepted' } });
    // The same text with a combining accent is another body, and was not signed.
    const other = body.normalize('NFD');
    expect(other).not.toBe(body);
    expect((await post(github(body), other)).status).toBe(401);
    await settled();
    expect(prompts()).toEqual(['deploy it']);
  });

  test('with one of several signatures, as while a sender changes its secret', async () => {
    const headers = standard(BODY);
    const old = createHmac('sha256', 'old').update('x').digest('base64');
    headers['webhook-signature'] = `v1a,nothing v1,${old} ${headers['webhook-signature']}`;
    expect((await post(headers)).status).toBe(202);
  });

  test("GitHub's ping runs nothing", async () => {
    const headers = { ...github(BODY), 'x-github-event': 'ping' };
    expect(await post(headers)).toMatchObject({ status: 202, body: { status: 'ignored' } });
    expect(runs()).toEqual([]);
  });

  test('only while the schedule is not paused, and its last prompt is not waiting', async () => {
    await post(standard(BODY, { id: 'a' }));
    await settled();
    await post(standard(BODY, { id: 'b' }));
    server.schedules.pause('DEPLOY', true);
    await post(standard(BODY, { id: 'c' }));
    expect(runs().map(({ outcome, reason }) => reason ?? outcome)).toEqual(['sent', 'overlapping', 'paused']);
    expect(prompts()).toEqual(['deploy it']);
  });
});

describe('a repeated request runs nothing', () => {
  test.each(['standard', 'github'] as const)('%s: at once, by many at a time, and later', async (shape) => {
    const headers = shape === 'standard' ? standard(BODY) : github(BODY);
    const answers = await Promise.all(Array.from({ length: 10 }, () => post(headers)));
    expect(answers.map(({ body }) => (body as { status: string }).status).sort()).toEqual([
      'accepted',
      ...Array<string>(9).fill('repeated'),
    ]);
    await settled();
    await takePrompt();
    clock.advance(SIGNED_WITHIN_MS);
    expect(await post(headers)).toMatchObject({ status: 202, body: { status: 'repeated' } });
    expect(runs()).toHaveLength(1);
    expect(prompts()).toHaveLength(1);
  });

  test('with another id that GitHub did not sign, or in capitals', async () => {
    await post(github(BODY));
    const { 'x-hub-signature-256': signature = '' } = github(BODY);
    const loud = `sha256=${signature.slice(7).toUpperCase()}`;
    for (const more of [{ 'x-github-delivery': 'beef' }, { 'x-hub-signature-256': loud }]) {
      expect(await post({ ...github(BODY), ...more })).toMatchObject({ body: { status: 'repeated' } });
    }
    expect(runs()).toHaveLength(1);
  });

  test('an id with a full stop, by which a body could become an id or a time', async () => {
    // These headers sign the same bytes: `a.1.2.x`.
    const body = `${seconds()}.x`;
    const headers = standard(body, { id: 'a' });
    const { 'webhook-timestamp': time = '' } = headers;
    expect((await post({ ...headers, 'webhook-id': `a.${time}` }, 'x')).status).toBe(401);
    expect(runs()).toEqual([]);
  });
});

describe('nothing changes, and the sender learns no more than that', () => {
  test.each<[string, () => [Record<string, string>, string?]]>([
    ['without a signature', () => [{}]],
    ['with the token of CBOS only', () => [{ authorization: `Bearer ${TOKEN}` }]],
    ['with another secret', () => [standard(BODY, { key: `whsec_${Buffer.alloc(32).toString('base64')}` })]],
    ['with another secret, as GitHub', () => [github(BODY, 'another')]],
    ['with the bytes of the secret, as GitHub', () => [github(BODY, bytesOf(secret).toString('latin1'))]],
    ['with another body', () => [standard(BODY), BODY.replace('main', 'evil')]],
    ['with another body, as GitHub', () => [github(BODY), '']],
    ['with another id', () => [{ ...standard(BODY), 'webhook-id': 'msg_2' }]],
    ['with another time', () => [{ ...standard(BODY), 'webhook-timestamp': String(seconds() - 1) }]],
    ['with a part of the signature', () => [{ ...github(BODY), 'x-hub-signature-256': 'sha256=00' }]],
    ['with an empty signature', () => [{ ...standard(BODY), 'webhook-signature': 'v1,' }]],
    ['with a signature that is not text', () => [{ ...standard(BODY), 'webhook-signature': 'é\u00ff' }]],
    ['with a time that is not a number', () => [standard(BODY, { time: '1e9' })]],
    ['with an empty time', () => [standard(BODY, { time: '' })]],
    ['from six minutes ago', () => [standard(BODY, { time: String(seconds() - 360) })]],
    ['from six minutes ahead', () => [standard(BODY, { time: String(seconds() + 360) })]],
  ])('%s', async (_, sent) => {
    const [headers, body = BODY] = sent();
    const answer = await post(headers, body);
    expect(answer).toMatchObject({ status: 401, body: { error: { code: 'bad_signature' } } });
    expect(JSON.stringify(answer.body)).not.toMatch(/DEPLOY|deploy it|CI|whsec/);
    expect(runs()).toEqual([]);
  });

  test('with a body of more than a mebibyte, whether its length is announced or not', async () => {
    const big = Buffer.alloc(1024 * 1024 + 1, 0x20);
    const signed = github(big.toString());
    for (const more of [{}, { 'transfer-encoding': 'chunked' }]) {
      expect((await post({ ...signed, ...more }, big)).status).toBe(413);
    }
    expect(runs()).toEqual([]);
    const most = big.subarray(1);
    expect((await post(github(most.toString()), most)).status).toBe(202);
  });

  test('after twenty wrong ones there are too many; a valid one is still accepted, and people can still sign in', async () => {
    for (let index = 0; index < 20; index += 1) expect((await post({})).status).toBe(401);
    expect(await post({})).toMatchObject({ status: 429, body: { error: { code: 'too_many_attempts' } } });
    expect((await post({}, BODY, '/triggers/none')).status).toBe(429);
    expect((await post(standard(BODY))).status).toBe(202);
    expect((await server.call('/sessions')).status).toBe(200);
  });

  test('if there is no trigger: it was never created, it was removed, or its schedule was deleted', async () => {
    const gone = { status: 404, body: { error: { code: 'no_such_trigger' } } };
    expect(await post(standard(BODY), BODY, '/triggers/AAAA')).toMatchObject(gone);
    server.schedules.removeTrigger('DEPLOY');
    expect(await post(standard(BODY))).toMatchObject(gone);
    server.schedules.createTrigger('DEPLOY');
    server.schedules.remove('DEPLOY');
    expect(await post(standard(BODY))).toMatchObject(gone);
  });

  test('with the previous secret, once it was replaced', async () => {
    const headers = standard(BODY);
    const { url } = server.schedules.createTrigger('DEPLOY');
    expect(new URL(url).pathname).toBe(path);
    expect((await post(headers)).status).toBe(401);
  });
});

describe('the address of a trigger', () => {
  test('opens nothing else: no other method, no path below it, no other request', async () => {
    const signed = standard(BODY);
    for (const method of ['GET', 'PUT', 'DELETE', 'PATCH']) {
      expect((await server.call(path, { method, token: null, headers: signed })).status, method).toBe(401);
    }
    for (const other of [`${path}/x`, `${path}/../../sessions`, '/triggers/', '/schedules/DEPLOY/run', '/sessions']) {
      const { status } = await post(signed, BODY, other);
      expect([401, 403, 404], other).toContain(status);
    }
    expect(runs()).toEqual([]);
  });

  test('is not for pages of others, and its secret is in no list and no log', async () => {
    expect((await post({ ...standard(BODY), origin: 'https://evil.example' })).status).toBe(403);
    expect((await post({ ...standard(BODY), host: 'evil.example' })).status).toBe(403);
    expect(runs()).toEqual([]);
    await post(standard(BODY));
    expect(JSON.stringify([server.log, server.schedules.list(), runs()])).not.toContain(secret.slice(6, 20));
  });
});

test('a signature is valid for five minutes, not a millisecond longer', () => {
  const signed = { header: (name: string) => standard(BODY)[name] ?? null, body: Buffer.from(BODY) };
  const at = seconds() * 1_000;
  for (const [now, kind] of [
    [at + SIGNED_WITHIN_MS, 'valid'],
    [at - SIGNED_WITHIN_MS, 'valid'],
    [at + SIGNED_WITHIN_MS + 1, 'wrong'],
    [at - SIGNED_WITHIN_MS - 1, 'wrong'],
  ] as const) {
    expect(checkSignature(signed, secret, now)).toMatchObject({ kind });
  }
});

test.each(['before the prompt is saved', 'after it is saved'])(
  'a server killed %s: the next one runs it, once',
  async (when) => {
    const database = openDatabase(':memory:');
    const journal = new Set<string>();
    const typed: string[] = [];
    let dies = true;
    const sessions = {
      named: () => [{ id: 'id-CI', name: 'CI' }],
      delivery: () => {
        throw new Error('no delivery is known');
      },
      onEvent: () => () => undefined,
      send: async (_: string, { idempotency_key: key = '' }: { idempotency_key?: string }) => {
        if (dies && when.startsWith('before')) return new Promise(() => undefined);
        if (!journal.has(key)) typed.push(key);
        journal.add(key);
        return dies ? new Promise(() => undefined) : { id: 'd0' };
      },
    };
    const nothing = (): void => undefined;
    const serve = (): Scheduler => {
      const made = createScheduler({
        store: createScheduleStore(database),
        // The few methods that such a run uses.
        sessions: sessions as unknown as Parameters<typeof createScheduler>[0]['sessions'],
        clock,
        log: { debug: nothing, info: nothing, warn: nothing, error: nothing },
        timezone: 'UTC',
        baseUrl: () => 'http://127.0.0.1:1',
      });
      made.start();
      return made;
    };
    const first = serve();
    first.add({ name: 'DEPLOY', cron: 'never', session: 'CI', prompt: 'deploy it' });
    const made = first.createTrigger('DEPLOY');
    const id = made.url.split('/').at(-1) ?? '';
    const headers = standard(BODY, { key: made.secret });
    const request = {
      header: (name: string) => headers[name] ?? null,
      body: async () => Buffer.from(BODY),
      from: { remoteAddress: '192.0.2.1' },
    };
    expect(await first.trigger(id, request)).toEqual({ status: 'accepted' });
    expect(first.runs('DEPLOY')).toMatchObject([{ outcome: 'begun', triggered_by: 'webhook' }]);
    first.dispose();
    dies = false;
    const second = serve();
    await waitFor(() => second.runs('DEPLOY')[0]?.outcome === 'sent', { describe: 'the run was carried out' });
    // The sender saw no answer, and sends again.
    expect(await second.trigger(id, request)).toEqual({ status: 'repeated' });
    expect(second.runs('DEPLOY')).toHaveLength(1);
    expect(typed).toHaveLength(1);
    second.dispose();
    database.close();
  },
);
