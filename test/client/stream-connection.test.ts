import { describe, expect, test } from 'vitest';
import { createClient, type StreamOptions, UnreachableError } from '../../src/client/index.ts';
import { CatalogueError, type StreamFrame } from '../../src/protocol/index.ts';
import { someSession } from '../harness/some-session.ts';
import { ManualTimers, MemoryTransport } from './memory-transport.ts';

function connect(options: Partial<StreamOptions> = {}) {
  const transport = new MemoryTransport();
  const timers = new ManualTimers();
  const told: string[] = [];
  const frames: StreamFrame[] = [];
  const connection = createClient({ transport, token: 'secret' }).subscribe({
    startTimer: timers.start,
    listener: {
      onFrame: (frame) => void frames.push(frame),
      onLost: (error) => void told.push(`lost ${error.code}`),
      onReconnected: () => void told.push('again'),
      onEnd: (error) => void told.push(`end ${error.code}`),
    },
    ...options,
  });
  return { transport, timers, told, frames, connection };
}

const stream = (session: string, offset: number): StreamFrame => ({
  type: 'stream',
  session,
  data: 'x',
  ts: 0,
  offset,
});

describe('a subscription', () => {
  test('requests its recordings once it is connected, and sends the token to the server', () => {
    const { transport } = connect({ recordings: ['A', 'B'], from: { A: 7 } });
    expect(transport.opened).toEqual([{ path: '/ws/stream', protocols: ['cbos', 'bearer.secret'] }]);
    expect(transport.socket.sent).toEqual([]);
    transport.socket.open();
    expect(transport.socket.sent).toEqual([{ type: 'subscribe', sessions: ['A', 'B'], from: { A: 7 } }]);
  });

  test('requests nothing if it wants no recording', () => {
    const { transport, connection } = connect();
    transport.socket.open();
    expect(transport.socket.sent).toEqual([]);
    connection.follow(['A'], { A: 3 });
    connection.unfollow(['A']);
    expect(transport.socket.sent).toEqual([
      { type: 'subscribe', sessions: ['A'], from: { A: 3 } },
      { type: 'unsubscribe', sessions: ['A'] },
    ]);
  });

  test('takes only changes from a server that announces them, once in each connection', () => {
    const { transport, timers } = connect({ fleet: { now: () => 0 } });
    transport.socket.open();
    transport.socket.say({ type: 'fleet', machines: ['old'] });
    expect(transport.socket.sent).toEqual([{ type: 'follow_fleet' }]);
    for (let time = 0; time < 2; time++) transport.socket.say({ type: 'fleet', machines: ['new'], changes: true });
    expect(transport.socket.sent).toEqual([{ type: 'follow_fleet' }, { type: 'follow_fleet', changes: true }]);
    transport.socket.end();
    timers.pass();
    transport.socket.open();
    transport.socket.say({ type: 'fleet', machines: ['new'], changes: true });
    expect(transport.socket.sent).toEqual([{ type: 'follow_fleet' }, { type: 'follow_fleet', changes: true }]);
  });

  test('continues after a loss at the byte after the last one, under the names that sessions have by then', () => {
    const { transport, timers, told } = connect({ recordings: ['*'] });
    transport.socket.open();
    for (const offset of [10, 20]) transport.socket.say(stream('A', offset));
    transport.socket.say(stream('B', 5));
    transport.socket.say(stream('C', 6));
    transport.socket.say(stream('D', 7));
    transport.socket.say({ type: 'session_renamed', session: 'B', slug: 'Z' });
    transport.socket.say({ type: 'session_removed', session: 'C' });
    transport.socket.say({ type: 'reset', session: 'D', epoch: 1 });
    transport.socket.end();
    expect(told).toEqual(['lost no_server']);
    timers.pass();
    transport.socket.open();
    expect(transport.socket.sent).toEqual([{ type: 'subscribe', sessions: ['*'], from: { A: 20, Z: 5 } }]);
    expect(told).toEqual(['lost no_server', 'again']);
  });

  test('follows a recording under its new name after a rename, and a deleted one no longer', () => {
    const { transport, timers } = connect({ recordings: ['A', 'B'] });
    transport.socket.open();
    transport.socket.say({ type: 'session_renamed', session: 'A', slug: 'Z' });
    transport.socket.say({ type: 'session_removed', session: 'B' });
    transport.socket.end();
    timers.pass();
    transport.socket.open();
    expect(transport.socket.sent).toEqual([{ type: 'subscribe', sessions: ['Z'] }]);
  });

  test('tries again at growing intervals, which begin again after a success', () => {
    const { transport, timers } = connect();
    transport.socket.open();
    const delays: number[] = [];
    for (let attempt = 0; attempt < 7; attempt++) {
      transport.socket.end(new UnreachableError('nobody'));
      delays.push(timers.pass());
    }
    expect(delays).toEqual([100, 200, 400, 800, 1600, 2000, 2000]);
    transport.socket.open();
    transport.socket.end();
    expect(timers.pass()).toBe(100);
  });

  test('ends when the first connection fails, and does not retry', () => {
    const { transport, timers, told } = connect();
    transport.socket.end(new UnreachableError('nobody'));
    expect({ told, timers: timers.waiting }).toEqual({ told: ['end no_server'], timers: [] });
  });

  test('ends when nobody answered for too long', () => {
    const { transport, timers, told } = connect({ giveUpAfterMs: 300 });
    transport.socket.open();
    transport.socket.end();
    timers.pass();
    transport.socket.end();
    timers.pass();
    transport.socket.end();
    expect(told).toEqual(['lost no_server', 'lost no_server', 'end no_server']);
    expect(timers.waiting).toEqual([]);
  });

  test('ends when the server refuses it: waiting does not cure a changed token', () => {
    const { transport, told } = connect();
    transport.socket.open();
    transport.socket.end(new CatalogueError('unauthorized'));
    expect(told).toEqual(['end unauthorized']);
  });

  test('keeps its view while the connection is lost, and corrects it with the list that comes first', () => {
    const { transport, timers, connection } = connect();
    transport.socket.open();
    transport.socket.say({ type: 'sessions', sessions: [someSession('A'), someSession('B')] });
    transport.socket.end();
    expect([...connection.view().keys()]).toEqual(['A', 'B']);
    timers.pass();
    transport.socket.open();
    transport.socket.say({ type: 'sessions', sessions: [someSession('B')] });
    expect([...connection.view().keys()]).toEqual(['B']);
  });

  test('ignores frames that it does not know and text that is not a frame', () => {
    const { transport, frames } = connect();
    transport.socket.open();
    for (const text of ['', 'null', '7', '{"type":"from_the_future"}', '{"type":3}', '{']) transport.socket.say(text);
    transport.socket.say({ type: 'subscribed', sessions: [] });
    expect(frames).toEqual([{ type: 'subscribed', sessions: [] }]);
  });

  test('reports whether a command was sent', () => {
    const { transport, connection } = connect();
    expect(connection.send({ type: 'list_sessions' })).toBe(false);
    transport.socket.open();
    expect(connection.send({ type: 'list_sessions' })).toBe(true);
    transport.socket.end();
    expect(connection.send({ type: 'list_sessions' })).toBe(false);
  });

  test('is over once it is disposed of: no timer, no connection, no further call', () => {
    const { transport, timers, told, connection, frames } = connect();
    transport.socket.open();
    transport.socket.end();
    connection.dispose();
    expect(timers.waiting).toEqual([]);
    const second = connect();
    second.transport.socket.open();
    second.connection.dispose();
    expect(second.transport.socket.isClosed).toBe(true);
    second.transport.socket.say({ type: 'subscribed', sessions: [] });
    expect([told, frames, second.told, second.frames]).toEqual([['lost no_server'], [], [], []]);
  });
});
