import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { StashedResponse } from '../../../src/protocol/index.ts';
import { type FacesUnderTest, startFaces } from '../../harness/faces.ts';
import { callRoute } from '../../harness/rest.ts';

let server: FacesUnderTest;
beforeEach(async () => {
  server = await startFaces();
  server.sessions.add('AUTH');
});
afterEach(() => server[Symbol.asyncDispose]());

const keep = async (body: object): Promise<StashedResponse> =>
  (await callRoute(server, 'addStash', { body: { session_slug: 'AUTH', ...body } })).json() as StashedResponse;

describe('the stash over REST', () => {
  test('keeps a reply, applies it once, and reports it the second time', async () => {
    const kept = await keep({ response: 'later', question: 'Which one?' });
    expect(kept).toMatchObject({ response: 'later', question: 'Which one?', when: 'manual', applied: false });
    const params = { id: kept.id };
    const applied = (await callRoute(server, 'applyStash', { params })).json();
    expect(applied).toMatchObject({ id: kept.id, applied: true });
    const again = await callRoute(server, 'applyStash', { params });
    expect([again.status, again.code()]).toEqual([409, 'already_applied']);
    expect(server.sessions.deliveries('AUTH')).toHaveLength(1);
    expect((await callRoute(server, 'removeStash', { params })).status).toBe(200);
    expect((await callRoute(server, 'listStash')).json()).toEqual([]);
  });

  test.each(['applyStash', 'removeStash'] as const)('%s of an unknown id is no_such_stash', async (name) => {
    for (const id of ['none', '../x', '$(id)', '\u0000', 'x'.repeat(200), 'constructor']) {
      const answer = await callRoute(server, name, { params: { id } });
      expect([answer.status, answer.code()]).toEqual([404, 'no_such_stash']);
    }
  });

  test.each([
    [{ session_slug: 'AUTH' }, 422, 'invalid_request'],
    [{ session_slug: 'AUTH', response: '' }, 422, 'invalid_request'],
    [{ session_slug: 'AUTH', response: 'x', when: 'sometime' }, 422, 'invalid_request'],
    [{ session_slug: 'AUTH', response: 'x', other: 1 }, 422, 'invalid_request'],
    [{ session_slug: 'AUTH', response: '/clear' }, 422, 'command_prefix'],
    [{ session_slug: 'NONE', response: 'x' }, 404, 'no_such_session'],
  ])('%j is refused', async (body, status, code) => {
    const answer = await callRoute(server, 'addStash', { body });
    expect([answer.status, answer.code()]).toEqual([status, code]);
    expect(server.sessions.stash()).toEqual([]);
  });
});
