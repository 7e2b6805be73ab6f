import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createSocketServer } from 'node:net';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { createAnswerReader } from '../../src/cli/http-answer.ts';
import { socketRequests } from '../../src/cli/socket-requests.ts';
import { ConnectionLostError } from '../../src/client/index.ts';
import { waitFor } from '../harness/wait-for.ts';
import { createWorld, type World } from '../harness/world.ts';

/** Reads an answer in pieces. Their sizes are used over and over. */
function readInPieces(answer: Buffer, sizes: readonly number[]): { status: number | undefined; body: string } {
  const reader = createAnswerReader('GET');
  const body: Buffer[] = [];
  for (let at = 0, turn = 0; at < answer.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1;
    body.push(...reader.read(answer.subarray(at, at + size)));
    at += size;
  }
  reader.end();
  return { status: reader.head()?.status, body: Buffer.concat(body).toString('utf8') };
}

const withLength = (body: string): string =>
  `HTTP/1.1 200 OK\r\nContent-Length: ${Buffer.byteLength(body)}\r\nX: a:b\r\n\r\n${body}`;
const inChunks = (body: string): string => {
  const bytes = Buffer.from(body).toString('latin1');
  const chunks = bytes.match(/.{1,7}/gs) ?? [];
  const text = chunks.map((chunk) => `${chunk.length.toString(16)};ext=1\r\n${chunk}\r\n`).join('');
  return `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${text}0\r\nTrailer: x\r\n\r\n`;
};
const untilEnd = (body: string): string => `HTTP/1.1 200\r\n\r\n${body}`;

describe('an answer is read no matter how it is split', () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 });
  test.each([
    ['by its length', (body: string) => Buffer.from(withLength(body))],
    ['in chunks', (body: string) => Buffer.from(inChunks(body), 'latin1')],
    ['until the connection ends', (body: string) => Buffer.from(untilEnd(body))],
    ['after an interim answer', (body: string) => Buffer.from(`HTTP/1.1 100 Continue\r\n\r\n${withLength(body)}`)],
  ])('%s', (_, answerOf) => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), sizes, (text, pieces) => {
        const body = Buffer.from(text).toString('utf8');
        const answer = answerOf(body).toString('latin1');
        expect(readInPieces(Buffer.from(answer, 'latin1'), pieces)).toEqual({ status: 200, body });
      }),
    );
  });

  test('every piece that is missing at the end is noticed', () => {
    for (const answer of [withLength('hello'), Buffer.from(inChunks('hello, hello')).toString()]) {
      for (let length = 0; length < answer.length; length++) {
        expect(() => readInPieces(Buffer.from(answer.slice(0, length)), [length + 1])).toThrow(ConnectionLostError);
      }
    }
  });

  test.each(['SSH-2.0-OpenSSH_9.2\r\n\r\n', 'HTTP/1.1 200 OK\r\nno colon\r\n\r\n', 'x'.repeat(70_000)])(
    'an answer that is not HTTP is refused',
    (text) => expect(() => readInPieces(Buffer.from(text), [50])).toThrow('does not speak HTTP'),
  );
  test.each(['-1', '1e3', ' ', '9'.repeat(20)])('an invalid length is refused: %s', (length) => {
    expect(() => readInPieces(Buffer.from(`HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\n\r\n`), [99])).toThrow();
  });
  test.each(['xyz', '-1', '', 'ffffffffffffff'])('a chunk with an invalid size is refused: %s', (size) => {
    const answer = `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${size}\r\nabc\r\n0\r\n\r\n`;
    expect(() => readInPieces(Buffer.from(answer), [99])).toThrow('does not speak HTTP');
  });
});

describe('requests over the local socket', () => {
  let world: World | null = null;
  afterEach(async () => {
    await world?.dispose();
    world = null;
  });

  async function serve(listener: RequestListener): Promise<string> {
    world = createWorld();
    const server = createServer(listener);
    const socket = join(world.dir, 'http.sock');
    world.onDispose(() => {
      server.closeAllConnections();
      server.close();
    });
    await once(server.listen(socket), 'listening');
    return socket;
  }
  const get = { method: 'GET', path: '/x', headers: {}, body: null };

  test('Node’s own server understands them, and a long answer in many pieces arrives completely', async () => {
    const seen: unknown[] = [];
    const socket = await serve((request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (text: string) => {
        body += text;
      });
      request.on('end', () => {
        const { host, connection } = request.headers;
        seen.push({ line: `${request.method} ${request.url}`, host, connection, own: request.headers['x-own'], body });
        for (let part = 0; part < 200; part++) response.write('ü'.repeat(5_000));
        response.end();
      });
    });
    const { request } = socketRequests(socket);
    const answer = await request({ method: 'POST', path: '/y?q=1', headers: { 'x-own': 'z' }, body: '{"a":"ü"}' });
    expect(await answer.text()).toBe('ü'.repeat(1_000_000));
    expect(seen).toEqual([
      { line: 'POST /y?q=1', host: 'localhost', connection: 'close', own: 'z', body: '{"a":"ü"}' },
    ]);
  });

  test('a reader that leaves early ends the connection', async () => {
    let isClosed = false;
    const socket = await serve((_, response) => {
      response.on('close', () => {
        isClosed = true;
      });
      const more = (): void => {
        if (response.destroyed) return;
        response.write('x'.repeat(10_000));
        setImmediate(more);
      };
      more();
    });
    for await (const bytes of (await socketRequests(socket).request(get)).bytes()) {
      expect(bytes.length).toBeGreaterThan(0);
      break;
    }
    await waitFor(() => isClosed, { describe: 'the connection is closed' });
  });

  test('a connection that breaks within the answer is an error, not a short answer', async () => {
    const socket = await serve((_, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('half', () => response.destroy());
    });
    const answer = await socketRequests(socket).request(get);
    await expect(answer.text()).rejects.toThrow(ConnectionLostError);
  });

  test('a line break in an address or a header sends nothing', async () => {
    let requests = 0;
    const socket = await serve((_, response) => {
      requests++;
      response.end();
    });
    const { request } = socketRequests(socket);
    await expect(request({ ...get, path: '/x\r\nevil: 1' })).rejects.toThrow('No address');
    await expect(request({ ...get, path: '/x HTTP/1.1' })).rejects.toThrow('No address');
    await expect(request({ ...get, headers: { a: 'b\nc: d' } })).rejects.toThrow();
    await (await request(get)).text();
    expect(requests).toBe(1);
  });

  test('another program on the socket is not treated as a server', async () => {
    world = createWorld();
    const socket = join(world.dir, 'other.sock');
    const server = createSocketServer((connection) => connection.end('220 mail ready\r\n\r\n'));
    world.onDispose(() => void server.close());
    await once(server.listen(socket), 'listening');
    await expect(socketRequests(socket).request(get)).rejects.toThrow('does not speak HTTP');
  });
});
