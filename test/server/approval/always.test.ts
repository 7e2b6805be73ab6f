import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ruleForCall } from '../../../src/core/approval/rule-for-call.ts';
import { standingFor } from '../../../src/core/status/index.ts';
import { type AlwaysChoices, CatalogueError, type Question } from '../../../src/protocol/index.ts';
import { type Answered, type FacesUnderTest, startFaces } from '../../harness/faces.ts';
import { callRoute } from '../../harness/rest.ts';
import { asking, askingAll, someCommand } from '../../harness/some-sessions.ts';

let server: FacesUnderTest;
let folder: string;
beforeEach(async () => {
  server = await startFaces();
  folder = server.world.projectDir;
  server.sessions.addWithoutRecording('AUTH', { path: folder });
});
afterEach(() => server[Symbol.asyncDispose]());

const asks = (command: string, more: Partial<Question> = {}): void =>
  void server.sessions.change(
    'AUTH',
    asking({ kind: 'permission', tool: { name: 'Bash', input: { command } }, ...more }),
  );
const at = { params: { slug: 'AUTH' } };
const choices = async (): Promise<AlwaysChoices> =>
  (await callRoute(server, 'alwaysChoices', at)).json() as AlwaysChoices;
const allow = (body: object): Promise<Answered> => callRoute(server, 'allowByRule', { ...at, body });
const rules = async (): Promise<unknown[]> => ((await server.call('/rules')).json() as { rules: unknown[] }).rules;
const decision = async (command: string, session = 'AUTH'): Promise<string> => {
  const answer = await server.call('/rules/test', { body: { tool: 'Bash', input: { command }, session } });
  return (answer.json() as { decision: string }).decision;
};

describe('as a rule of CBOS', () => {
  test('a yes saves the rule that was shown, which allows this command in this project and nothing else', async () => {
    asks('npm test && git diff --stat');
    const { question_id, rule } = await choices();
    expect(rule).toBe(`[[allow]]\ncommand = [ "npm test", "git diff --stat" ]\nproject = "${folder}"\n`);
    expect(await rules()).toEqual([]);
    const answer = await allow({ question_id, rule });
    expect(answer.json()).toMatchObject({ status: 'answered', rule: { effect: 'allow', project: [folder] } });
    expect(server.sessions.answers).toEqual([{ choice: 'yes', question_id }]);
    expect(await decision('npm test && git diff --stat')).toBe('allow');
    for (const other of ['npm test -- --watch', 'npm run test', 'git diff', 'npm test; rm -r x', 'npm test > x']) {
      expect(await decision(other), other).toBe('ask');
    }
    server.sessions.addWithoutRecording('ELSEWHERE', { path: '/' });
    expect(await decision('npm test', 'ELSEWHERE')).toBe('ask');
  });

  test('no rule is saved that was not shown, nor for another question, nor without the yes', async () => {
    asks('npm test');
    const { question_id, rule } = await choices();
    expect((await allow({ question_id, rule: `${rule}# and more` })).code()).toBe('invalid_rule');
    expect((await allow({ question_id, rule: '[[allow]]\ncommand = "npm **"\n' })).code()).toBe('invalid_rule');
    expect((await allow({ question_id: 'another', rule })).code()).toBe('stale_question');
    // The question stays, and its command becomes another one.
    asks('npm publish');
    expect((await allow({ question_id, rule })).code()).toBe('invalid_rule');
    asks('npm test');
    server.sessions.answer = () => Promise.reject(new CatalogueError('stale_question'));
    expect((await allow({ question_id, rule })).code()).toBe('stale_question');
    expect(await rules()).toEqual([]);
  });

  test('one can be made for each open question, except while Claude Code shows the dialog of an older one', async () => {
    const behind = { ...someCommand('q3', 'npm ci'), behind: true as const };
    const asked = askingAll(someCommand('q1', 'npm test'), someCommand('q2', 'npm run lint'), behind);
    server.sessions.change('AUTH', asked);
    const of = (question_id: string) => callRoute(server, 'alwaysChoices', { ...at, query: { question_id } });
    const second = (await of('q2')).json() as AlwaysChoices;
    expect(second).toMatchObject({
      question_id: 'q2',
      session: 'Yes, and don’t ask again for npm run lint',
      rule: expect.stringContaining('command = [ "npm run lint" ]'),
    });
    expect(await choices()).toMatchObject({ question_id: 'q1', rule: expect.stringContaining('npm test') });
    server.sessions.questionId = (_, id) => (id === 'earlier' ? 'q2' : id);
    expect((await of('earlier')).json()).toEqual(second);
    expect((await of('q3')).code()).toBe('question_behind');
    expect((await of('gone')).code()).toBe('stale_question');
    expect((await allow({ question_id: 'q2', rule: second.rule })).status).toBe(200);
    expect(server.sessions.answers).toEqual([{ choice: 'yes', question_id: 'q2' }]);
  });

  test.each([
    ['rm -r build', 'does not create rules for commands that'],
    ['curl https://example.org', 'does not create rules for commands that'],
    ['npm test && git push', 'does not create rules for commands that'],
    ['node x.mjs', 'does not create rules for commands that'],
    ['FOO=1 npm test', 'does not create rules for commands that'],
    ['echo $HOME', 'no rule can match'],
    ['npm test # really', 'no rule can match'],
    ['npm test > ../x', 'always asks'],
  ])('none is offered for %s', async (command, why) => {
    asks(command);
    expect(await choices()).toMatchObject({ rule: null, no_rule: expect.stringContaining(why) });
  });

  test('none is offered if another rule denies or asks, or the call is not shown in full', async () => {
    asks('npm test');
    writeFileSync(join(server.world.cbosHome, 'rules.toml'), '[[ask]]\ncommand = "npm **"\n');
    expect(await choices()).toMatchObject({ rule: null, no_rule: expect.stringContaining('another rule asks') });
    asks('npm run lint', { cut: true });
    expect(await choices()).toMatchObject({ rule: null });
    asks(`grep '"name"' package.json`);
    expect(await choices()).toMatchObject({ rule: null, no_rule: expect.stringContaining('without quotes') });
    server.sessions.change('AUTH', asking({ kind: 'question' }));
    expect((await server.call('/sessions/AUTH/always')).code()).toBe('no_question');
  });

  test('for a file it names this file and this tool; other tools have none', () => {
    expect(ruleForCall({ tool: 'Edit', input: { file_path: '/src/a.ts' } }, '/src')).toEqual({
      tool: ['Edit'],
      path: ['/src/a.ts'],
      project: '/src',
    });
    for (const [tool, input] of [
      ['Edit', { file_path: '/src/*.ts' }],
      ['Edit', { file_path: 'a.ts' }],
      ['WebFetch', { url: 'https://example.org' }],
      ['mcp__db__query', { sql: 'drop' }],
    ] as const) {
      expect(ruleForCall({ tool, input }, '/src')).toHaveProperty('why');
    }
  });
});

describe('for the session and for the project', () => {
  const RULES = { type: 'addRules', rules: [{ toolName: 'Bash', ruleContent: 'npm test:*' }], behavior: 'allow' };
  const MODE = { type: 'setMode', mode: 'acceptEdits', destination: 'session' };

  test("Claude Code's suggestions are kept there, and the text names the place", () => {
    const suggested = [{ ...RULES, destination: 'localSettings' }];
    expect(standingFor(suggested, 'session')).toEqual({
      updates: [{ ...RULES, destination: 'session' }],
      about: "don't ask again for Bash npm test:* during this session",
    });
    expect(standingFor(suggested, 'project')).toEqual({
      updates: [{ ...RULES, destination: 'localSettings' }],
      about: "don't ask again for Bash npm test:* in this project",
    });
  });

  test('a mode is not kept for a project, and nothing is offered that cannot be described', () => {
    expect(standingFor([MODE], 'session')).not.toBe(null);
    expect(standingFor([MODE], 'project')).toBe(null);
    for (const reach of ['session', 'project'] as const) {
      expect(standingFor([], reach)).toBe(null);
      expect(standingFor([RULES, { type: 'somethingNew' }], reach)).toBe(null);
    }
  });

  test('an answer names it only together with always', async () => {
    asks('npm test');
    for (const body of [
      { choice: 'yes', for: 'session' },
      { choice: 'always', for: 'everything' },
    ]) {
      expect((await server.call('/sessions/AUTH/answer', { body })).code()).toBe('invalid_request');
    }
    expect((await server.call('/sessions/AUTH/answer', { body: { choice: 'always', for: 'project' } })).status).toBe(
      200,
    );
    expect(server.sessions.answers).toEqual([{ choice: 'always', for: 'project' }]);
  });
});
