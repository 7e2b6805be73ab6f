import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type FacesUnderTest, startFaces, TOKEN } from '../../harness/faces.ts';
import { waitFor } from '../../harness/wait-for.ts';

let server: FacesUnderTest;
let sockets: Socket[];
beforeEach(async () => {
  server = await startFaces();
  sockets = [];
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await server[Symbol.asyncDispose]();
});

async function open(head = ''): Promise<Socket & { text: string }> {
  const socket = Object.assign(connect({ port: server.port, host: '127.0.0.1' }), { text: '' });
  sockets.push(socket);
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk: Buffer) => {
    socket.text += chunk.toString();
  });
  await once(socket, 'connect');
  if (head !== '') socket.write(head);
  return socket;
}

const headOf = (request: string, more = ''): string =>
  `${request} HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nOrigin: http://127.0.0.1:${server.port}\r\n${more}\r\n`;

test('a body without a token is refused at 16 kB, before it is read, even without a length', async () => {
  const type = 'Content-Type: application/json\r\n';
  for (const path of ['/sign-in', '/sign-in/challenge', '/sign-in/pass']) {
    const said = await open(headOf(`POST ${path}`, `${type}Content-Length: 4000000\r\n`));
    await waitFor(() => said.text.includes('413'), { describe: `a long body of ${path} is refused` });
    const unsaid = await open(headOf(`POST ${path}`, `${type}Transfer-Encoding: chunked\r\n`));
    unsaid.write(`5000\r\n${' '.repeat(0x5000)}\r\n`);
    await waitFor(() => unsaid.text.includes('413'), { describe: `an endless body of ${path} is refused` });
  }
  const other = await open(headOf('POST /sessions', `${type}Content-Length: 4000000\r\n`));
  await waitFor(() => other.text.includes('401'), { describe: 'a body of any other route is not waited for' });
});

test('a connection without a token is dropped in favour of a new one; one with a token stays', async () => {
  const known = await open(headOf('GET /sessions', `Authorization: Bearer ${TOKEN}\r\n`));
  await waitFor(() => known.text.includes('200'), { describe: 'an answer' });
  const stream = await server.connectStream();
  const waiting = await Promise.all(Array.from({ length: 120 }, () => open('GET /health HTTP/1.1\r\n')));
  await waitFor(() => waiting.filter((socket) => socket.destroyed).length >= 20, { describe: 'the oldest are gone' });
  expect((await server.call('/sessions')).status).toBe(200);
  expect(stream.closed).toBeNull();
  known.write(headOf('GET /sessions', `Authorization: Bearer ${TOKEN}\r\n`));
  await waitFor(() => known.text.split('HTTP/1.1 200').length === 3, { describe: 'another answer on the same line' });
});

test('a request that begins and does not continue is closed', async () => {
  const slow = await open('GET /health HTTP/1.1\r\n');
  await waitFor(() => slow.destroyed, { describe: 'the connection is ended', timeoutMs: 30_000 });
  expect(slow.text).toContain('408');
});
