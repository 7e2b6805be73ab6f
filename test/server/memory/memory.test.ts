import { mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { aboutOf, remember } from '../../../src/core/memory/index.ts';
import type { Answer, MemoryPage, Question, QuestionMemory } from '../../../src/protocol/index.ts';
import { projectOf } from '../../../src/server/memory/project-of.ts';
import { type FacesUnderTest, startFaces } from '../../harness/faces.ts';
import { addAnswer } from '../../harness/memory-rules.ts';
import { asking, askingAll, DONE, someCommand } from '../../harness/some-sessions.ts';
import { createWorktreeRepository } from '../../harness/worktree-repository.ts';

let server: FacesUnderTest;
let folder: string;
beforeEach(async () => {
  server = await startFaces();
  folder = realpathSync(server.world.projectDir);
  server.sessions.addWithoutRecording('AUTH', { path: folder, ...asking() });
});
afterEach(() => server[Symbol.asyncDispose]());

const memoryOf = async (slug: string): Promise<QuestionMemory> =>
  (await server.call(`/sessions/${slug}/memory`)).json() as QuestionMemory;
const listed = async (query = ''): Promise<MemoryPage> => (await server.call(`/memory${query}`)).json() as MemoryPage;
const forget = (query = '') => server.call(`/memory${query}`, { method: 'DELETE' });

test('an open question comes with what was answered to the same call in its project, and a suggestion if always the same', async () => {
  expect(await memoryOf('AUTH')).toEqual({ question_id: 'q1', answers: [], differs: false, suggestion: null });
  addAnswer(server.approvals, { session: 'SHOP', folder, command: 'npm test' });
  addAnswer(server.approvals, { folder, command: 'npm test', said: 'always' });
  addAnswer(server.approvals, { folder: server.world.project('other'), command: 'npm test', said: 'no' });
  addAnswer(server.approvals, { folder, command: 'npm test -- --watch', said: 'no' });
  const allowed = await memoryOf('AUTH');
  expect(allowed).toMatchObject({
    differs: false,
    suggestion: { choice: 'yes' },
    answers: [
      { said: 'yes', count: 1, last_session: 'SHOP' },
      { said: 'always', count: 1, last_session: 'AUTH' },
    ],
  });
  addAnswer(server.approvals, { folder, command: 'npm test', said: 'no', remark: 'not now' });
  expect(await memoryOf('AUTH')).toMatchObject({ differs: true, suggestion: null });
  // Nothing was answered by looking.
  expect(server.sessions.answers).toEqual([]);
});

test('each open question has the answers that were given to its own call', async () => {
  addAnswer(server.approvals, { folder, command: 'npm run lint' });
  server.sessions.change('AUTH', askingAll(someCommand('q1', 'npm test'), someCommand('q2', 'npm run lint')));
  const of = async (id: string): Promise<QuestionMemory> =>
    (await server.call(`/sessions/AUTH/memory?question_id=${id}`)).json() as QuestionMemory;
  expect(await of('q1')).toMatchObject({ question_id: 'q1', answers: [], suggestion: null });
  expect(await of('q2')).toMatchObject({ question_id: 'q2', suggestion: { choice: 'yes' } });
  server.sessions.questionId = (_, id) => (id === 'earlier' ? 'q2' : id);
  expect(await of('earlier')).toEqual(await of('q2'));
  expect((await server.call('/sessions/AUTH/memory?question_id=gone')).code()).toBe('stale_question');
});

test('a question that cannot be asked the same again has no memory, and without a question there is none', async () => {
  addAnswer(server.approvals, { folder, command: 'npm test' });
  const none = { answers: [], suggestion: null };
  for (const some of [{ cut: true as const }, { tool: null }, { kind: 'plan' as const }]) {
    server.sessions.change('AUTH', asking(some));
    expect(await memoryOf('AUTH')).toMatchObject(none);
  }
  server.sessions.addWithoutRecording('NOWHERE', { path: null, ...asking() });
  expect(await memoryOf('NOWHERE')).toMatchObject(none);
  server.sessions.change('AUTH', DONE);
  expect((await server.call('/sessions/AUTH/memory')).code()).toBe('no_question');
  expect((await server.call('/sessions/NOBODY/memory')).code()).toBe('no_such_session');
});

test('worktrees share the answers of their repository, and its folders do not share theirs', async () => {
  const repository = createWorktreeRepository(server.world);
  repository.commit('begin', { 'api/a': '1' });
  const worktree = join(server.world.dir, 'worktree');
  repository.git('worktree', 'add', '--quiet', worktree);
  const main = realpathSync(repository.path);
  mkdirSync(join(main, 'web'));
  expect(await projectOf(realpathSync(worktree))).toBe(main);
  expect(await projectOf(join(realpathSync(worktree), 'api'))).toBe(join(main, 'api'));
  addAnswer(server.approvals, { folder: main, command: 'npm test' });
  const suggested = async (path: string): Promise<unknown> => {
    server.sessions.addWithoutRecording('W', { path, ...asking() });
    return (await memoryOf('W')).suggestion;
  };
  expect(await suggested(worktree)).toEqual({ choice: 'yes' });
  expect(await suggested(join(worktree, 'api'))).toBeNull();
  expect(await suggested(join(main, 'web'))).toBeNull();
  expect((await listed(`?project=${encodeURIComponent(worktree)}`)).total).toBe(1);
});

test("the model's own question is suggested with the options that were chosen", async () => {
  const options = ['Postgres', 'SQLite'].map((label, index) => ({
    ...{ key: String(index + 1), label, description: null, means: 'choice' as const },
  }));
  const tool = { name: 'AskUserQuestion', input: { questions: [{ question: 'Which store?' }] } };
  const parts = [{ header: null, text: 'Which store?', options, multi: false }];
  server.sessions.change('AUTH', asking({ kind: 'question', text: 'Which store?', tool, options, questions: parts }));
  const question = server.sessions.get('AUTH').status.question as Question;
  const given: Answer = { choice: 2 };
  const answer = remember(question, given);
  if (answer === null) throw new Error('not remembered');
  server.approvals.keepAnswer({ session: 'AUTH', folder, project: folder, tool, about: aboutOf(question), answer });
  expect(await memoryOf('AUTH')).toMatchObject({ suggestion: { choice: 2 }, answers: [{ said: 'choice', count: 1 }] });
  expect(await listed('?q=sqlite')).toMatchObject({ total: 1, questions: [{ about: 'Which store?' }] });
  // Only commands lead to rules.
  expect((await server.call('/rules/suggestions')).json()).toEqual([]);
});

test('all answers are listed by question, found by words, and forgotten, all or those that match', async () => {
  const other = server.world.project('other');
  for (const command of ['npm test', 'npm test', 'git push', 'npm run lint'])
    addAnswer(server.approvals, { folder, command });
  addAnswer(server.approvals, { folder: other, command: 'npm test', said: 'no', remark: 'Use pnpm' });
  const all = await listed();
  expect([all.total, all.answers, all.questions.map(({ about, project }) => [about, project])]).toEqual([
    ...[4, 5],
    [
      ['npm test', other],
      ['npm run lint', folder],
      ['git push', folder],
      ['npm test', folder],
    ],
  ]);
  expect((await listed('?limit=1')).questions).toHaveLength(1);
  expect((await listed('?q=PNPM')).questions).toMatchObject([{ project: other }]);
  expect((await listed('?q=nothing%20such')).total).toBe(0);
  expect((await server.call('/memory?limit=0')).code()).toBe('invalid_request');
  expect((await forget('?q=git')).json()).toEqual({ forgotten: 1 });
  expect((await forget(`?project=${encodeURIComponent(other)}`)).json()).toEqual({ forgotten: 1 });
  expect((await listed()).total).toBe(2);
  expect((await forget('?everything=yes')).code()).toBe('invalid_request');
  expect((await forget()).json()).toEqual({ forgotten: 3 });
  expect(await listed()).toEqual({ total: 0, answers: 0, questions: [] });
  expect(await memoryOf('AUTH')).toMatchObject({ answers: [] });
});
