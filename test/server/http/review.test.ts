import { symlinkSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Review, ReviewComment, ReviewRound } from '../../../src/protocol/index.ts';
import { type FacesUnderTest, startFaces } from '../../harness/faces.ts';
import { createRepository, type TestRepository } from '../../harness/git-repository.ts';
import { asking, DONE, WORKING } from '../../harness/some-sessions.ts';

let server: FacesUnderTest;
let repository: TestRepository;
beforeEach(async () => {
  server = await startFaces();
  repository = createRepository(server.world);
  repository.write('a.txt', 'one\ntwo\nthree\nfour\n');
  repository.commit();
  repository.git('checkout', '--quiet', '-b', 'task');
  repository.write('a.txt', 'one\n2\nthree\nfour\n');
  server.sessions.add('AUTH', { ...DONE, path: repository.dir });
});
afterEach(() => server[Symbol.asyncDispose]());

const read = async (): Promise<Review> => (await server.call('/sessions/AUTH/review')).json() as Review;
const add = (body: object) => server.call('/sessions/AUTH/review/comments', { body });
const comment = async (body: object): Promise<ReviewComment> => (await add(body)).json() as ReviewComment;
const send = (prompt: string) => server.call('/sessions/AUTH/review/send', { body: { prompt } });
const sendAll = async (): Promise<ReviewRound> => (await send((await read()).prompt ?? '')).json() as ReviewRound;

test('comments are sent as one prompt that was shown, in numbered rounds', async () => {
  await comment({ file: 'a.txt', line: 3, end_line: 4, text: 'Split this.' });
  await comment({ file: 'a.txt', line: 2, text: 'Use a word.' });
  await comment({ file: 'a.txt', line: 2, side: 'base', text: 'This was better.' });
  const { prompt, round } = await read();
  expect(round).toBe(1);
  expect(prompt).toBe(
    [
      'Review of your changes, round 1: 3 comments.',
      '1. a.txt, line 2:\n> 2\nUse a word.',
      '2. a.txt, line 2 of the base (since removed):\n> two\nThis was better.',
      '3. a.txt, lines 3–4:\n> three\n> four\nSplit this.',
      'Address each of them. Then report for each number what you did, or why you did nothing.',
    ].join('\n\n'),
  );
  const sent = await sendAll();
  expect(sent).toMatchObject({ number: 1, prompt, status: 'queued', answer: null });
  const deliveries = server.sessions.deliveries('AUTH');
  expect(deliveries.map(({ text }) => text)).toEqual([prompt]);
  expect(await read()).toMatchObject({ round: 2, comments: [], prompt: null, rounds: [{ number: 1 }] });
  // A round that was sent has no comments left, so sending it again is refused.
  expect((await send(prompt ?? '')).code()).toBe('no_comments');
  await comment({ file: 'a.txt', line: 1, text: 'And this.' });
  expect((await sendAll()).number).toBe(2);
  expect(server.sessions.deliveries('AUTH')).toHaveLength(2);
});

test('only what was shown is sent', async () => {
  await comment({ file: 'a.txt', line: 2, text: 'Use a word.' });
  const { prompt } = await read();
  await comment({ file: 'a.txt', line: 3, text: 'Another one.' });
  expect((await send(prompt ?? '')).code()).toBe('review_changed');
  repository.write('a.txt', 'one\n2.0\nthree\nfour\n');
  expect((await send((await read()).prompt ?? '')).status).toBe(200);
  expect(server.sessions.deliveries('AUTH')).toHaveLength(1);
});

test.each(['now', 'base'])('a comment on a file that is too large names the limit (%s)', async (side) => {
  await comment({ file: 'a.txt', line: 2, text: 'Use a word.' });
  repository.write('large.txt', 'line\n'.repeat(500_000));
  repository.git('checkout', '--quiet', 'main');
  repository.write('a.txt', 'line\n'.repeat(500_000));
  repository.write('large.txt', 'line\n'.repeat(500_000));
  repository.commit();
  repository.git('checkout', '--quiet', '-B', 'task');
  const answer = await add({ file: 'large.txt', line: 1, side, text: 'x' });
  expect(answer.code()).toBe('no_such_line');
  expect(answer.text).toContain('is too large to comment on: it has more than 2,097,152 bytes');
  expect((await read()).comments.map(({ anchor }) => anchor.state)).toEqual(['outdated']);
});

test('comments move with their lines, or are outdated with the original lines', async () => {
  await comment({ file: 'a.txt', line: 2, text: 'Use a word.' });
  await comment({ file: 'a.txt', line: 3, text: 'Why?' });
  repository.write('a.txt', 'zero\none\nTWO\nthree\nfour\n');
  const { comments, prompt } = await read();
  expect(comments.map(({ anchor, lines }) => [anchor.state, anchor.line, lines])).toEqual([
    ['outdated', null, ['2']],
    ['moved', 4, ['three']],
  ]);
  expect(prompt).toContain('a.txt, line 2 when it was written; these lines have changed since:\n> 2\n');
  expect(prompt).toContain('a.txt, line 4:\n> three\n');
  unlinkSync(join(repository.dir, 'a.txt'));
  server.sessions.change('AUTH', { path: server.world.projectDir });
  expect((await read()).comments.map(({ anchor }) => anchor.state)).toEqual(['outdated', 'outdated']);
});

test('nothing in a prompt is hidden, whatever the file and the comment contain', async () => {
  repository.write('b\u202e.txt', 'evil \u001b]0;x\u0007\u202eline\u200b\n');
  await comment({ file: 'b\u202e.txt', line: 1, text: 'Look\u001b[2J at\u0000 \u202ethis\u200b!' });
  const { prompt } = await read();
  expect(prompt).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b\u202e]/);
  expect(prompt).toContain('1. b\\u202e.txt, line 1:\n> evil line\\u200b\nLook at this\\u200b!');
});

test('a round that was refused, cancelled or failed leaves its comments open', async () => {
  await comment({ file: 'a.txt', line: 2, text: 'Use a word.' });
  server.sessions.change('AUTH', asking());
  expect((await send((await read()).prompt ?? '')).code()).toBe('not_accepting_text');
  expect(await read()).toMatchObject({ round: 1, rounds: [], comments: [{ text: 'Use a word.' }] });
  server.sessions.change('AUTH', DONE);
  const { delivery_id: id } = await sendAll();
  expect((await read()).comments).toEqual([]);
  await server.call(`/sessions/AUTH/deliveries/${id}`, { method: 'DELETE' });
  expect(await read()).toMatchObject({ round: 1, rounds: [], comments: [{ text: 'Use a word.' }] });
  expect((await sendAll()).number).toBe(1);
});

test("the session's answer is kept with the round, even through a restart", async () => {
  await comment({ file: 'a.txt', line: 2, text: 'Use a word.' });
  const { prompt } = await sendAll();
  server.sessions.change('AUTH', WORKING);
  const said = (text: string) => ({ type: 'assistant', message: { content: [{ type: 'text', text }] } });
  server.sessions.write('AUTH', { type: 'user', message: { content: prompt } }, said('I begin.'));
  expect((await read()).rounds[0]?.answer).toBe(null);
  server.sessions.write('AUTH', said('1: it is a word now.'));
  server.sessions.change('AUTH', DONE);
  expect((await read()).rounds[0]?.answer).toBe('1: it is a word now.');
  server.sessions.write('AUTH', { type: 'user', message: { content: 'next' } }, said('Of another turn.'));
  await server.stop();
  await server.startAgain();
  expect((await read()).rounds[0]).toMatchObject({ number: 1, answer: '1: it is a word now.' });
});

test('two requests at once send a round once', async () => {
  await comment({ file: 'a.txt', line: 2, text: 'Use a word.' });
  const { prompt } = await read();
  const answers = await Promise.all([send(prompt ?? ''), send(prompt ?? '')]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  expect(server.sessions.deliveries('AUTH')).toHaveLength(1);
});

test('a comment can be deleted until it is sent', async () => {
  const { id } = await comment({ file: 'a.txt', line: 2, text: 'Use a word.' });
  const remove = () => server.call(`/sessions/AUTH/review/comments/${id}`, { method: 'DELETE' });
  expect((await remove()).status).toBe(200);
  expect((await remove()).code()).toBe('no_such_comment');
  const sent = await comment({ file: 'a.txt', line: 2, text: 'Use a word.' });
  await sendAll();
  const late = await server.call(`/sessions/AUTH/review/comments/${sent.id}`, { method: 'DELETE' });
  expect(late.code()).toBe('no_such_comment');
});

describe('refuses', () => {
  test.each([
    ['a line that the file lacks', { file: 'a.txt', line: 5 }],
    ['a range that ends beyond it', { file: 'a.txt', line: 4, end_line: 5 }],
    ['a range that ends before it begins', { file: 'a.txt', line: 3, end_line: 2 }],
    ['a file that does not exist', { file: 'b.txt', line: 1 }],
    ['a file outside the folder', { file: '../outside.txt', line: 1 }],
    ['a file outside the folder, by its absolute path', { file: '/etc/passwd', line: 1 }],
    ["a file in git's own directory", { file: '.git/config', line: 1 }],
    ['a link that points outside', { file: 'link', line: 1 }],
    ['a file behind a folder that is a link to the outside', { file: 'folder/outside.txt', line: 1 }],
    ['a file that is not text', { file: 'picture', line: 1 }],
  ])('%s', async (_, place) => {
    server.world.project('elsewhere');
    repository.write('../outside.txt', 'secret\n');
    repository.write('picture', new Uint8Array([1, 0, 2]));
    symlinkSync('../outside.txt', join(repository.dir, 'link'));
    symlinkSync('..', join(repository.dir, 'folder'));
    const answer = await add({ ...place, text: 'x' });
    expect([answer.status, answer.code()]).toEqual([422, 'no_such_line']);
    expect((await read()).comments).toEqual([]);
  });

  test('a comment whose lines are all gone, and one outside of a repository', async () => {
    expect((await add({ file: 'a.txt', line: 1, text: '\u001b[2J' })).code()).toBe('invalid_request');
    server.sessions.change('AUTH', { path: server.world.projectDir });
    expect((await add({ file: 'a.txt', line: 1, text: 'x' })).code()).toBe('not_a_repository');
  });
});

describe('the mark that a file is reviewed', () => {
  const mark = (file: string, reviewed = true) =>
    server.call('/sessions/AUTH/review/files', { method: 'PUT', body: { file, reviewed } });

  test('is removed when the file changes again, and by hand', async () => {
    expect(((await mark('a.txt')).json() as Review).reviewed).toEqual(['a.txt']);
    expect((await read()).reviewed).toEqual(['a.txt']);
    repository.write('a.txt', 'other\n');
    expect((await read()).reviewed).toEqual([]);
    await mark('a.txt');
    unlinkSync(join(repository.dir, 'a.txt'));
    expect((await read()).reviewed).toEqual([]);
    // A deleted file is a change that can be reviewed too.
    await mark('a.txt');
    expect((await read()).reviewed).toEqual(['a.txt']);
    expect(((await mark('a.txt', false)).json() as Review).reviewed).toEqual([]);
  });

  test('exists only for files that are there', async () => {
    for (const file of ['none.txt', '../outside.txt', '.git/config', '/etc/passwd']) {
      expect((await mark(file)).code(), file).toBe('no_such_file');
    }
  });
});
