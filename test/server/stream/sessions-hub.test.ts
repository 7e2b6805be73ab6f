import { afterEach, beforeEach, expect, test } from 'vitest';
import { type FacesUnderTest, startFaces } from '../../harness/faces.ts';
import { ManualClock } from '../../harness/manual-clock.ts';
import { someSession } from '../../harness/some-session.ts';
import { waitFor } from '../../harness/wait-for.ts';

let server: FacesUnderTest;
beforeEach(async () => {
  server = await startFaces();
  server.sessions.add('AUTH');
});
afterEach(() => server[Symbol.asyncDispose]());

const { status } = someSession('X');

test('the whole list comes at once, and again whenever something in it changes', async () => {
  const socket = await server.connectSessions();
  expect((await socket.next('init')).sessions).toEqual(server.sessions.list());
  server.sessions.change('AUTH', { state: 'thinking', status: { ...status, primary: 'active', detail: 'thinking' } });
  expect((await socket.next('refresh')).sessions[0]?.state).toBe('thinking');
  server.sessions.add('MORE');
  expect((await socket.next('refresh')).sessions.map(({ slug }) => slug)).toEqual(['AUTH', 'MORE']);
  server.sessions.change('MORE', { buffer_tail: 'hello' });
  expect((await socket.next('refresh')).sessions[1]?.buffer_tail).toBe('hello');
  await server.sessions.resize('MORE', 100, 30);
  expect((await socket.next('refresh')).sessions[1]?.cols).toBe(100);
  await server.sessions.remove('AUTH');
  expect((await socket.next('refresh')).sessions.map(({ slug }) => slug)).toEqual(['MORE']);
});

test('the passing of time alone is not a change', async () => {
  const socket = await server.connectSessions();
  await socket.next('init');
  server.sessions.change('AUTH', { status: { ...status, unchanged_ms: 900, quiet_ms: 900 } });
  server.sessions.change('AUTH', { model: 'opus' });
  expect((await socket.next('refresh')).sessions[0]?.model).toBe('opus');
  expect(socket.of('refresh')).toHaveLength(1);
});

test('a flood of changes is a few lists, the first at once and the last complete', async () => {
  const socket = await server.connectSessions();
  await socket.next('init');
  const began = performance.now();
  for (let index = 0; index < 500; index++) server.sessions.change('AUTH', { cost_usd: index });
  await waitFor(() => socket.of('refresh').at(-1)?.sessions[0]?.cost_usd === 499, {
    describe: 'the last change comes',
  });
  const elapsed = performance.now() - began;
  expect(socket.of('refresh')[0]?.sessions[0]?.cost_usd).toBe(0);
  expect(socket.of('refresh').length).toBeLessThanOrEqual(2 + elapsed / 50);
});

test('a prompt is sent and its result reported, including refusals', async () => {
  const socket = await server.connectSessions();
  socket.send({ type: 'send', slug: 'AUTH', text: 'hello' });
  expect(await socket.next('send_result')).toMatchObject({
    slug: 'AUTH',
    success: true,
    delivery: { text: 'hello', status: 'delivered' },
  });
  socket.send({ type: 'send', slug: 'AUTH', text: '/exit' });
  expect(await socket.next('send_result')).toMatchObject({ success: false, error: { code: 'command_prefix' } });
  socket.send({ type: 'send', slug: '../x', text: 'hello' });
  expect(await socket.next('send_result')).toMatchObject({ success: false, error: { code: 'no_such_session' } });
});

test('an invalid frame is answered with an error, and the connection stays open', async () => {
  const socket = await server.connectSessions();
  await socket.next('init');
  for (const [frame, message] of [
    ['{"type":', /JSON/],
    ['[]', /frame/],
    ['null', /frame/],
    [JSON.stringify({ type: 'send', slug: 'AUTH' }), /frame\.text/],
    [JSON.stringify({ type: 'send', slug: 'AUTH', text: 'x', force: true }), /unknown field "force"/],
    [JSON.stringify({ type: 'shout', slug: 'AUTH', text: 'x' }), /frame\.type/],
  ] as const) {
    socket.send(frame);
    expect((await socket.next('error')).error).toMatchObject({
      code: 'invalid_request',
      message: expect.stringMatching(message),
    });
  }
  socket.ws.send(Buffer.from('{}'), { binary: true });
  expect((await socket.next('error')).error.message).toContain('binary');
  socket.send({ type: 'send', slug: 'AUTH', text: 'hello' });
  expect((await socket.next('send_result')).success).toBe(true);
});

test('a frame beyond the limit ends the connection, and only that one', async () => {
  const socket = await server.connectSessions();
  const other = await server.connectSessions();
  socket.send({ type: 'send', slug: 'AUTH', text: 'x'.repeat(5 * 1024 * 1024) });
  await waitFor(() => socket.closed === 1009, { describe: 'the connection ends' });
  other.send({ type: 'send', slug: 'AUTH', text: 'hello' });
  expect((await other.next('send_result')).success).toBe(true);
});

test('a client that does not read gets the newest list when it does, not all of them', async () => {
  const clock = new ManualClock();
  await using still = await startFaces({ clock });
  still.sessions.add('AUTH');
  const socket = await still.connectSessions();
  await socket.next('init');
  socket.ws.pause();
  const tail = 'x'.repeat(400_000);
  for (let index = 0; index < 100; index++) {
    still.sessions.change('AUTH', { buffer_tail: tail, cost_usd: index });
    clock.advance(50);
  }
  socket.ws.resume();
  await waitFor(() => socket.of('refresh').at(-1)?.sessions[0]?.cost_usd === 99, { describe: 'the newest list comes' });
  expect(socket.of('refresh').length).toBeLessThan(50);
});

test('when the last client is gone nothing listens for it any more', async () => {
  const before = server.listeners();
  const socket = await server.connectSessions();
  await socket.next('init');
  expect(server.listeners()).toBe(before + 1);
  socket.ws.close();
  await waitFor(() => server.listeners() === before, { describe: 'the last listener is gone' });
});

test('a client whose other end is gone is detected, and the others stay', async () => {
  await using quick = await startFaces({ pingIntervalMs: 40 });
  const alive = await quick.connectSessions();
  const gone = await quick.connectSessions();
  let pings = 0;
  alive.ws.on('ping', () => {
    pings++;
  });
  // The client reads nothing, so it answers no ping.
  gone.ws.pause();
  await waitFor(() => pings >= 8, { describe: 'more pings went out than may be unanswered' });
  gone.ws.resume();
  await waitFor(() => gone.closed === 1006, { describe: 'the silent connection was ended without a close frame' });
  expect(alive.closed).toBeNull();
});
