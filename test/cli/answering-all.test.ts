import { afterEach, expect, test, vi } from 'vitest';
import { type Answer, CatalogueError } from '../../src/protocol/index.ts';
import { askingAll, someCommand } from '../harness/some-sessions.ts';
import { runCommand } from './command-line.ts';
import { serveCommands } from './served.ts';

const cli = serveCommands();
afterEach(() => void vi.restoreAllMocks());

/** Lets the server refuse the answers to these questions, in this order, before it takes any. */
function refuse(code: 'question_behind' | 'stale_question', ...ids: string[]): Answer[] {
  const taken: Answer[] = [];
  vi.spyOn(cli.server.sessions, 'answer').mockImplementation(async (_, request) => {
    if (request.question_id === ids[0]) {
      ids.shift();
      throw new CatalogueError(code);
    }
    taken.push(request);
  });
  return taken;
}

const answerAll = () => runCommand(['answer', 'AUTH', 'yes', '--all-of', 'session'], cli.where);

function ask(...some: Parameters<typeof askingAll>) {
  cli.server.sessions.add('AUTH', { ...askingAll(...some), path: cli.server.world.projectDir });
}

test('the questions are answered in the order in which their dialogs are drawn, whatever the hooks have told', async () => {
  ask(someCommand('q1', 'one'), { ...someCommand('q2', 'two'), behind: true });
  const taken = refuse('question_behind', 'q1');
  expect(await answerAll()).toMatchObject({ code: 0, stdout: 'AUTH: answered q2\nAUTH: answered q1\n' });
  expect(taken.map(({ question_id }) => question_id)).toEqual(['q2', 'q1']);
});

test('the dialog of a question behind may appear late', async () => {
  ask(someCommand('q1', 'one'), { ...someCommand('q2', 'two'), behind: true });
  refuse('stale_question', 'q2', 'q2');
  expect(await answerAll()).toMatchObject({ code: 0, stdout: 'AUTH: answered q1\nAUTH: answered q2\n' });
});

test('nothing is answered if the dialogs of all meant questions are behind another one', async () => {
  ask({ ...someCommand('q1', 'one'), behind: true });
  refuse('question_behind', 'q1');
  expect(await answerAll()).toMatchObject({ code: 4, stdout: '' });
});

test('a question that somebody else has answered is an error', async () => {
  ask(someCommand('q1', 'one'));
  refuse('stale_question', 'q1');
  expect(await answerAll()).toMatchObject({ code: 4, stdout: '' });
});
