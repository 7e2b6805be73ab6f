import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { NOTHING_KEPT, type Question, type StreamFrame } from '../../../src/protocol/index.ts';
import { type FacesUnderTest, startFaces, type TestSocket } from '../../harness/faces.ts';
import { Follower } from '../../harness/follower.ts';
import { someSession } from '../../harness/some-session.ts';
import { waitFor } from '../../harness/wait-for.ts';

let server: FacesUnderTest;
let socket: TestSocket<StreamFrame>;
/** The number of listeners before any client came. */
let listenersBefore: number;
beforeEach(async () => {
  server = await startFaces();
  listenersBefore = server.listeners();
  server.sessions.add('AUTH').write('auth');
  server.sessions.add('PAY').write('pay');
  server.sessions.addWithoutRecording('SEEN', { adopted: false });
  socket = await server.connectStream();
});
afterEach(() => server[Symbol.asyncDispose]());

const { status } = someSession('X');
const subscribe = async (...sessions: string[]): Promise<string[]> => {
  socket.send({ type: 'subscribe', sessions });
  return (await socket.next('subscribed')).sessions;
};
const followed = (slug: string): string =>
  socket
    .of('stream')
    .filter(({ session }) => session === slug)
    .map(({ data }) => data)
    .join('');
const untilFollowed = (slug: string, text: string) =>
  waitFor(() => followed(slug) === text, { describe: `${slug} says ${text}`, actual: () => followed(slug) });

test('the sessions, and which of them can be followed, come at once', async () => {
  expect((await socket.next('sessions')).sessions).toEqual(server.sessions.list());
  expect((await socket.next('available_streams')).sessions).toEqual(['AUTH', 'PAY']);
  socket.send({ type: 'list_sessions' });
  expect((await socket.next('sessions')).sessions).toEqual(server.sessions.list());
});

describe('subscriptions', () => {
  test('cover the named sessions, and only these are streamed', async () => {
    expect(await subscribe('AUTH')).toEqual(['AUTH']);
    await untilFollowed('AUTH', '\x1bcauth');
    server.sessions.stream('PAY').write('unheard');
    server.sessions.stream('AUTH').write(' more');
    await untilFollowed('AUTH', '\x1bcauth more');
    expect(followed('PAY')).toBe('');
    expect(await subscribe('PAY')).toEqual(['AUTH', 'PAY']);
    await untilFollowed('PAY', '\x1bcpayunheard');
  });

  test('to everything include later recordings', async () => {
    expect(await subscribe('*')).toEqual(['AUTH', 'PAY', 'SEEN']);
    await untilFollowed('PAY', '\x1bcpay');
    const later = server.sessions.add('LATER');
    expect((await socket.next('session_added')).session.slug).toBe('LATER');
    later.write('hello');
    await untilFollowed('LATER', '\x1bchello');
  });

  test('to everything leave existing subscriptions alone', async () => {
    await subscribe('AUTH');
    await untilFollowed('AUTH', '\x1bcauth');
    await subscribe('*');
    await untilFollowed('PAY', '\x1bcpay');
    server.sessions.stream('AUTH').write('!');
    await untilFollowed('AUTH', '\x1bcauth!');
  });

  test('that are requested again begin again', async () => {
    await subscribe('AUTH');
    await untilFollowed('AUTH', '\x1bcauth');
    expect(await subscribe('AUTH')).toEqual(['AUTH']);
    await untilFollowed('AUTH', '\x1bcauth\x1bcauth');
    server.sessions.stream('AUTH').write('!');
    await untilFollowed('AUTH', '\x1bcauth\x1bcauth!');
  });

  test('end when they are given up: the remaining ones are reported', async () => {
    await subscribe('*');
    await untilFollowed('PAY', '\x1bcpay');
    socket.send({ type: 'unsubscribe', sessions: ['PAY', 'NONE'] });
    expect((await socket.next('subscribed')).sessions).toEqual(['AUTH', 'SEEN']);
    server.sessions.stream('PAY').write('unheard');
    socket.send({ type: 'unsubscribe', sessions: ['*'] });
    expect((await socket.next('subscribed')).sessions).toEqual([]);
    server.sessions.add('LATER').write('unheard');
    socket.send({ type: 'list_sessions' });
    await socket.next('sessions');
    expect(followed('PAY')).toBe('\x1bcpay');
    expect(followed('LATER')).toBe('');
    expect(server.sessions.stream('AUTH').listeners()).toBe(0);
  });

  test('to a session that does not exist are an error, and the others work all the same', async () => {
    expect(await subscribe('NONE', 'AUTH', '../x', 'constructor')).toEqual(['AUTH']);
    for (const session of ['NONE', '../x', 'constructor']) {
      expect(await socket.next('error')).toMatchObject({ session, error: { code: 'no_such_session' } });
    }
    await untilFollowed('AUTH', '\x1bcauth');
  });

  test('of more names than there are ever sessions are refused as a whole', async () => {
    const sessions = Array.from({ length: 100_000 }, (_, index) => `S${index}`);
    socket.send({ type: 'subscribe', sessions });
    expect(await socket.next('error')).toMatchObject({ error: { code: 'invalid_request' } });
    expect(await subscribe('AUTH')).toEqual(['AUTH']);
    expect(socket.of('error')).toHaveLength(1);
  });

  test('to a session without a recording begin when it gets one', async () => {
    expect(await subscribe('SEEN')).toEqual(['SEEN']);
    server.sessions.record('SEEN').write('seen');
    server.sessions.change('SEEN', { adopted: true });
    await untilFollowed('SEEN', '\x1bcseen');
  });

  test('report that a schedule has changed, in whatever way', async () => {
    server.schedules.add({ name: 'NIGHTLY', cron: '0 0 29 2 *', session: 'AUTH', prompt: 'run the tests' });
    await socket.next('schedules_changed');
    server.schedules.pause('NIGHTLY', true);
    await socket.next('schedules_changed');
    server.schedules.remove('NIGHTLY');
    await socket.next('schedules_changed');
  });

  test('follow a session through a rename', async () => {
    await subscribe('AUTH');
    await untilFollowed('AUTH', '\x1bcauth');
    await server.sessions.patch('AUTH', { slug: 'LOGIN' });
    expect(await socket.next('session_renamed')).toMatchObject({ session: 'AUTH', slug: 'LOGIN' });
    server.sessions.stream('LOGIN').write('!');
    await untilFollowed('LOGIN', '!');
    socket.send({ type: 'unsubscribe', sessions: ['LOGIN'] });
    expect((await socket.next('subscribed')).sessions).toEqual([]);
  });

  test('end with their session, and do not come back with its name', async () => {
    await subscribe('AUTH');
    await untilFollowed('AUTH', '\x1bcauth');
    await server.sessions.remove('AUTH');
    expect((await socket.next('session_removed')).session).toBe('AUTH');
    server.sessions.add('AUTH').write('another');
    await socket.next('session_added');
    expect(await subscribe('PAY')).toEqual(['PAY']);
    expect(followed('AUTH')).toBe('\x1bcauth');
  });

  test('of many clients share one reader, which ends with the last of them', async () => {
    const recording = server.sessions.stream('AUTH');
    await subscribe('AUTH');
    const other = await server.connectStream();
    other.send({ type: 'subscribe', sessions: ['AUTH'], from: { AUTH: 0 } });
    const follower = new Follower(other, recording);
    await follower.caughtUp();
    recording.write(' for both');
    await follower.caughtUp();
    await untilFollowed('AUTH', '\x1bcauth for both');
    follower.check(0);
    expect(recording.listeners()).toBe(2);
    socket.ws.close();
    other.ws.terminate();
    await waitFor(() => recording.listeners() === 0 && server.listeners() === listenersBefore, {
      describe: 'nothing listens for them any more',
    });
  });

  test('name offsets for some, and the others begin with a snapshot', async () => {
    const from = { AUTH: server.sessions.stream('AUTH').end() - 2, constructor: 5 };
    socket.send({ type: 'subscribe', sessions: ['*'], from });
    await untilFollowed('AUTH', 'th');
    await untilFollowed('PAY', '\x1bcpay');
  });
});

describe('events of sessions are reported to everybody', () => {
  test('a changed status, with the word for lists', async () => {
    const active = { ...status, primary: 'active', detail: 'thinking' } as const;
    server.sessions.change('AUTH', { state: 'thinking', status: active });
    expect(await socket.next('session_state')).toEqual({
      type: 'session_state',
      session: 'AUTH',
      state: 'thinking',
      status: active,
      json_state: null,
      ...NOTHING_KEPT,
    });
  });

  test('the state of a JSON session is its own word', async () => {
    server.sessions.addWithoutRecording('JSON', { type: 'json', json_state: 'idle' });
    server.sessions.change('JSON', { status, state: 'waiting', json_state: 'complete' });
    expect(await socket.next('session_state')).toMatchObject({
      session: 'JSON',
      state: 'complete',
      json_state: 'complete',
    });
  });

  test('any other field, which is not a change of state', async () => {
    server.sessions.change('AUTH', { model: 'opus' });
    expect(await socket.next('session_updated')).toMatchObject({ session: { slug: 'AUTH', model: 'opus' } });
    expect(socket.of('session_state')).toEqual([]);
  });

  test('a new size, whoever set it', async () => {
    await server.sessions.resize('AUTH', 132, 50);
    expect(await socket.next('resized')).toEqual({ type: 'resized', session: 'AUTH', cols: 132, rows: 50 });
  });
});

describe('commands', () => {
  test('a prompt', async () => {
    socket.send({ type: 'send', session: 'AUTH', text: 'hello', queue: true });
    expect(await socket.next('send_result')).toMatchObject({
      session: 'AUTH',
      success: true,
      delivery: { text: 'hello', status: 'queued' },
    });
    socket.send({ type: 'send', session: 'AUTH', text: '!rm' });
    expect(await socket.next('send_result')).toMatchObject({ success: false, error: { code: 'command_prefix' } });
    socket.send({ type: 'send', session: 'AUTH', text: '/clear', command: true });
    expect(await socket.next('send_result')).toMatchObject({ success: true });
    socket.send({ type: 'send', session: 'NONE', text: 'hello' });
    expect(await socket.next('send_result')).toMatchObject({
      session: 'NONE',
      success: false,
      error: { code: 'no_such_session', hint: expect.any(String) },
    });
  });

  test('an answer', async () => {
    socket.send({ type: 'answer', session: 'AUTH', choice: 'yes' });
    expect(await socket.next('answer_result')).toMatchObject({ success: false, error: { code: 'no_question' } });
    const question: Question = {
      id: 'q',
      kind: 'plan',
      text: '?',
      tool: null,
      options: [],
      multi: false,
      questions: [],
      asked_at: status.since,
    };
    server.sessions.change('AUTH', { status: { ...status, question } });
    socket.send({ type: 'answer', session: 'AUTH', choice: [1, 2], text: 'and this', question_id: 'q' });
    expect(await socket.next('answer_result')).toEqual({ type: 'answer_result', session: 'AUTH', success: true });
    expect(server.sessions.answers).toEqual([{ choice: [1, 2], text: 'and this', question_id: 'q' }]);
    socket.send({ type: 'answer', session: 'AUTH' });
    expect(await socket.next('error')).toMatchObject({ error: { code: 'invalid_request' } });
  });

  test('an interrupt', async () => {
    socket.send({ type: 'interrupt', session: 'AUTH' });
    expect(await socket.next('interrupt_result')).toMatchObject({ success: false, error: { code: 'nothing_running' } });
    server.sessions.change('AUTH', { status: { ...status, primary: 'active', detail: 'thinking' } });
    socket.send({ type: 'interrupt', session: 'AUTH' });
    expect(await socket.next('interrupt_result')).toEqual({ type: 'interrupt_result', session: 'AUTH', success: true });
  });

  test('keys, in the order in which they were typed', async () => {
    const keys = [...'hello world', '\r', '\u001b[A'];
    for (const key of keys) socket.send({ type: 'keys', session: 'AUTH', keys: key });
    await waitFor(() => server.sessions.typed.get('AUTH') === keys.join(''), { describe: 'all keys are typed' });
    socket.send({ type: 'keys', session: 'NONE', keys: 'x' });
    expect(await socket.next('error')).toMatchObject({ session: 'NONE', error: { code: 'no_such_session' } });
  });

  test('a size, answered once, even if it was that size before', async () => {
    for (const cols of [100, 100, 120]) {
      socket.send({ type: 'resize', session: 'AUTH', cols, rows: 30 });
      expect(await socket.next('resized')).toMatchObject({ session: 'AUTH', cols, rows: 30 });
    }
    socket.send({ type: 'list_sessions' });
    await socket.next('sessions');
    expect(socket.of('resized')).toHaveLength(3);
    socket.send({ type: 'resize', session: 'NONE', cols: 100, rows: 30 });
    expect(await socket.next('error')).toMatchObject({ session: 'NONE', error: { code: 'no_such_session' } });
  });

  test("the recording's end, with no character cut in two", async () => {
    await using small = await startFaces({ settings: { max_buffer_size: 10 } });
    small.sessions.add('AUTH').write('first ❯❯❯❯');
    const client = await small.connectStream();
    client.send({ type: 'get_buffer', session: 'AUTH' });
    expect((await client.next('buffer')).data).toBe('❯❯❯');
    small.sessions.stream('AUTH').write(Uint8Array.of(0xe2, 0x9d));
    client.send({ type: 'get_buffer', session: 'AUTH' });
    expect((await client.next('buffer')).data).toBe('❯❯');
    client.send({ type: 'get_buffer', session: 'NONE' });
    expect(await client.next('error')).toMatchObject({ session: 'NONE', error: { code: 'no_such_session' } });
    socket.send({ type: 'get_buffer', session: 'AUTH' });
    expect((await socket.next('buffer')).data).toBe('auth');
    socket.send({ type: 'get_buffer', session: 'SEEN' });
    expect(await socket.next('error')).toMatchObject({ session: 'SEEN', error: { code: 'no_recording' } });
  });

  test.each([
    ['broken JSON', '{'],
    ['no object', '"subscribe"'],
    ['an unknown type', '{"type":"dance"}'],
    ['no type', '{}'],
    ['an unknown field', '{"type":"list_sessions","all":true}'],
    ['a name that is not a text', '{"type":"subscribe","sessions":[1]}'],
    ['a negative offset', '{"type":"subscribe","sessions":["AUTH"],"from":{"AUTH":-1}}'],
    ['a size that no terminal has', '{"type":"resize","session":"AUTH","cols":1,"rows":1}'],
    ['an empty prompt', '{"type":"send","session":"AUTH","text":""}'],
  ])('%s is an error, and the connection stays open', async (_, frame) => {
    socket.send(frame);
    expect(await socket.next('error')).toMatchObject({ error: { code: 'invalid_request', hint: expect.any(String) } });
    socket.send({ type: 'list_sessions' });
    await socket.next('sessions');
  });

  test('an unexpected error is logged, and the client learns only that it happened', async () => {
    server.sessions.fault = new Error('secret');
    socket.send({ type: 'send', session: 'AUTH', text: 'hello' });
    const { error } = await socket.next('send_result');
    expect(error).toMatchObject({ code: 'internal' });
    expect(JSON.stringify(error)).not.toContain('secret');
    expect(server.log.find(({ level }) => level === 'error')?.fields).toMatchObject({ err: server.sessions.fault });
  });
});
