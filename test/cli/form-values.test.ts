import { beforeEach, expect, test } from 'vitest';
import type { Form } from '../../src/protocol/index.ts';
import { askingForm, SOME_FORM } from '../harness/some-forms.ts';
import { askingAll, someCommand } from '../harness/some-sessions.ts';
import { runCommand } from './command-line.ts';
import { serveCommands } from './served.ts';

const cli = serveCommands();

const formWith = (...names: string[]): Form => ({
  ...SOME_FORM,
  fields: names.map((name) => ({ name, type: 'text', title: null, description: null, required: false })),
});
const answer = (...words: string[]) => runCommand(['answer', 'AUTH', ...words], cli.where);
const setting = (...set: string[]): string[] => set.flatMap((one) => ['--set', one]);

beforeEach(() => {
  cli.server.sessions.add('AUTH', {
    ...askingForm(formWith('a', 'a=b', 'a=c', 'x=')),
    path: cli.server.world.projectDir,
  });
  cli.server.sessions.answers.length = 0;
});

test.each([
  [['a=1'], { a: '1' }],
  [['a=d=1'], { a: 'd=1' }],
  [['a=b=1', 'a=c=2'], { 'a=b': '1', 'a=c': '2' }],
  [['a=b=1', 'a=2'], { 'a=b': '1', a: '2' }],
  [['a=b=1', 'a=b=2'], { 'a=b': ['1', '2'] }],
  [['a=b'], { a: 'b' }],
  [['x==y=z'], { 'x=': 'y=z' }],
  [['other=1=2'], { other: '1=2' }],
  [['constructor=1', 'toString=a=b'], { constructor: '1', toString: 'a=b' }],
])('--set %j sets %j: a name that contains = is that of the longest field', async (set, values) => {
  expect(await answer(...setting(...set))).toMatchObject({ code: 0, stdout: 'AUTH: answered\n' });
  expect(cli.server.sessions.answers.map((one) => one.values)).toEqual([values]);
});

test('the names are those of the form that the answer is for, and no other question gets it', async () => {
  const { question } = askingForm(formWith('c=d')).status ?? {};
  cli.server.sessions.add('AUTH', {
    ...askingAll(someCommand('q1', 'one'), { ...question, id: 'q2' }),
    path: cli.server.world.projectDir,
  });
  expect((await answer('--question', 'q2', ...setting('c=d=1'))).code).toBe(0);
  expect((await answer(...setting('c=d=1'))).code).toBe(0);
  expect((await answer('--all-of', 'deploy', ...setting('c=d=1'))).code).toBe(0);
  expect(cli.server.sessions.answers).toEqual([
    { values: { 'c=d': '1' }, question_id: 'q2' },
    { values: { c: 'd=1' }, question_id: 'q1' },
    { values: { 'c=d': '1' }, question_id: 'q2' },
  ]);
});

test('a field that no form can have is refused, and nothing is answered', async () => {
  for (const set of [['__proto__=x'], ['a=1', '__proto__=x'], ['__proto__=x=y']]) {
    const { code, stdout, stderr } = await answer(...setting(...set));
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('body.values: no field can have the name "__proto__"');
  }
  expect(cli.server.sessions.answers).toEqual([]);
});
