import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Session } from '../../src/protocol/index.ts';
import { attentionOf, isUnread } from '../../src/protocol/index.ts';
import { PERMISSION, statusOf, WAITS_FOR_INPUT, WAITS_FOR_PERMISSION, WORKS } from '../cli/some-questions.ts';
import { type FacesUnderTest, startFaces } from '../harness/faces.ts';
import { ManualClock } from '../harness/manual-clock.ts';
import { callRoute } from '../harness/rest.ts';
import { waitFor } from '../harness/wait-for.ts';

const NOON = Date.parse('2026-11-20T12:00:00Z');
const HOUR = 3_600_000;
const at = (hours: number): string => new Date(NOON + hours * HOUR).toISOString();
const FAILED = { state: 'error', status: statusOf({ primary: 'idle', detail: 'error' }) } as const;
const DEAD = { state: 'dead', status: statusOf({ primary: 'dead', detail: null, health: 'DEAD' }) } as const;
const asks = (id: string) => ({
  ...WAITS_FOR_PERMISSION,
  status: { ...WAITS_FOR_PERMISSION.status, question: { ...PERMISSION, id } },
});

let clock: ManualClock;
let server: FacesUnderTest;
beforeEach(async () => {
  clock = new ManualClock(NOON);
  server = await startFaces({ clock });
  server.sessions.add('AUTH');
});
afterEach(() => server[Symbol.asyncDispose]());

const params = { slug: 'AUTH' };
const read = async (slug = 'AUTH'): Promise<Session> =>
  (await callRoute(server, 'getSession', { params: { slug } })).json() as Session;
const snooze = async (body: object, slug = 'AUTH') => callRoute(server, 'snoozeSession', { params: { slug }, body });
const snoozed = async (slug = 'AUTH'): Promise<boolean> => (await read(slug)).snoozed !== null;
const turn = (slug = 'AUTH'): void => {
  server.sessions.change(slug, WORKS);
  server.sessions.change(slug, WAITS_FOR_INPUT);
};

describe('unread', () => {
  test('a turn that ended is unread until a look, and every client is notified', async () => {
    const page = await server.connectStream();
    await page.next('sessions');
    expect((await read()).unread).toBe(false);
    turn();
    await waitFor(() => page.of('session_state').at(-1)?.unread === true, {
      describe: 'the page is notified together with the state',
    });
    const { news } = await read();
    await callRoute(server, 'markSeen', { params, body: { news } });
    expect((await page.next('session_updated')).session).toMatchObject({ unread: false, news });
    expect((await read()).unread).toBe(false);
  });

  test('a look that arrives late does not cover what came since', async () => {
    turn();
    const { news } = await read();
    turn();
    expect((await callRoute(server, 'markSeen', { params, body: { news } })).json()).toMatchObject({ unread: true });
    expect((await callRoute(server, 'markSeen', { params, body: {} })).json()).toMatchObject({ unread: false });
  });

  test('a session marked by hand stays unread, even after a look that was under way', async () => {
    turn();
    const { news } = await read();
    expect((await callRoute(server, 'markUnseen', { params })).json()).toMatchObject({
      unread: true,
      marked_unread: true,
    });
    await callRoute(server, 'markSeen', { params, body: { news } });
    expect((await read()).unread).toBe(true);
  });

  test('sending to it and answering it are looks', async () => {
    turn();
    await callRoute(server, 'send', { params, body: { text: 'go on' } });
    expect((await read()).unread).toBe(false);
    server.sessions.change('AUTH', asks('q1'));
    expect((await read()).unread).toBe(true);
    await callRoute(server, 'answer', { params, body: { choice: 'yes' } });
    expect((await read()).unread).toBe(false);
  });

  test('it survives a rename and a restart of the server, and does not apply to another session of the same name', async () => {
    turn();
    await callRoute(server, 'patchSession', { params, body: { slug: 'LOGIN' } });
    expect((await read('LOGIN')).unread).toBe(true);
    await server.stop();
    await server.startAgain();
    expect((await read('LOGIN')).unread).toBe(true);
    await callRoute(server, 'deleteSession', { params: { slug: 'LOGIN' } });
    server.sessions.add('LOGIN');
    expect((await read('LOGIN')).unread).toBe(false);
  });

  test('a turn that ended while no server ran is unread', async () => {
    server.sessions.change('AUTH', WORKS);
    await server.stop();
    server.sessions.change('AUTH', WAITS_FOR_INPUT);
    await server.startAgain();
    expect((await read()).unread).toBe(true);
  });
});

describe('a snoozed session', () => {
  test('needs nobody and notifies nobody until its time, then it does', async () => {
    server.sessions.change('AUTH', asks('q1'));
    expect(server.waited).toEqual(['AUTH']);
    expect((await snooze({ until: at(5) })).json()).toMatchObject({ snoozed: { until: at(5), until_asks: false } });
    server.sessions.change('AUTH', WORKS);
    server.sessions.change('AUTH', asks('q2'));
    expect((await callRoute(server, 'countSessions')).json()).toMatchObject({
      by_attention: { needs_you: 0, snoozed: 1 },
      unread: 0,
    });
    expect((await callRoute(server, 'listSessions', { query: { state: 'needs-you' } })).json()).toEqual([]);
    clock.advance(5 * HOUR - 1);
    expect(await snoozed()).toBe(true);
    expect(server.waited).toEqual(['AUTH']);
    clock.advance(1);
    const session = await read();
    expect([session.snoozed, attentionOf(session), isUnread(session)]).toEqual([null, 'needs_you', true]);
    expect(server.waited).toEqual(['AUTH', 'AUTH']);
  });

  test('until it asks: a new permission wakes it, the open one and the end of a turn do not', async () => {
    server.sessions.change('AUTH', asks('q1'));
    await snooze({ until_asks: true });
    server.sessions.change('AUTH', asks('q1'));
    expect(await snoozed()).toBe(true);
    turn();
    expect(await snoozed()).toBe(true);
    server.sessions.change('AUTH', WORKS);
    server.sessions.change('AUTH', asks('q2'));
    expect(await snoozed()).toBe(false);
    expect(server.waited).toEqual(['AUTH', 'AUTH']);
  });

  test('the frame that reports the question also reports that it is awake', async () => {
    server.sessions.change('AUTH', WORKS);
    await snooze({ until_asks: true });
    const page = await server.connectStream();
    await page.next('sessions');
    server.sessions.change('AUTH', asks('q1'));
    expect(await page.next('session_state')).toMatchObject({ snoozed: null, unread: true, state: 'waiting' });
  });

  test.each([
    ['ends a turn', () => turn('BUILD')],
    [
      'fails',
      () => {
        server.sessions.change('BUILD', WORKS);
        server.sessions.change('BUILD', FAILED);
      },
    ],
    ['is stopped', () => void server.sessions.change('BUILD', DEAD)],
    ['is deleted', () => void server.sessions.remove('BUILD')],
  ])('until another one ends: it wakes when that %s', async (_, end) => {
    server.sessions.add('BUILD');
    await snooze({ until_ends: ['BUILD'] });
    await callRoute(server, 'patchSession', { params: { slug: 'BUILD' }, body: { slug: 'CI' } });
    expect((await read()).snoozed?.until_ends).toEqual(['CI']);
    await callRoute(server, 'patchSession', { params: { slug: 'CI' }, body: { slug: 'BUILD' } });
    turn();
    expect(await snoozed()).toBe(true);
    end();
    expect(await snoozed()).toBe(false);
  });

  test('without a condition it sleeps until something new happens', async () => {
    expect((await snooze({})).json()).toMatchObject({
      snoozed: { until: null, until_asks: true, until_turn_ends: true },
    });
    turn();
    expect(await snoozed()).toBe(false);
  });

  test('a turn that failed is never done: the session needs its person, or is snoozed', async () => {
    server.sessions.change('AUTH', WORKS);
    server.sessions.change('AUTH', FAILED);
    expect(attentionOf(await read())).toBe('needs_you');
    await snooze({ until: at(1) });
    expect(attentionOf(await read())).toBe('snoozed');
    clock.advance(HOUR);
    expect(attentionOf(await read())).toBe('needs_you');
  });

  test('is woken by hand, and on_waiting does not run for that', async () => {
    server.sessions.change('AUTH', asks('q1'));
    await snooze({ until: at(1) });
    expect((await callRoute(server, 'unsnoozeSession', { params })).json()).toMatchObject({ snoozed: null });
    clock.advance(2 * HOUR);
    expect(server.waited).toEqual(['AUTH']);
  });

  test.each([
    ['set forward past it', 3 * HOUR, false],
    ['set forward before it', HOUR, true],
    ['set back', -HOUR, true],
  ])('a clock that is %s', async (_, byMs, isSnoozed) => {
    await snooze({ until: at(2) });
    clock.step(byMs);
    clock.advance(1);
    expect(await snoozed()).toBe(isSnoozed);
    clock.advance(2 * HOUR - byMs - 2);
    expect(await snoozed()).toBe(isSnoozed);
    clock.advance(2);
    expect(await snoozed()).toBe(false);
  });

  test("a time weeks away is not too long for Node's timers", async () => {
    await snooze({ until: at(24 * 60) });
    clock.advance(24 * 59 * HOUR);
    expect(await snoozed()).toBe(true);
    clock.advance(24 * HOUR);
    expect(await snoozed()).toBe(false);
  });

  test('a session that became due while no server ran wakes when the server starts', async () => {
    server.sessions.change('AUTH', asks('q1'));
    server.sessions.add('DOCS');
    server.sessions.add('BUILD');
    server.sessions.add('LATER');
    await snooze({ until: at(1) });
    await snooze({ until_ends: ['BUILD'] }, 'DOCS');
    await snooze({ until: at(9) }, 'LATER');
    await server.stop();
    clock.advance(2 * HOUR);
    await server.sessions.remove('BUILD');
    await server.startAgain();
    expect([await snoozed(), await snoozed('DOCS'), await snoozed('LATER')]).toEqual([false, false, true]);
    expect(server.waited).toEqual(['AUTH', 'AUTH']);
  });
});

describe('is refused, and nothing changes', () => {
  test.each([
    ['a time that has passed', { until: at(0) }, 422, 'time_passed'],
    ['no time at all', { until: 'tomorrow' }, 422, 'invalid_request'],
    ['an unknown field', { untill: at(1) }, 422, 'invalid_request'],
    ['a session that does not exist', { until_ends: ['NOPE'] }, 404, 'no_such_session'],
    ['a session that has ended', { until_ends: ['OLD'] }, 409, 'session_dead'],
  ])('%s', async (_, body, status, code) => {
    server.sessions.add('OLD', DEAD);
    await snooze({ until: at(3) });
    const answer = await snooze(body);
    expect([answer.status, answer.code()]).toEqual([status, code]);
    expect((await read()).snoozed?.until).toBe(at(3));
  });

  test('a stopped session that is to be snoozed until it asks', async () => {
    server.sessions.change('AUTH', DEAD);
    expect((await snooze({ until_asks: true })).code()).toBe('session_dead');
    expect((await snooze({ until: at(3) })).status).toBe(200);
  });

  test.each(['markSeen', 'markUnseen', 'snoozeSession', 'unsnoozeSession'] as const)('%s of nobody', async (name) => {
    const body = name === 'markSeen' || name === 'snoozeSession' ? { body: {} } : {};
    const answer = await callRoute(server, name, { params: { slug: 'NOPE' }, ...body });
    expect([answer.status, answer.code()]).toEqual([404, 'no_such_session']);
  });
});
