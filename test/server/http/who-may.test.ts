import { readFileSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { describe, expect, test } from 'vitest';
import { REST_EXAMPLES } from '../../../scripts/generate/rest-examples.mjs';
import { ROUTES, type Route, type RouteName, type SessionsMay } from '../../../src/protocol/index.ts';
import type { Caller } from '../../../src/server/auth/callers.ts';
import { createRights } from '../../../src/server/auth/session-rights.ts';
import type { Handlers } from '../../../src/server/handlers.ts';
import { createHttpApp } from '../../../src/server/http/app.ts';
import { addressOf } from '../../harness/rest.ts';

/**
 * For each route, what happens to a request from a process inside a session, if `sessions_may` is `read`, `send` and
 * `everything`. The rows were recorded before the table of routes began to say who may call what. A row never changes,
 * because that would open or close a door that users rely on; only that of `revokeInvitation` did, which had been
 * recorded from a request that failed for another reason. A new route needs no row.
 */
const FROZEN = new URL('./who-may.json', import.meta.url);
const frozen: Readonly<Record<string, string>> = JSON.parse(readFileSync(FROZEN, 'utf8'));

const MAY: readonly SessionsMay[] = ['read', 'send', 'everything'];
const CALLERS: Readonly<Record<string, Caller>> = {
  person: { kind: 'person' },
  session: { kind: 'session', slug: 'AUTH' },
  unknown: { kind: 'unknown' },
};

const ignore = (): void => undefined;

/** Every request that reaches a handler succeeds. */
const handlers = new Proxy({} as Handlers, { get: () => () => ({}) });

function appFor(caller: Caller, may: SessionsMay) {
  const logger = { debug: ignore, info: ignore, warn: ignore, error: ignore };
  const rightsOf = createRights({ callers: { see: ignore, of: async () => caller }, may, logger });
  return createHttpApp({ handlers, rightsOf, logger, version: '1', page: { answer: () => null, has: () => false } });
}

/** The ids of what is not simply text. */
const IDS: Partial<Record<RouteName, string>> = { revokeInvitation: `U${'A'.repeat(55)}`, auditRecord: '1' };

async function isRefused(name: RouteName, caller: Caller, may: SessionsMay, body: unknown): Promise<boolean> {
  const route: Route = ROUTES[name];
  const id = IDS[name] ?? 'a';
  const params = { slug: 'AUTH', id, name: 'NAME', turn: '1' };
  const query = {
    cron: '0 7 * * *',
    timezone: 'UTC',
    question_id: 'q',
    path: 'a',
    word: '/c',
    q: 'a',
    file: 'a',
    side: 'new',
    t: '0',
    name: 'a',
  };
  const known = Object.keys(route.query?.shape ?? {});
  const input = { params, query: Object.fromEntries(Object.entries(query).filter(([one]) => known.includes(one))) };
  const response = await appFor(caller, may).request(
    addressOf(route, input),
    {
      method: route.method.toUpperCase(),
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    },
    { incoming: { socket: {} } as IncomingMessage },
  );
  const answer = await response.text();
  const isRefused = answer.includes('"inside_session"');
  // A request that fails for another reason says nothing about who may send it.
  if (!isRefused && !response.ok) throw new Error(`${name} was not asked correctly: ${response.status} ${answer}`);
  return isRefused;
}

const bodyOf = (name: string): unknown => (REST_EXAMPLES as Record<string, unknown>)[name];
const CASES: readonly (readonly [string, RouteName, unknown])[] = [
  ...(Object.keys(ROUTES) as RouteName[]).map((name) => [name, name, bodyOf(name)] as const),
  ['send with force', 'send', { text: 'hello', force: true }],
  ['send a command', 'send', { text: '/clear', command: true }],
  ['broadcast a command', 'broadcast', { text: '/clear', command: true, all: true }],
];

describe('who may call a route', () => {
  const found: Record<string, string> = {};

  test.each(CASES)('%s', async (title, name, body) => {
    const outcomes = async (caller: Caller): Promise<string> => {
      const all = await Promise.all(MAY.map((may) => isRefused(name, caller, may, body)));
      return all.map((refused) => (refused ? 'refused' : 'passes')).join(' ');
    };
    expect(await outcomes(CALLERS.person as Caller)).toBe('passes passes passes');
    const session = await outcomes(CALLERS.session as Caller);
    expect(await outcomes(CALLERS.unknown as Caller)).toBe(session);
    found[title] = session;
    if (process.env.FREEZE !== undefined) writeFileSync(FROZEN, `${JSON.stringify(found, null, 2)}\n`);
    else if (title in frozen) expect(session).toBe(frozen[title]);
  });
});

test('a process inside a session changes nothing: of the requests that are not only read, it may send prompts', () => {
  const open = Object.entries<Route>(ROUTES).filter(([, { who, method }]) => who === 'session' && method !== 'get');
  expect(open.filter(([, { isPrompt }]) => isPrompt !== true).map(([name]) => name)).toEqual([]);
});
