import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Catchup } from '../../../src/protocol/index.ts';
import { type FacesUnderTest, startFaces } from '../../harness/faces.ts';
import { setHistory } from '../../harness/past-changes.ts';
import { asking, DONE } from '../../harness/some-sessions.ts';

const LEFT_AT = '2026-11-20T15:04:00.000Z';
let server: FacesUnderTest;
beforeEach(async () => {
  server = await startFaces({ awaySince: Date.parse(LEFT_AT) });
});
afterEach(() => server[Symbol.asyncDispose]());
const catchup = async (query = ''): Promise<Catchup> => (await server.call(`/catchup${query}`)).json() as Catchup;

test('a catch-up says who finished, with which words, what asked, what it cost, and where the recording shows it', async () => {
  const { sessions } = server;
  sessions.add('DONE', { ...DONE, cost_usd: 1.5 });
  setHistory(sessions, 'DONE', [
    ['15:03:00', 'permission'],
    ['15:05:00', 'thinking'],
    ['15:06:05', 'permission'],
    ['15:08:05', 'using_tools'],
    ['15:09:05', 'waiting_input'],
  ]);
  sessions.write('DONE', {
    type: 'assistant',
    message: { content: [{ type: 'text', text: 'All 12 tests pass.\n\nNow\nit\nworks.' }] },
  });
  sessions.add('ASKS', asking());
  sessions.addWithoutRecording('QUIET', DONE);
  setHistory(sessions, 'QUIET', []);
  const found = await catchup();
  expect([found.since, found.from, found.sessions.map(({ session, asks }) => [session, asks])]).toEqual([
    ...[LEFT_AT, 'away'],
    [
      ['ASKS', true],
      ['DONE', false],
    ],
  ]);
  expect(found.sessions[1]).toEqual({
    ...{ session: 'DONE', asks: false, finished: 1, reply: 'All 12 tests pass.\nNow\nit …', changes: null },
    ...{ cost_usd: 1.5, is_cost_by_day: true },
    events: [
      {
        ...{ at: '2026-11-20T15:06:05.000Z', kind: 'asked', question: 'permission', lasted_ms: 120_000 },
        // The recording began at 15:04:05, and the replay begins 2 s before the event.
        replay: { recording: 'DONE', t: 118 },
      },
      {
        ...{ at: '2026-11-20T15:09:05.000Z', kind: 'finished', question: null, lasted_ms: null },
        replay: { recording: 'DONE', t: 298 },
      },
    ],
  });
  expect((await catchup('?since=2026-11-20T15:09:00Z')).sessions).toMatchObject([{ session: 'DONE', finished: 1 }]);
  expect((await catchup('?since=2026-11-20T15:09:00Z')).from).toBe('request');
  expect((await server.call('/catchup?since=yesterday')).code()).toBe('invalid_request');
});

test('a session in a folder that is gone, without a recording or a transcript, is in it too', async () => {
  server.sessions.addWithoutRecording('GONE', { ...DONE, path: '/nowhere' });
  setHistory(server.sessions, 'GONE', [['15:09:05', 'error']]);
  expect((await catchup()).sessions).toMatchObject([
    { session: 'GONE', finished: 0, reply: null, changes: null, events: [{ kind: 'failed', replay: null }] },
  ]);
});
