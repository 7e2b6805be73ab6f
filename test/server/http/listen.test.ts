import { spawn } from 'node:child_process';
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { createServer, connect as netConnect } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { call, startFaces } from '../../harness/faces.ts';
import { waitFor } from '../../harness/wait-for.ts';
import { createWorld } from '../../harness/world.ts';

test('only its owner can use the local socket, which is removed at the end', async () => {
  const before = process.umask();
  const server = await startFaces();
  const { socket, url } = server.faces.address;
  expect(statSync(socket).mode & 0o777).toBe(0o600);
  expect(process.umask()).toBe(before);
  expect(url).toBe(`http://127.0.0.1:${server.port}`);
  await server.faces.close();
  expect(existsSync(socket)).toBe(false);
  await expect(call({ socketPath: socket }, '/health')).rejects.toThrow();
  await expect(server.call('/health')).rejects.toThrow();
  await server[Symbol.asyncDispose]();
});

test('a taken port is reported with the cure, and nothing is left behind', async () => {
  await using first = await startFaces();
  await using world = createWorld();
  const socket = join(world.dir, 'second.sock');
  await expect(startFaces({ settings: { port: first.port, socket } })).rejects.toMatchObject({
    code: 'port_taken',
    message: expect.stringContaining(String(first.port)),
    hint: expect.stringContaining('cbos up --port'),
  });
  expect(existsSync(socket)).toBe(false);
});

test('an address that does not belong to this machine is refused as a setting', async () => {
  await expect(startFaces({ settings: { host: '192.0.2.1' } })).rejects.toMatchObject({ code: 'invalid_setting' });
});

test('an address that others can reach is refused unless it is requested explicitly', async () => {
  for (const host of ['0.0.0.0', '::', 'box.example']) {
    await expect(startFaces({ settings: { host } })).rejects.toMatchObject({
      code: 'invalid_setting',
      hint: expect.stringContaining('--allow-remote'),
    });
  }
  await using open = await startFaces({ settings: { host: '0.0.0.0', allow_remote: true } });
  expect(open.faces.address.url).toBe(`http://127.0.0.1:${open.port}`);
  expect((await open.call('/sessions', { token: null })).status).toBe(401);
  await using other = await startFaces({ settings: { host: '127.0.0.2' } });
  expect(other.faces.address.url).toBe(`http://127.0.0.2:${other.port}`);
});

test('a socket that a killed server left is replaced', async () => {
  await using world = createWorld();
  const socket = join(world.dir, 'cbos.sock');
  const code = `require('net').createServer().listen(${JSON.stringify(socket)}, () => process.send('up'))`;
  const child = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'], env: world.env });
  await new Promise((resolve) => child.once('message', resolve));
  child.kill('SIGKILL');
  await new Promise((resolve) => child.once('exit', resolve));
  expect(existsSync(socket)).toBe(true);
  await using server = await startFaces({ settings: { socket } });
  expect((await call({ socketPath: server.faces.address.socket }, '/health')).status).toBe(200);
});

test("somebody's file in the socket's place is left alone", async () => {
  await using world = createWorld();
  const socket = join(world.dir, 'notes.txt');
  writeFileSync(socket, 'mine');
  await expect(startFaces({ settings: { socket } })).rejects.toThrow('EADDRINUSE');
  expect(statSync(socket).isFile()).toBe(true);
});

test("a socket path beyond the system's limit is refused instead of cut off", async () => {
  await using world = createWorld();
  const socket = join(world.dir, 'x'.repeat(100), 'cbos.sock');
  await expect(startFaces({ settings: { socket } })).rejects.toMatchObject({
    code: 'path_too_long',
    hint: expect.stringContaining('CBOS_SOCKET'),
  });
});

test('bytes that are not HTTP get an answer, and the connection ends', async () => {
  await using server = await startFaces();
  const answer = await new Promise<string>((resolve, reject) => {
    let text = '';
    const socket = netConnect({ port: server.port, host: '127.0.0.1' }, () => socket.write('hello\r\n\r\n'));
    socket.on('data', (chunk) => {
      text += chunk.toString();
    });
    socket.once('error', reject);
    socket.once('close', () => resolve(text));
  });
  expect(answer).toContain('HTTP/1.1 400');
  expect(answer).toContain('invalid_request');
});

test('a close ends even with downloads and WebSockets open, and notifies the WebSockets', async () => {
  const server = await startFaces();
  const recording = server.sessions.add('AUTH');
  recording.write(Buffer.alloc(32 * 1024 * 1024, 0x61));
  const socket = await server.connectStream();
  const stalled = netConnect({ port: server.port, host: '127.0.0.1' });
  stalled.on('error', () => stalled.destroy());
  stalled.write(`GET /sessions/AUTH/stream HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\n`);
  stalled.write('Authorization: Bearer a-token-for-tests-0123456789\r\n\r\n');
  await new Promise((resolve) => stalled.once('readable', resolve));
  await server.faces.close();
  await waitFor(() => socket.closed === 1001, { describe: 'the WebSocket is notified' });
  await waitFor(() => server.listeners() === 0 && recording.listeners() === 0, {
    describe: 'nothing listens to the sessions any more',
  });
  stalled.destroy();
  await server[Symbol.asyncDispose]();
});

test('the port of another program is detected before anything is served', async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const address = other.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;
  await expect(startFaces({ settings: { port } })).rejects.toMatchObject({ code: 'port_taken' });
  await new Promise((resolve) => other.close(resolve));
});
