import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type FacesUnderTest, startFaces } from '../../harness/faces.ts';
import { type PushEndpoint, readVapid, startPushEndpoint } from '../../harness/push-endpoint.ts';
import { asking, DONE, WORKING } from '../../harness/some-sessions.ts';
import { waitFor } from '../../harness/wait-for.ts';

let server: FacesUnderTest;
let endpoint: PushEndpoint;
beforeEach(async () => {
  server = await startFaces();
  endpoint = await startPushEndpoint();
});
afterEach(async () => {
  await server[Symbol.asyncDispose]();
  await endpoint.close();
});

const subscribe = () => server.call('/push/subscriptions', { body: endpoint.subscription });
const messages = () => endpoint.received.map(({ body }) => endpoint.decrypt(body));
const untilReceived = (count: number) =>
  waitFor(() => endpoint.received.length >= count, {
    describe: `${count} pushes`,
    actual: () => endpoint.received.length,
  });

describe('a browser that subscribed', () => {
  test('is notified when a session begins to need a person, encrypted only for it and signed by the key that it knows', async () => {
    server.sessions.add('AUTH');
    expect((await subscribe()).status).toBe(201);
    server.sessions.change('AUTH', asking());
    await untilReceived(1);
    expect(messages()).toEqual([{ session: 'AUTH', title: 'AUTH asks permission', body: 'Bash: npm test' }]);
    const [first] = endpoint.received;
    expect(first?.body.toString('latin1')).not.toContain('npm test');
    const { key, claims } = readVapid(first?.headers.authorization);
    expect(key).toBe(((await server.call('/push')).json() as { public_key: string }).public_key);
    expect(claims.aud).toBe(new URL(endpoint.subscription.endpoint).origin);
    expect(first?.headers).toMatchObject({ urgency: 'high', 'content-encoding': 'aes128gcm' });
  });

  test('is notified once per question, and about nothing that needs nobody', async () => {
    server.sessions.add('AUTH');
    await subscribe();
    server.sessions.change('AUTH', WORKING);
    server.sessions.change('AUTH', asking({ options: [] }));
    server.sessions.change('AUTH', asking());
    server.sessions.change('AUTH', DONE);
    server.sessions.change('AUTH', asking({ id: 'q2', kind: 'question', tool: null, text: 'Which one?' }));
    await untilReceived(2);
    expect(messages()).toMatchObject([{ title: 'AUTH asks permission' }, { title: 'AUTH asks', body: 'Which one?' }]);
  });

  test('is not notified again about sessions that needed a person before the server started', async () => {
    await subscribe();
    await server.faces.close();
    server.sessions.add('AUTH', asking());
    await using again = await startFaces({ settings: { home: server.world.cbosHome } });
    again.sessions.add('AUTH');
    again.sessions.change('AUTH', asking({ id: 'q9' }));
    await untilReceived(1);
    expect(endpoint.received).toHaveLength(1);
  });

  test('and unsubscribed, or is unknown to its push service, is not notified any more', async () => {
    server.sessions.add('AUTH');
    await subscribe();
    endpoint.answerWith(410);
    server.sessions.change('AUTH', asking());
    await untilReceived(1);
    const file = join(server.world.cbosHome, 'push.json');
    await waitFor(() => !readFileSync(file, 'utf8').includes(endpoint.subscription.endpoint), {
      describe: 'the subscription is forgotten',
    });
    await subscribe();
    const { endpoint: address } = endpoint.subscription;
    expect((await server.call('/push/unsubscribe', { body: { endpoint: address } })).status).toBe(200);
    expect(readFileSync(file, 'utf8')).not.toContain(address);
  });
});

test('the keys are private and survive restarts, and no log has an endpoint', async () => {
  await subscribe();
  const file = join(server.world.cbosHome, 'push.json');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const before = (await server.call('/push')).text;
  await using again = await startFaces({ settings: { home: server.world.cbosHome } });
  expect((await again.call('/push')).text).toBe(before);
  endpoint.answerWith(500);
  server.sessions.add('AUTH');
  server.sessions.change('AUTH', asking());
  await waitFor(() => server.log.some(({ message }) => message === 'a push notification could not be sent'), {
    describe: 'it is logged',
  });
  expect(JSON.stringify(server.log)).not.toContain('secret-of-the-browser');
});

test.each(['http://example.com/push', 'file:///etc/passwd', 'http://127.0.0.1.evil.example/', 'gopher://x/'])(
  'no push is sent to %s',
  async (address) => {
    const answer = await server.call('/push/subscriptions', { body: { ...endpoint.subscription, endpoint: address } });
    expect(answer.code()).toBe('invalid_request');
  },
);
