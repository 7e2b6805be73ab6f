import { beforeEach, expect, test } from 'vitest';
import { asking, askingAll, someCommand } from '../harness/some-sessions.ts';
import { runCommand } from './command-line.ts';
import { serveCommands } from './served.ts';

const cli = serveCommands();
beforeEach(() => {
  cli.server.sessions.answers.length = 0;
  cli.server.sessions.add('AUTH', { ...asking(), path: cli.server.world.projectDir });
});
const answer = (...words: string[]) => runCommand(['answer', 'AUTH', ...words], cli.where);
const rules = async () => ((await cli.server.call('/rules')).json() as { rules: { command: string[] }[] }).rules;

test('always reaches as far as the person chooses, and the output states it', async () => {
  const session = await answer('always', '--for', 'session');
  expect(session, session.stderr).toMatchObject({ code: 0, stdout: expect.stringContaining('don’t ask again') });
  expect((await answer('always', '--for', 'project', '--json')).stdout).toContain('"answered"');
  expect(cli.server.sessions.answers).toEqual([
    { choice: 'always', for: 'session', question_id: 'q1' },
    { choice: 'always', for: 'project', question_id: 'q1' },
  ]);
  expect(await rules()).toEqual([]);
});

test('a rule is shown before anybody can agree, and nothing is answered without a yes', async () => {
  const nobody = await answer('always', '--for', 'rule');
  expect(nobody).toMatchObject({ code: 2, stdout: '' });
  expect(nobody.stderr).toMatch(/\[\[allow\]\]\n.*command = .*npm test/);
  expect(cli.server.sessions.answers).toEqual([]);
  expect(await rules()).toEqual([]);
  const agreed = await answer('always', '--for', 'rule', '--yes');
  expect(agreed, agreed.stderr).toMatchObject({ code: 0, stdout: expect.stringMatching(/answered yes.*rule \w+/) });
  expect(cli.server.sessions.answers).toEqual([{ choice: 'yes', question_id: 'q1' }]);
  expect(await rules()).toMatchObject([{ command: ['npm test'] }]);
});

test('a reach that is not offered, a question that is no longer open, and a wrong combination are refused', async () => {
  expect((await answer('yes', '--for', 'session')).code).toBe(2);
  expect((await answer('always', '--for', 'everything')).code).toBe(2);
  expect((await answer('always', '--for', 'session', '--question-id', 'q0')).code).toBe(4);
  cli.server.sessions.change('AUTH', asking({ tool: { name: 'Bash', input: { command: 'rm -r build' } } }));
  const refused = await answer('always', '--for', 'rule', '--yes');
  expect(refused).toMatchObject({ code: 4, stderr: expect.stringContaining('delete or overwrite') });
  expect(cli.server.sessions.answers).toEqual([]);
});

test('it is about the question that is named, also if that is not the oldest one', async () => {
  cli.server.sessions.change('AUTH', askingAll(someCommand('q1', 'npm test'), someCommand('q2', 'npm run lint')));
  const session = await answer('always', '--for', 'session', '--question-id', 'q2');
  expect(session, session.stderr).toMatchObject({ code: 0, stdout: expect.stringContaining('npm run lint') });
  const rule = await answer('always', '--for', 'rule', '--yes', '--question', 'q2');
  expect(rule, rule.stderr).toMatchObject({ code: 0 });
  expect(cli.server.sessions.answers).toEqual([
    { choice: 'always', for: 'session', question_id: 'q2' },
    { choice: 'yes', question_id: 'q2' },
  ]);
  expect((await rules()).map(({ command }) => command)).toContainEqual(['npm run lint']);
});
