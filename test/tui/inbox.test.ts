import { afterAll, beforeAll, expect, test } from 'vitest';
import { CatalogueError } from '../../src/protocol/index.ts';
import { type FacesUnderTest, startFaces } from '../harness/faces.ts';
import { asking, DONE, FAILED } from '../harness/some-sessions.ts';
import { openTerminal, type Terminal } from '../harness/tmux.ts';
import { waitFor } from '../harness/wait-for.ts';

const OVER_AT = '2026-01-01T00:00:00.000Z';

let server: FacesUnderTest;
let terminal: Terminal;
const given: string[] = [];
beforeAll(async () => {
  server = await startFaces();
  server.sessions.add('AUTH', asking({ id: 'q1' }));
  server.sessions.add('BILL', asking({ id: 'q2' }));
  server.sessions.add('CODE', DONE);
  server.sessions.add(
    'PUSH',
    asking({ id: 'q3', tool: { name: 'Bash', input: { command: 'git push' } }, text: 'git push' }),
  );
  const answer = server.sessions.answer.bind(server.sessions);
  server.sessions.answer = async (slug, request) => {
    given.push(`${slug} ${request.question_id} ${request.choice ?? ''}${request.text ?? ''}`);
    return answer(slug, request);
  };
  terminal = await openTerminal(server.world, { cols: 110, rows: 30 });
  await terminal.until(/CODE[\s\S]*q quit/, 'the sessions');
});
afterAll(() => server[Symbol.asyncDispose]());

test('equal questions are one card; an answer is taken back, then sent; words answer the next', async () => {
  await terminal.keys('I');
  await terminal.until(
    /Inbox: 2 questions[\s\S]*AUTH in[\s\S]*BILL in[\s\S]*one answer goes to all 2/,
    'the first card',
  );
  // The footer lists the keys only when they count.
  await terminal.until(/y yes {2}n no/, 'that the card takes keys');
  await terminal.keys('y', 'u');
  await terminal.until(/taken back; nothing was sent/, 'that the prompt was taken back');
  expect(given).toEqual([]);
  await terminal.until(/AUTH in[\s\S]*BILL in/, 'the card again');
  await terminal.until(/BILL in[\s\S]*y yes {2}n no/, 'that it takes keys again');
  await terminal.keys('n');
  await terminal.until(/Inbox: one question[\s\S]*PUSH in/, 'the next card');
  await waitFor(() => given.length >= 2, { describe: 'the answer has left', actual: () => given });
  expect(given.slice(0, 2).sort()).toEqual(['AUTH q1 no', 'BILL q2 no']);
  await terminal.keys('s');
  await terminal.until(/Answer in your own words/, 'the input');
  await terminal.keys('later');
  await terminal.until(/> later[\s\S]*Enter answer/, 'the words');
  await terminal.until(/PUSH in/, 'the card');
  await terminal.keys('Enter');
  await waitFor(() => given.length >= 3, { describe: 'the words have left', actual: () => given });
  expect(given[2]).toBe('PUSH q3 nolater');
  await terminal.keys('Escape');
  await terminal.until(/Needs you \(3\)/, 'the list');
});

test('sessions whose usage limit has ended are one card, which continues each of them once', async () => {
  const continued: string[] = [];
  server.sessions.continueAfterLimit = async (slug) => {
    continued.push(slug);
    throw new CatalogueError('nothing_to_continue', `${slug} has nothing to continue`);
  };
  await terminal.keys('I');
  await terminal.until(/Inbox: 2 questions/, 'the inbox');
  for (const slug of ['NIGHT', 'DAWN']) server.sessions.add(slug, { ...FAILED, limit_over_at: OVER_AT });
  await terminal.until(/Inbox: 3 questions/, 'the new card');
  await terminal.keys('Tab', 'Tab');
  await terminal.until(/NIGHT in[\s\S]*Continue\? The usage limit has ended[\s\S]*c continue/, 'that it takes keys');
  // No other answer counts for it.
  await terminal.keys('y', '1');
  await terminal.keys('c');
  await terminal.until(/NIGHT, DAWN: continue|DAWN, NIGHT: continue/, 'that it can be taken back');
  await waitFor(() => continued.length >= 2, { describe: 'both continue', actual: () => continued });
  expect(continued.sort()).toEqual(['DAWN', 'NIGHT']);
  await terminal.until(/nothing to continue/, 'the result of each');
});
