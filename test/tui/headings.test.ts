import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Session } from '../../src/protocol/index.ts';
import { listGroups } from '../../src/tui/groups.ts';
import { EMPTY_EDITOR } from '../../src/tui/input/editor.ts';
import type { Mode } from '../../src/tui/mode.ts';
import { createModel, listed } from '../../src/tui/model.ts';
import { nextNeedy } from '../../src/tui/order.ts';
import { draw } from '../../src/tui/view/draw.ts';
import { dressFor } from '../../src/tui/view/dress.ts';
import { someSession } from '../harness/some-session.ts';
import { asking } from '../harness/some-sessions.ts';

const { status } = someSession('X');
const is = (some: Partial<Session['status']>) => ({ status: { ...status, ...some } });
const WANTING = {
  asks: asking({}),
  failed: is({ primary: 'idle', detail: 'error' }),
  done: is({ primary: 'idle', detail: 'waiting_input' }),
  works: is({ primary: 'active', detail: 'using_tools' }),
  stopped: is({ primary: 'dead', detail: null }),
} as const;
type Wanting = keyof typeof WANTING;

const MODE: Mode = {
  hints: () => [],
  handle: () => undefined,
  input: () => ({ title: '', mark: '> ', editor: EMPTY_EDITOR, isActive: false }),
};

const WIDE = { cols: 120, rows: 30 };

/** Returns the rows of the list without escape codes, and what a click on each row does. */
function listOf(all: readonly Wanting[], some: { size?: typeof WIDE; at?: number; filter?: string } = {}) {
  const { size = WIDE, at = 0, filter = '' } = some;
  const model = createModel(0);
  model.view = new Map(all.map((wanting, index) => [`S${index}`, someSession(`S${index}`, WANTING[wanting])]));
  model.filter = filter;
  model.selected = listed(model)[at]?.slug ?? null;
  const picture = draw({
    model,
    mode: MODE,
    content: null,
    memory: null,
    size,
    now: 0,
    home: undefined,
    dress: dressFor(false),
  });
  const rows = picture.rows.map((row, index) => {
    const target = picture.targetAt(index, 2);
    const text = row.replace(/\u001b\[(\d+G.*|[\d;]*m)/g, '').trim();
    return { text, isList: target?.kind === 'list', slug: target?.kind === 'session' ? target.slug : null };
  });
  return { rows, selected: model.selected, slugs: listed(model).map(({ slug }) => slug) };
}
const headings = ({ rows }: ReturnType<typeof listOf>): string[] =>
  rows.filter(({ text, isList }) => isList && /\(\d+\)$/.test(text)).map(({ text }) => text);

describe('headings of the list', () => {
  const ALL = ['works', 'asks', 'stopped', 'failed', 'works', 'done'] as const;

  test('name what the sessions below them want, and their number', () => {
    expect(headings(listOf(ALL))).toEqual(['Needs you (2)', 'Done (1)', 'Working (2)', 'Stopped (1)']);
  });

  test.each([
    ['next to the session', WIDE],
    ['above the session', { cols: 90, rows: 50 }],
  ])('do not react to a click as a session, and move no other: %s', (_, size) => {
    const drawn = listOf(ALL, { size });
    expect(headings(drawn)).toHaveLength(4);
    const named = drawn.rows.filter(({ text, slug }) => slug !== null && /\bS\d\b/.test(text));
    expect(named.map(({ slug }) => slug)).toEqual(drawn.slugs);
    for (const { text, slug } of named) expect(text).toContain(slug);
  });

  test.each([
    ['words filter it', { filter: 's' }],
    ['it has less than 8 rows', { size: { cols: 80, rows: 24 } }],
  ])('are left out if %s', (_, some) => {
    expect(headings(listOf(ALL, some))).toEqual([]);
  });

  test('the selected session is in the list with all its rows, wherever it is and however long the list', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...(Object.keys(WANTING) as Wanting[])), { minLength: 1, maxLength: 60 }),
        fc.nat(),
        fc.integer({ min: 10, max: 60 }),
        fc.constantFrom(80, 120),
        (all, nat, rows, cols) => {
          const drawn = listOf(all, { at: nat % all.length, size: { cols, rows } });
          const own = drawn.rows.filter(({ slug }) => slug === drawn.selected);
          expect(own).toHaveLength(cols === 120 ? 2 : 1);
          // The shown rows are one stretch of the list, in its order.
          const shown = [...new Set(drawn.rows.flatMap(({ slug }) => slug ?? []))];
          const start = drawn.slugs.indexOf(shown[0] ?? '');
          expect(shown).toEqual(drawn.slugs.slice(start, start + shown.length));
        },
      ),
      { numRuns: 150 },
    );
  });

  test('the first and the last row of a long list are visible from its ends', () => {
    const all = Array.from({ length: 40 }, (_, index): Wanting => (index % 2 === 0 ? 'asks' : 'stopped'));
    expect(listOf(all).rows[1]?.text).toMatch(/^Needs you \(20\)/);
    const end = listOf(all, { at: 39 });
    expect(end.rows.map(({ slug }) => slug)).toContain(end.slugs.at(-1));
  });
});

describe('headings by tag and repository', () => {
  const fleet = (): ReturnType<typeof createModel> => {
    const model = createModel(0);
    const sessions = [
      someSession('A', { ...WANTING.done, tags: ['night', 'web'], repository: '/src/shop' }),
      someSession('B', { ...WANTING.asks, tags: ['day'], repository: '/src/shop' }),
      someSession('C', { ...WANTING.works, tags: ['night'], repository: '/src/api' }),
      someSession('D', { ...WANTING.works }),
    ];
    model.view = new Map(sessions.map((session) => [session.slug, session]));
    return model;
  };
  const shape = (model: ReturnType<typeof createModel>) =>
    listGroups(model).map(({ title, sessions }) => [title, sessions.map(({ slug }) => slug).join('')]);

  test('have each session once, with the most pressing group first', () => {
    const model = { ...fleet(), grouping: 'tag' as const };
    expect(shape(model)).toEqual([
      ['day (1)', 'B'],
      ['night (2)', 'AC'],
      ['No tag (1)', 'D'],
    ]);
    expect(shape({ ...model, grouping: 'repo' })).toEqual([
      ['shop (2)', 'BA'],
      ['api (1)', 'C'],
      ['No repository (1)', 'D'],
    ]);
    expect(listed({ ...model, grouping: 'none' }).map(({ slug }) => slug)).toEqual(['B', 'A', 'C', 'D']);
  });

  test('a folded group keeps its count, and shows the sessions that need their person, and the selected one', () => {
    const model = { ...fleet(), grouping: 'repo' as const, folded: new Set(['repo /src/shop', 'repo /src/api']) };
    expect(shape(model)).toEqual([
      ['▸ shop (2)', 'B'],
      ['▸ api (1)', ''],
      ['No repository (1)', 'D'],
    ]);
    expect(nextNeedy(listed(model), null)).toBe('B');
    expect(shape({ ...model, selected: 'A' })[0]).toEqual(['▸ shop (2)', 'BA']);
    // A filter searches all groups.
    expect(listed({ ...model, filter: '#night' }).map(({ slug }) => slug)).toEqual(['A', 'C']);
  });

  test('are in the picture, even for folded groups, and lead no click to a session', () => {
    const model = { ...fleet(), grouping: 'repo' as const, folded: new Set(['repo /src/api']), selected: 'D' };
    const picture = draw({
      ...{
        model,
        mode: MODE,
        content: null,
        memory: null,
        size: WIDE,
        now: 0,
        home: undefined,
        dress: dressFor(false),
      },
    });
    const rows = picture.rows.map((row) => row.replace(/\u001b\[(\d+G.*|[\d;]*m)/g, '').trim());
    for (const title of ['shop (2)', '▸ api (1)', 'No repository (1)']) {
      expect(rows).toContain(title);
      expect(picture.targetAt(rows.indexOf(title), 2)?.kind).toBe('list');
    }
    expect(rows.join('\n')).not.toMatch(/ C /);
  });
});
