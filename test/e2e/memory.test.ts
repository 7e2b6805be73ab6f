import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Scene } from '../../src/demo/scenes/scene.ts';
import type { MemoryPage, QuestionMemory } from '../../src/protocol/index.ts';
import { asks, replyWith, sceneOf, startAnswering } from '../harness/answering.ts';
import type { Cbos } from '../harness/cbos.ts';
import type { ClaudeWorld } from '../harness/claude.ts';
import { jsonSessions } from '../harness/json-session.ts';

const DONE = replyWith({ kind: 'text', text: 'Done.' });
const STORE = {
  ...{ question: 'Which store?', header: 'Store', multiSelect: false },
  options: ['Postgres', 'SQLite'].map((label) => ({ label, description: label })),
};
let times = 0;

/** Chooses a command that is worded anew each time, as a model does, or a question of the model. */
function choose(prompt: string): Scene | null {
  const mark = /run:(\w+)/.exec(prompt)?.[1];
  if (prompt.includes('which store')) return sceneOf('store', replyWith(asks(STORE)), DONE);
  if (mark === undefined) return null;
  times += 1;
  const input = { command: `sh ./count.sh ${mark}`, description: `Count, for the ${times}th time` };
  return sceneOf(mark, replyWith({ kind: 'tool', name: 'Bash', input }), DONE);
}

let world: ClaudeWorld;
let cbos: Cbos;
beforeAll(async () => {
  ({ world, cbos } = await startAnswering({ choosers: [choose] }));
  writeFileSync(join(world.projectDir, 'count.sh'), 'echo ran >> "../ran-$1"\n');
}, 90_000);
afterAll(() => world.dispose());

async function launch(slug: string, path: string): Promise<void> {
  expect((await cbos.call('POST', '/sessions', { slug, type: 'screen', path })).error).toBeNull();
  const asksTrust = await cbos.until(
    slug,
    ({ status }) => ['idle', 'waiting'].includes(status.primary ?? ''),
    'has begun',
  );
  if (asksTrust.status.question !== null) await cbos.call('POST', `/sessions/${slug}/answer`, { choice: 'yes' });
  await cbos.untilStatus(slug, 'idle/ready');
}
async function ask(slug: string, text: string): Promise<QuestionMemory> {
  expect((await cbos.call('POST', `/sessions/${slug}/send`, { text })).error).toBeNull();
  await cbos.until(slug, ({ status }) => status.question !== null && status.question.kind !== 'closing', 'asks');
  return (await cbos.call<QuestionMemory>('GET', `/sessions/${slug}/memory`)).body;
}
async function answer(slug: string, body: object): Promise<void> {
  expect((await cbos.call('POST', `/sessions/${slug}/answer`, body)).error).toBeNull();
  await cbos.until(slug, ({ status }) => status.primary === 'idle', 'is done');
}

test('what was answered is suggested when the same is asked again in the project, and one answer takes it', async () => {
  await launch('AUTH', world.projectDir);
  const first = await ask('AUTH', 'run:tests');
  expect(first).toMatchObject({ answers: [], suggestion: null });
  await answer('AUTH', { choice: 'yes', question_id: first.question_id });

  const second = await ask('AUTH', 'run:tests again');
  expect(second).toMatchObject({
    answers: [{ said: 'yes', count: 1, last_session: 'AUTH' }],
    suggestion: { choice: 'yes' },
  });
  // A suggestion for a question that is gone answers no other question.
  const stale = await cbos.call('POST', '/sessions/AUTH/answer', {
    ...second.suggestion,
    question_id: first.question_id,
  });
  expect(stale.error?.code).toBe('stale_question');
  await answer('AUTH', { ...second.suggestion, question_id: second.question_id });
  const asked = await ask('AUTH', 'run:other');
  expect(asked).toMatchObject({ answers: [] });
  await answer('AUTH', { choice: 'no', text: 'count with abacus', question_id: asked.question_id });

  const elsewhere = world.project('elsewhere');
  writeFileSync(join(elsewhere, 'count.sh'), 'exit 0\n');
  await launch('OTHER', elsewhere);
  expect(await ask('OTHER', 'run:tests')).toMatchObject({ answers: [], suggestion: null });
  await answer('OTHER', { choice: 'no' });
}, 240_000);

test('the same in a JSON session, also of words and of options; an answer of a rule does not count', async () => {
  const json = jsonSessions(world, () => cbos);
  await json.create('JSON');
  const again = await ask('JSON', 'run:tests');
  expect(again).toMatchObject({ answers: [{ said: 'yes', count: 2 }], suggestion: { choice: 'yes' } });
  await answer('JSON', { choice: 'no', question_id: again.question_id });
  const other = await ask('JSON', 'run:other');
  expect(other).toMatchObject({ suggestion: { choice: 'no', text: 'count with abacus' } });
  await answer('JSON', { ...other.suggestion, question_id: other.question_id });
  const differing = await ask('JSON', 'run:tests');
  expect(differing).toMatchObject({ differs: true, suggestion: null });
  await answer('JSON', { choice: 'yes' });

  const store = await ask('JSON', 'which store');
  expect(store).toMatchObject({ answers: [] });
  await answer('JSON', { answers: { Store: 'SQLite' }, question_id: store.question_id });
  const asked = await ask('JSON', 'which store now');
  expect(asked).toMatchObject({ suggestion: { choice: 2 } });
  await answer('JSON', { ...asked.suggestion, question_id: asked.question_id });

  const list = async () => (await cbos.call<MemoryPage>('GET', '/memory?q=count.sh')).body;
  const before = (await list()).answers;
  writeFileSync(join(world.cbosHome, 'rules.toml'), '[[allow]]\ncommand = "sh ./count.sh *"\n');
  expect((await cbos.call('POST', '/sessions/JSON/send', { text: 'run:tests' })).error).toBeNull();
  await cbos.until('JSON', ({ status }) => status.primary === 'idle', 'is done, by a rule');
  expect((await cbos.call<unknown[]>('GET', '/audit')).body).toHaveLength(1);
  expect((await list()).answers).toBe(before);
  expect((await cbos.call('DELETE', '/memory')).body).toEqual({ forgotten: before + 2 });
  expect(await list()).toMatchObject({ total: 0 });
}, 240_000);
