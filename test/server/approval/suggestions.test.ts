import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RuleSuggestion, RuleVerdict } from '../../../src/protocol/index.ts';
import { suggestionRule } from '../../../src/text/suggestion-words.ts';
import { type FacesUnderTest, startFaces } from '../../harness/faces.ts';
import { addAnswer } from '../../harness/memory-rules.ts';

let server: FacesUnderTest;
let folder: string;
beforeEach(async () => {
  server = await startFaces();
  folder = server.world.projectDir;
  server.sessions.addWithoutRecording('AUTH', { path: folder });
});
afterEach(() => server[Symbol.asyncDispose]());

const said = (answer: 'yes' | 'no', ...commands: string[]): void => {
  for (const command of commands) addAnswer(server.approvals, { folder, command, said: answer });
};
const suggestions = async (): Promise<RuleSuggestion[]> =>
  (await server.call('/rules/suggestions')).json() as RuleSuggestion[];
const decision = async (command: string, session: string): Promise<string> =>
  ((await server.call('/rules/test', { body: { tool: 'Bash', input: { command }, session } })).json() as RuleVerdict)
    .decision;

test('a suggestion shows what else it would have allowed, and takes effect only when a person adds it, in its project', async () => {
  said('yes', 'npm test', 'npm test', 'npm test', 'git diff a', 'git diff b', 'git diff c');
  const [diff, npm, ...others] = await suggestions();
  expect(others).toEqual([]);
  expect(diff).toEqual({
    ...{ number: 1, project: folder, command: 'git diff **', step: 'arguments', yes: 3, no: 0, sessions: ['AUTH'] },
    ...{ commands: ['git diff a', 'git diff b', 'git diff c'], also: [] },
    toml: `[[allow]]\ncommand = "git diff **"\nproject = "${folder}"\n`,
  });
  expect(npm).toMatchObject({ command: 'npm test', step: 'exact' });
  expect(await decision('npm test', 'AUTH')).toBe('ask');
  expect(server.rules.added()).toEqual([]);

  // Two rules together may allow what neither allows alone. This is shown before the second one is added.
  said('yes', 'npm test && git diff a');
  if (diff === undefined || npm === undefined) throw new Error('nothing suggested');
  expect((await server.call('/rules', { body: suggestionRule(npm) })).status).toBe(201);
  expect(await suggestions()).toMatchObject([{ number: 1, command: 'git diff **', yes: 4 }]);
  expect(await decision('npm test', 'AUTH')).toBe('allow');
  server.sessions.addWithoutRecording('B', { path: server.world.project('other') });
  expect(await decision('npm test', 'B')).toBe('ask');

  said('no', 'git diff --stat');
  expect(await suggestions()).toEqual([]);
});

test('a rule for a project applies where links lead to it, and a deny applies if the folder is unknown', async () => {
  const link = join(server.world.dir, 'link');
  symlinkSync(folder, link);
  await server.call('/rules', { body: { effect: 'allow', command: 'npm test', project: link } });
  await server.call('/rules', { body: { effect: 'deny', command: 'git push', project: folder } });
  expect([await decision('npm test', 'AUTH'), await decision('git push', 'AUTH')]).toEqual(['allow', 'deny']);
  server.sessions.addWithoutRecording('NOWHERE', { path: null });
  expect([await decision('npm test', 'NOWHERE'), await decision('git push', 'NOWHERE')]).toEqual(['ask', 'deny']);
  for (const project of ['src', '~/src', '/a/../b', '/a/*']) {
    const answer = await server.call('/rules', { body: { effect: 'allow', command: 'ls', project } });
    expect([project, answer.code()]).toEqual([project, 'invalid_rule']);
  }
});
