import { describe, expect, test } from 'vitest';
import { alwaysChoicesOf, ConnectionLostError, createClient, UnreachableError } from '../../src/client/index.ts';
import { CatalogueError } from '../../src/protocol/index.ts';
import { MemoryTransport } from './memory-transport.ts';

function clientOn(answer: () => { status: number; body: string }, token?: string) {
  const transport = new MemoryTransport();
  transport.answer = answer;
  return { transport, client: createClient({ transport, ...(token === undefined ? {} : { token }) }) };
}

const ok = () => ({ status: 200, body: '{"ok":true}' });

async function failure(work: Promise<unknown>): Promise<CatalogueError> {
  const error = await work.catch((cause: unknown) => cause);
  if (error instanceof CatalogueError) return error;
  throw new Error('it did not fail as catalogued', { cause: error });
}

describe('a call', () => {
  test('fills the path, encodes the query and leaves out undefined values', async () => {
    const { transport, client } = clientOn(ok);
    await client.call('buffer', { params: { slug: 'AUTH' }, query: { lines: 10, format: undefined } as never });
    await client.call('history', { params: { slug: 'AUTH' }, query: { since: 'a&b c' } });
    await client.call('health');
    expect(transport.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /sessions/AUTH/buffer?lines=10',
      'GET /sessions/AUTH/history?since=a%26b%20c',
      'GET /health',
    ]);
  });

  test('never takes what an older server says about the oldest question for another question', async () => {
    const oldest = { question_id: 'q1', session: 'npm test', project: null, rule: null, no_rule: null };
    const { transport, client } = clientOn(() => ({ status: 200, body: JSON.stringify(oldest) }));
    expect(await alwaysChoicesOf(client, 'AUTH')).toEqual(oldest);
    expect(await alwaysChoicesOf(client, 'AUTH', 'q1')).toEqual(oldest);
    const refused = await failure(alwaysChoicesOf(client, 'AUTH', 'q2'));
    expect(refused).toMatchObject({ code: 'stale_question', hint: 'cbos down && cbos up' });
    expect(refused.message).toContain('older version');
    expect(transport.requests.at(-1)?.path).toBe('/sessions/AUTH/always?question_id=q2');
  });

  test('sends JSON, and the token if it has one', async () => {
    const { transport, client } = clientOn(ok, 'secret');
    await client.call('send', { params: { slug: 'AUTH' }, body: { text: 'ä' } });
    expect(transport.requests).toEqual([
      {
        method: 'POST',
        path: '/sessions/AUTH/send',
        headers: { authorization: 'Bearer secret', 'content-type': 'application/json' },
        body: '{"text":"ä"}',
      },
    ]);
  });

  test('returns everything that the server sent, including fields of a newer version', async () => {
    const { client } = clientOn(() => ({ status: 200, body: '{"status":"ok","later":1}' }));
    expect(await client.call('health')).toEqual({ status: 'ok', later: 1 });
  });

  test.each(['status', 'waiting', 'adopt', '..', '.', '', 'a/b', 'a?b', 'a\n', '%2e'])(
    'never requests another address for the name %j',
    async (slug) => {
      const { transport, client } = clientOn(ok);
      expect((await failure(client.call('getSession', { params: { slug } }))).code).toBe('no_such_session');
      expect((await failure(client.recording(slug))).code).toBe('no_such_session');
      const id = await failure(client.call('getDelivery', { params: { slug: 'AUTH', id: `../${slug}` } }));
      expect(id.code).toBe('no_such_delivery');
      expect(transport.requests).toEqual([]);
    },
  );
});

describe('an error', () => {
  test('arrives as in the catalogue, with its hint and further fields', async () => {
    const body = { error: { code: 'not_accepting_text', message: 'm', hint: 'h', question: { id: 'q' } } };
    const { client } = clientOn(() => ({ status: 409, body: JSON.stringify(body) }));
    const error = await failure(client.call('send', { params: { slug: 'A' }, body: { text: 'x' } }));
    expect(error).toMatchObject({
      code: 'not_accepting_text',
      message: 'm',
      hint: 'h',
      extra: { question: { id: 'q' } },
    });
    expect(error.toBody()).toEqual(body.error);
  });

  test('with an unknown code keeps its message and its code', async () => {
    const body = { error: { code: 'from_the_future', message: 'm', hint: 'h' } };
    const { client } = clientOn(() => ({ status: 418, body: JSON.stringify(body) }));
    const error = await failure(client.call('health'));
    expect(error).toMatchObject({ code: 'internal', message: 'm', hint: 'h' });
    expect(error.toBody()).toEqual(body.error);
  });

  test.each(['<html>502</html>', '', '{"error":"no"}', 'null'])(
    'that does not come from CBOS (%j) names its status',
    async (body) => {
      const { client } = clientOn(() => ({ status: 502, body }));
      expect((await failure(client.call('health'))).message).toContain('HTTP 502');
    },
  );

  test('an answer that is not JSON is reported as such', async () => {
    const { client } = clientOn(() => ({ status: 200, body: '<html>' }));
    expect((await failure(client.call('health'))).code).toBe('internal');
  });

  test('is no_server if nobody is there, and reports it if the outcome is unknown', async () => {
    const nobody = clientOn(() => {
      throw new UnreachableError('ENOENT');
    });
    expect((await failure(nobody.client.call('health'))).toBody()).toMatchObject({
      code: 'no_server',
      hint: 'Start it: cbos up',
    });
    const lost = clientOn(() => {
      throw new ConnectionLostError('ECONNRESET');
    });
    const error = await failure(lost.client.call('health'));
    expect(error.code).toBe('no_server');
    expect(error.message).toContain('may or may not');
  });
});

test("a recording's bytes arrive unchanged, and a loss among them is reported", async () => {
  const transport = new MemoryTransport();
  const client = createClient({
    transport: {
      connect: transport.connect.bind(transport),
      request: async (request) => ({
        ...(await transport.request(request)),
        bytes: async function* () {
          yield Uint8Array.of(0xff, 0);
          throw new ConnectionLostError('cut');
        },
      }),
    },
  });
  const read: number[] = [];
  const error = await failure(
    (async () => {
      for await (const bytes of await client.recording('AUTH', 7)) read.push(...bytes);
    })(),
  );
  expect(read).toEqual([0xff, 0]);
  expect(error.code).toBe('no_server');
  expect(transport.requests[0]?.path).toBe('/sessions/AUTH/stream?from=7');
});
