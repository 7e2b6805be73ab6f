import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import {
  attentionHeadings,
  SHORT_FIELDS,
  SORT_KEYS,
  sessionTable,
  shortTable,
  sortSessions,
} from '../../src/cli/output/session-table.ts';
import { type Column, renderTable } from '../../src/cli/output/table.ts';
import { matchesState, parseStateSelector, type Session, STATE_SELECTOR_WORDS } from '../../src/protocol/index.ts';
import { displayWidth, truncateMiddle, truncateStart } from '../../src/text/display-width.ts';
import type { Style } from '../../src/text/style.ts';
import { SINCE, someSession } from '../harness/some-session.ts';
import { asking, DONE, FAILED, LOST, WORKING } from '../harness/some-sessions.ts';

const GOLDENS = fileURLToPath(new URL('../fixtures/tables', import.meta.url));

const { status } = someSession('X');
const KINDS: readonly Partial<Session>[] = [
  asking(),
  WORKING,
  DONE,
  asking({ kind: 'question', tool: null, text: 'Which database shall the service use for its sessions and tokens?' }),
  { state: 'dead', status: { ...status, primary: 'dead', detail: null } },
  { state: 'working', status: { ...status, primary: 'stuck', detail: 'using_tools' } },
  { adopted: false, screen_id: '4711.a-screen-of-somebody-else' },
];
const NAMES = ['API', 'payments-reconciliation-nightly-batch', 'docs', 'a-name-in-漢字'];
const PATHS = [
  '/home/user/src/auth',
  '/home/user/work/customers/northwind/services/payments/reconciliation',
  '/srv/repositories/platform/infrastructure/terraform/modules/network',
];
const PLAIN: Style = (_, text) => text;
/** The groups: needs you, done, working, new, stopped. */
const GROUPS = 5;
const HOUR_MS = 3_600_000;

const at = <T>(list: readonly T[], index: number): T => list[index % list.length] as T;

const SESSIONS = Array.from({ length: 35 }, (_, index) =>
  someSession(`${at(NAMES, index)}-${index + 1}`, {
    ...at(KINDS, index),
    path: at(PATHS, index),
    model: 'claude-sonnet-4-5-20250929',
  }),
);

function rendered(width: number | null): string[] {
  const reader = {
    now: Date.parse(SINCE) + 5 * HOUR_MS,
    home: '/home/user',
    resourcesOf: () => null,
    branchOf: (path: string) => (path.startsWith('/home') ? 'main' : 'a-branch-about-networks'),
    modelOf: ({ model }: Session) => model,
  };
  const sessions = sortSessions(SESSIONS, 'attention');
  return sessionTable({ sessions, columns: null, reader, headingOf: attentionHeadings(sessions), style: PLAIN, width });
}

describe('the table of `cbos ls` with 35 sessions', () => {
  test.each([40, 60, 80, 120, 200])(
    'fits a terminal of %i columns, and shows what matters most there',
    async (width) => {
      const lines = rendered(width);
      expect(lines).toHaveLength(1 + GROUPS + SESSIONS.length);
      expect(lines.filter((line) => displayWidth(line) > width)).toEqual([]);
      await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot(join(GOLDENS, `ls-${width}.txt`));
    },
  );

  test('is complete if lines may be of any length', () => {
    expect(rendered(null).join('\n')).not.toContain('…');
  });

  test('names each session and its state at any width', () => {
    for (let width = 40; width < 220; width++) {
      const lines = rendered(width);
      for (const line of lines) expect(displayWidth(line), `${width}: ${line}`).toBeLessThanOrEqual(width);
      for (const [index] of SESSIONS.entries()) {
        const name = new RegExp(`^\\S {2}${at(NAMES, index).slice(0, 3)}\\S*-${index + 1} `);
        expect(
          lines.filter((line) => name.test(line)),
          `${width}: ${name}`,
        ).toHaveLength(1);
      }
    }
  });
});

test('a short list reads no other fields of a session than those that `cbos ls --fleet` requests', () => {
  const limit = { status: 'rejected', kind: 'five_hour', resets_at: SINCE, utilization: 1 } as const;
  const over = {
    budget: 'night',
    scope: 'tag',
    of: 'x',
    unit: 'usd',
    per: 'day',
    spent: 6,
    limit: 5,
    holds: 1,
  } as const;
  const snoozed = { since: SINCE, until: SINCE, until_asks: true, until_turn_ends: false, until_ends: [] };
  const kinds: readonly Partial<Session>[] = [
    ...[...KINDS, FAILED, LOST, { ...FAILED, rate_limit: limit }, { ...DONE, limit_over_at: SINCE, unread: true }],
    ...[{ snoozed }, { parked_at: SINCE }, { over_budget: over }, { queue_stopped_at: SINCE }],
    ...[{ recording_stopped_at: SINCE }, { undrawn_since: SINCE }, { screen_prompt_at: SINCE }, { path: null }],
    { missing_conversation: 'one', other_conversation: 'two' },
  ];
  const read = new Set<string>();
  const sessions = kinds.map(
    (kind, index) =>
      new Proxy(someSession(`S-${index}`, kind), {
        get: (session, name) => {
          read.add(String(name));
          return Reflect.get(session, name);
        },
      }),
  );
  for (const key of SORT_KEYS) sortSessions(sessions, key);
  for (const word of STATE_SELECTOR_WORDS) {
    const selector = parseStateSelector(word);
    for (const session of sessions) if (selector !== null) matchesState(session, selector);
  }
  const reader = { now: 0, home: undefined, branchOf: () => '', modelOf: () => null, resourcesOf: () => null };
  shortTable({ sessions, reader, headingOf: attentionHeadings(sessions), style: PLAIN, width: null });
  expect([...read].toSorted()).toEqual([...SHORT_FIELDS].toSorted());
});

test('never cuts what must be copied, and leaves out the least important columns first', () => {
  const columns: Column[] = [
    { title: 'ID' },
    { title: 'PATH', keeps: 'end', worth: 1 },
    { title: 'TEXT', keeps: 'start', worth: 2 },
  ];
  const id = '0123456789abcdef';
  const rows = [[{ text: id }, { text: '/home/user/src/auth' }, { text: 'a text of thirty characters ..' }]];
  const at = (width: number): string[] => renderTable({ columns, rows, style: PLAIN, width });
  expect(at(70)[1]).toBe(`${id}  /home/user/src/auth  a text of thirty characters ..`);
  expect(at(50)[1]).toBe(`${id}  …/user/src/auth  a text of thir…`);
  expect(at(40)).toEqual(['ID                TEXT', `${id}  a text of thirty chara`.slice(0, 39).trimEnd() + '…']);
  expect(at(20)).toEqual(['ID', id]);
});

test.each([
  ['payments-batch-12', 12, 'paymen…ch-12'],
  ['a-name-漢字-12', 9, 'a-na…-12'],
  ['short', 5, 'short'],
])('%j keeps both ends in %i cells', (text, cells, expected) => {
  expect(truncateMiddle(text, cells)).toBe(expected);
});

test.each([
  ['/home/user/src/auth', 10, '…/src/auth'],
  ['/home/user/src/auth', 19, '/home/user/src/auth'],
  ['src/漢字/auth', 9, '…字/auth'],
  ['auth', 1, '…'],
  ['auth', 0, ''],
])('%j keeps its end in %i cells', (text, cells, expected) => {
  expect(truncateStart(text, cells)).toBe(expected);
});
