import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { MAX_LAG_BYTES } from '../../../src/core/stream/index.ts';
import { LONGEST_TERMINAL_WAIT_MS, TerminalPart } from '../../../src/protocol/index.ts';
import { type FacesUnderTest, startFaces } from '../../harness/faces.ts';
import { someSession } from '../../harness/some-session.ts';
import { waitFor } from '../../harness/wait-for.ts';

let server: FacesUnderTest;
beforeEach(async () => {
  server = await startFaces();
  server.sessions.add('AUTH', { cols: 100, rows: 30 }).write('hello');
});
afterEach(() => server[Symbol.asyncDispose]());

type Query = Partial<Record<'from' | 'epoch' | 'wait_ms', number>>;
async function part(query: Query = {}): Promise<TerminalPart> {
  const params = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
  const answer = await server.call(`/sessions/AUTH/terminal?${params}`);
  expect(answer.status, answer.text).toBe(200);
  return TerminalPart.parse(answer.json());
}
const auth = () => server.sessions.stream('AUTH');
const following = ({ offset: from, epoch }: TerminalPart): Query => ({ from, epoch });

describe('the parts of a terminal', () => {
  test('begin with the screen, and continue with every byte after it, without half a character', async () => {
    const screen = await part();
    expect(screen).toMatchObject({ snapshot: true, data: 'hello', cols: 100, rows: 30, ended: false });
    auth().write(Buffer.concat([Buffer.from(' é'), Buffer.from('✻').subarray(0, 2)]));
    const first = await part(following(screen));
    expect(first).toMatchObject({ snapshot: false, data: ' é' });
    auth().write(Buffer.from('✻').subarray(2));
    const second = await part(following(first));
    expect(second).toMatchObject({ data: '✻', offset: auth().end() });
    expect(await part(following(second))).toMatchObject({ data: '', offset: second.offset, snapshot: false });
  });

  test('wait for output, and end their wait when the recording is replaced, or after the time', async () => {
    const screen = await part();
    const waiting = part({ ...following(screen), wait_ms: LONGEST_TERMINAL_WAIT_MS });
    await waitFor(() => auth().listeners() > 0, { describe: 'the request waits' });
    auth().write('more');
    expect(await waiting).toMatchObject({ data: 'more', snapshot: false });
    // Nothing of the request is left.
    expect(auth().listeners()).toBe(0);
    const next = await part();
    const replaced = part({ ...following(next), wait_ms: LONGEST_TERMINAL_WAIT_MS });
    await waitFor(() => auth().listeners() > 0, { describe: 'the request waits' });
    auth().replace();
    expect(await replaced).toMatchObject({ snapshot: true, epoch: next.epoch + 1 });
    expect(await part({ ...following(await part()), wait_ms: 1 })).toMatchObject({ data: '', snapshot: false });
    const tooLong = await server.call(`/sessions/AUTH/terminal?wait_ms=${LONGEST_TERMINAL_WAIT_MS + 1}`);
    expect(tooLong.code()).toBe('invalid_request');
  });

  test('are the screen for a client that is far behind, or asks for an offset that does not exist', async () => {
    const screen = await part();
    auth().write('x'.repeat(MAX_LAG_BYTES));
    let next = await part(following(screen));
    let text = '';
    for (; next.data !== ''; next = await part(following(next))) text += next.data;
    expect(text).toBe('x'.repeat(MAX_LAG_BYTES));
    auth().write('y'.repeat(MAX_LAG_BYTES + 1));
    expect(await part(following(next))).toMatchObject({ snapshot: true, offset: auth().end() });
    expect(await part({ from: auth().end() + 1 })).toMatchObject({ snapshot: true });
    expect(await part({ from: 0 })).toMatchObject({ snapshot: true });
  });

  test('report that the session has stopped, and refuse a session without a recording', async () => {
    const { status } = someSession('X');
    server.sessions.change('AUTH', { state: 'dead', status: { ...status, primary: 'dead', detail: null } });
    expect(await part()).toMatchObject({ ended: true });
    server.sessions.addWithoutRecording('NONE');
    expect((await server.call('/sessions/NONE/terminal')).code()).toBe('no_recording');
    expect((await server.call('/sessions/NOBODY/terminal')).code()).toBe('no_such_session');
  });
});
