import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type ClaudeEvent, StoredEvent, type StreamFrame } from '../../../src/protocol/index.ts';
import { type FacesUnderTest, startFaces, type TestSocket } from '../../harness/faces.ts';
import { waitFor } from '../../harness/wait-for.ts';

const FIXTURES = fileURLToPath(new URL('../../fixtures/json-events/2.1.329', import.meta.url));

let server: FacesUnderTest;
let socket: TestSocket<StreamFrame>;
beforeEach(async () => {
  server = await startFaces();
  server.sessions.addWithoutRecording('JSON', { type: 'json', json_state: 'idle' });
  socket = await server.connectStream();
});
afterEach(() => server[Symbol.asyncDispose]());

const event = (n: number, size = 1): ClaudeEvent => ({ type: 'assistant', n, text: 'x'.repeat(size) });
const seqs = (): number[] => socket.of('claude_event').map(({ seq }) => seq);
const untilSeqs = (expected: number[]) =>
  waitFor(() => seqs().length >= expected.length, { describe: `events ${expected}`, actual: () => `${seqs()}` }).then(
    () => expect(seqs()).toEqual(expected),
  );

describe('the events of a JSON session', () => {
  test('reach every subscriber from then on', async () => {
    server.sessions.happen('JSON', event(1));
    socket.send({ type: 'subscribe', sessions: ['JSON'] });
    await socket.next('subscribed');
    server.sessions.happen('JSON', event(2), event(3));
    await untilSeqs([2, 3]);
    expect(socket.of('claude_event')[0]).toMatchObject({ session: 'JSON', event: event(2), timestamp: 1_763_650_000 });
  });

  test('continue after the last one that a client has, without a gap or a repetition, and under a new name', async () => {
    for (let n = 1; n <= 450; n++) server.sessions.happen('JSON', event(n));
    socket.send({ type: 'subscribe', sessions: ['*'], after: { JSON: 3 } });
    await untilSeqs(Array.from({ length: 447 }, (_, index) => index + 4));
    await server.sessions.patch('JSON', { slug: 'OTHER' });
    server.sessions.happen('OTHER', event(451));
    await waitFor(() => seqs().at(-1) === 451, { describe: 'the event after the rename' });
    expect(socket.of('claude_event').at(-1)?.session).toBe('OTHER');
  });

  test('reach a client that reads too slowly complete and in order all the same', async () => {
    socket.send({ type: 'subscribe', sessions: ['JSON'], after: { JSON: 0 } });
    await socket.next('subscribed');
    socket.ws.pause();
    for (let n = 1; n <= 60; n++) server.sessions.happen('JSON', event(n, 200_000));
    socket.ws.resume();
    await untilSeqs(Array.from({ length: 60 }, (_, index) => index + 1));
  });

  test('of a turn are begun by its invocation, and a session in a terminal has none', async () => {
    server.sessions.add('TERM');
    socket.send({ type: 'subscribe', sessions: ['*'] });
    socket.send({ type: 'invoke', session: 'JSON', prompt: 'hello' });
    const result = await socket.next('invoke_result');
    expect(result).toMatchObject({ session: 'JSON', success: true, invocation_id: 'i1' });
    await untilSeqs([1]);
    socket.send({ type: 'invoke', session: 'TERM', prompt: 'hello' });
    expect(await socket.next('invoke_result')).toMatchObject({ success: false, error: { code: 'no_events' } });
  });
});

test.each(readdirSync(FIXTURES))('the recorded events of %s have the shape that the protocol defines', (file) => {
  const lines = readFileSync(join(FIXTURES, file), 'utf8').trim().split('\n');
  const events = lines.map((line) => StoredEvent.parse(JSON.parse(line)));
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  expect(events.some((stored) => stored.event.type === 'result')).toBe(true);
});
