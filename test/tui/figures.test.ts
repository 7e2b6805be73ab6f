import { expect, test } from 'vitest';
import type { Session } from '../../src/protocol/index.ts';
import { displayWidth } from '../../src/text/display-width.ts';
import type { Style } from '../../src/text/style.ts';
import { listRows } from '../../src/tui/view/session-list.ts';
import { someSession } from '../harness/some-session.ts';

const at = (used_percentage: number | null): Session['context'] =>
  used_percentage === null ? null : { used_tokens: 1, size_tokens: 200_000, used_percentage };
const SESSIONS = [
  someSession('HALF', { context: at(42) }),
  someSession('FULL', { context: at(93) }),
  someSession('NONE'),
];

function draw(options: { cols: number; isTall?: boolean; sessions?: readonly Session[]; dress?: Style }): string[] {
  const { cols, isTall = false, sessions = SESSIONS, dress = (_, text) => text } = options;
  const { rows } = listRows({
    groups: [{ title: '', style: null, sessions }],
    selected: null,
    marked: new Set(),
    cols,
    rows: 6,
    isTall,
    hasHeadings: false,
    now: Date.parse('2026-11-20T15:05:05.123Z'),
    home: undefined,
    dress,
  });
  return rows.filter((row) => row !== '');
}

test('a wide list has a gauge in each row with known figures, and all rows stay aligned', () => {
  const rows = draw({ cols: 120 });
  expect(rows.map((row) => /(█*░*) +(▲ )?(\d+%)/.exec(row)?.slice(1, 4) ?? null)).toEqual([
    ['██░░░', undefined, '42%'],
    ['█████', '▲ ', '93%'],
    null,
  ]);
  expect(new Set(rows.map((row) => displayWidth(row.slice(0, row.indexOf('/tmp'))))).size).toBe(1);
  for (const row of rows) expect(displayWidth(row)).toBeLessThanOrEqual(120);
});

test('a list without known figures has no room for gauges', () => {
  const rows = draw({ cols: 120, sessions: [someSession('NONE')] });
  expect(rows[0]).toBe(draw({ cols: 120, sessions: [someSession('NONE', { context: null })] })[0]);
  expect(rows[0]).toMatch(/1m 00s {2}\/tmp/);
});

test('a narrow list warns, and has no gauge otherwise', () => {
  const rows = draw({ cols: 60 });
  expect(rows[0]).not.toContain('42%');
  expect(rows[1]).toContain('▲ 93%');
  for (const row of rows) expect(displayWidth(row)).toBeLessThanOrEqual(60);
});

test('a row of two lines has the share next to the state', () => {
  const rows = draw({ cols: 40, isTall: true });
  expect(rows[0]).toMatch(/HALF +42% new 1m 00s/);
  expect(rows[2]).toMatch(/FULL +▲ 93% new 1m 00s/);
  for (const row of rows) expect(displayWidth(row)).toBeLessThanOrEqual(40);
});

test('the warning is drawn in yellow', () => {
  const dress: Style = (name, text) => (name === 'yellow' ? `<${text}>` : text);
  expect(draw({ cols: 120, dress })[1]).toMatch(/<█{5} ▲ 93% +>/);
});

const changes = (files: number, added: number, removed: number): NonNullable<Session['changes']> => {
  const base = { kind: 'started_from', ref: 'main', commit: null } as const;
  return { files, added, removed, base, counted_at: '2026-11-20T15:05:05.123Z' };
};

test('a row has the changed lines if there is room: in a wide list, and in two lines next to the state', () => {
  const sessions = [
    someSession('SOME', { changes: changes(3, 120, 4) }),
    someSession('IMAGE', { changes: changes(2, 0, 0) }),
    someSession('NOTHING', { changes: changes(0, 0, 0) }),
    someSession('UNKNOWN'),
  ];
  const wide = draw({ cols: 120, sessions });
  expect(wide.map((row) => /(\+120 −4|2 files)? +\/tmp/.exec(row)?.[1] ?? null)).toEqual([
    '+120 −4',
    '2 files',
    null,
    null,
  ]);
  expect(new Set(wide.map((row) => row.indexOf('/tmp'))).size).toBe(1);
  for (const row of wide) expect(displayWidth(row)).toBeLessThanOrEqual(120);
  expect(draw({ cols: 119, sessions })[0]).not.toContain('+120');
  expect(draw({ cols: 120, sessions: sessions.slice(2) })[0]).toMatch(/1m 00s {2}\/tmp/);
  const tall = draw({ cols: 42, sessions: sessions.slice(0, 3), isTall: true });
  expect(tall[0]).toMatch(/SOME +\+120 −4 new 1m 00s/);
  for (const row of tall) expect(displayWidth(row)).toBeLessThanOrEqual(42);
  expect(draw({ cols: 30, sessions, isTall: true })[0]).not.toContain('+120');
});
