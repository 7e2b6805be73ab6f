import { expect, test } from 'vitest';
import type { Session } from '../../src/protocol/index.ts';
import { displayWidth } from '../../src/text/display-width.ts';
import { EMPTY_EDITOR, editorOf } from '../../src/tui/input/editor.ts';
import type { Mode } from '../../src/tui/mode.ts';
import { createModel } from '../../src/tui/model.ts';
import { draw } from '../../src/tui/view/draw.ts';
import { dressFor } from '../../src/tui/view/dress.ts';
import { someSession } from '../harness/some-session.ts';

const { status } = someSession('X');
const LONG = 'a question that is longer than any line, 漢字 and 🙂 in it, '.repeat(12);
const asking = (slug: string): Session =>
  someSession(slug, {
    path: `/home/user/${LONG}`,
    state: 'waiting',
    status: {
      ...status,
      primary: 'waiting',
      detail: 'permission',
      question: {
        id: 'q1',
        kind: 'permission',
        text: LONG,
        tool: { name: 'Write', input: { file_path: LONG, content: `${LONG}\n`.repeat(30) } },
        options: Array.from({ length: 9 }, (_, index) => ({
          key: String(index + 1),
          label: LONG,
          description: LONG,
          means: 'choice' as const,
        })),
        multi: true,
        questions: [],
        asked_at: '2026-11-20T15:04:05.123Z',
      },
    },
  });

const MODES: Record<string, Mode> = {
  'a list to browse': {
    hints: () => [
      ['y', 'yes'],
      ['?', 'help'],
    ],
    handle: () => undefined,
    input: () => ({ title: '', mark: '> ', editor: EMPTY_EDITOR, isActive: false }),
  },
  'a long text that is written': {
    hints: () => [['Enter', 'send']],
    handle: () => undefined,
    input: () => ({ title: LONG, mark: '> ', editor: editorOf(`${LONG}\n`.repeat(20)), isActive: true }),
  },
  'a page': {
    hints: () => Array.from({ length: 40 }, () => ['Esc', 'leave'] as const),
    handle: () => undefined,
    page: (cols, rows) => ({ title: LONG, rows: Array.from({ length: rows }, () => 'x'.repeat(cols)) }),
  },
};

const SIZES = [
  { cols: 80, rows: 24 },
  { cols: 100, rows: 30 },
  { cols: 120, rows: 40 },
  { cols: 200, rows: 50 },
  { cols: 300, rows: 100 },
  { cols: 40, rows: 10 },
  { cols: 20, rows: 5 },
];

/** Returns how many cells a row takes. After a sequence that sets the column, counting continues from that column. */
function widthOf(row: string): number {
  let width = 0;
  for (const [, col, text = ''] of row.matchAll(/\u001b\[(\d+)G|([^\u001b]+)|\u001b\[[\d;]*m/g)) {
    width = col === undefined ? width + displayWidth(text) : Number(col) - 1;
  }
  return width;
}

test.each(Object.entries(MODES).flatMap(([name, mode]) => SIZES.map((size) => ({ name, mode, ...size }))))(
  '$name fills $cols×$rows exactly, with long texts of every kind',
  ({ mode, cols, rows }) => {
    const model = createModel(0);
    model.link = { isUp: true, since: 0 };
    for (const count of [0, 1, 100]) {
      model.view = new Map(Array.from({ length: count }, (_, index) => [`S${index}`, asking(`S${index}`)]));
      model.selected = count === 0 ? null : `S${count - 1}`;
      for (const hasColours of [true, false]) {
        const picture = draw({
          model,
          mode,
          content: {
            rows: (viewport) => ({
              rows: Array.from({ length: viewport.rows }, () => 'y'.repeat(viewport.cols)),
              cursor: null,
              canGoBack: 0,
            }),
          },
          size: { cols, rows },
          now: 0,
          home: '/home/user',
          // Only cells are counted here, whichever question it belongs to.
          memory: {
            ...{ question_id: 'q1', differs: false, suggestion: { choice: 'no', text: 'x'.repeat(300) } },
            answers: [
              {
                ...{ said: 'no', remark: 'x'.repeat(300), chosen: [], count: 23 },
                ...{ last_at: '2026-11-20T15:04:05.123Z', last_session: 'A' },
              },
            ],
          },
          dress: dressFor(hasColours),
        });
        expect(picture.rows).toHaveLength(rows);
        for (const row of picture.rows) expect(widthOf(row), row).toBeLessThanOrEqual(cols);
        if (!hasColours) expect(picture.rows.join('')).not.toMatch(/\u001b\[3\dm/);
        if (picture.cursor !== null) expect(picture.cursor.row).toBeLessThan(rows);
      }
    }
  },
);

test('anything that keeps keys from a session is shown above its screen and in the list', () => {
  const model = createModel(0);
  const mode = MODES['a list to browse'] as Mode;
  const stopped = {
    ...status,
    primary: null,
    because: { source: 'process', rule: 'process.stopped', evidence: 'kill -CONT 7' },
  } as const;
  model.view = new Map([
    ['COPY', someSession('COPY', { screen_prompt_at: '2026-11-20T15:05:00.000Z' })],
    ['STOP', someSession('STOP', { state: 'unknown', status: stopped })],
  ]);
  model.selected = 'COPY';
  const options = {
    model,
    mode,
    content: null,
    size: { cols: 200, rows: 40 },
    now: 0,
    home: '/',
    memory: null,
    dress: dressFor(false),
  };
  const said = draw(options).rows.join('\n');
  expect(said.match(/copy mode or a prompt of Screen was open/g)?.length).toBe(2);
  expect(said).toContain('kill -CONT 7');
});
