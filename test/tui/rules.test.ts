import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FacesUnderTest, startFaces } from '../harness/faces.ts';
import { addAnswer, addDecision } from '../harness/memory-rules.ts';
import { DONE } from '../harness/some-sessions.ts';
import { openTerminal } from '../harness/tmux.ts';

let server: FacesUnderTest;
beforeAll(async () => {
  server = await startFaces();
});
afterAll(() => server[Symbol.asyncDispose]());

const decide = (input: unknown): number => addDecision(server.approvals, { input });

test('a rule that never matches is marked, and the reason and the rule that would match are shown', async () => {
  const file = join(server.world.cbosHome, 'rules.toml');
  writeFileSync(file, '[[deny]]\ncommand = "make 2>&1"\n');
  const terminal = await openTerminal(server.world, { cols: 110, rows: 30 });
  await terminal.until(/q quit/, 'the list');
  await terminal.keys('/');
  await terminal.type('rules');
  await terminal.keys('Enter');
  await terminal.until(/deny \(never\) {2}make 2>&1\n.*never matches: make 2>&1/, 'the mark and the reason');
  await terminal.keys('j', 'Enter');
  await terminal.until(/Instead:\s+command\s+=\s+"make"/, 'the rule that would match');
  rmSync(file);
});

test('rules and the audit are read in the terminal UI, live; a project is trusted after a confirmation', async () => {
  const folder = server.world.project('ruled');
  mkdirSync(join(folder, '.cbos'), { recursive: true });
  writeFileSync(
    join(folder, '.cbos/rules.toml'),
    `# \u202e\n${'# a line\n'.repeat(60)}[[deny]]\ncommand = "npm publish"\n`,
  );
  server.sessions.add('AUTH', { ...DONE, path: folder });
  const terminal = await openTerminal(server.world, { cols: 110, rows: 30 });
  await terminal.until(/q quit/, 'the list');
  const command = async (words: string): Promise<void> => {
    await terminal.keys('/');
    await terminal.type(words);
    await terminal.keys('Enter');
  };
  await command('rules');
  await terminal.until(/rules\.toml: not trusted/, 'the file of the project');
  await server.call('/rules', { body: { effect: 'allow', command: 'npm test', count: 3 } });
  await terminal.until(/allow {2}npm test[\s\S]*3 of 3 calls left/, 'the rule that was added in that time');
  await terminal.keys('Enter');
  await terminal.until(/# \\u202e[\s\S]*# a line/, 'the beginning of the file');
  await terminal.keys('t');
  await terminal.until(/Read the file to the end first/, 'that it must be read');
  await terminal.keys('G');
  await terminal.until(/npm publish/, 'the end of the file');
  await terminal.keys('t');
  await terminal.until(/Apply the rules in .*\(y\/n\)/, 'the question');
  expect(server.rules.trusted()).toEqual([]);
  await terminal.keys('y');
  await terminal.until(/now apply, exactly as you read them/, 'that they apply');
  expect(server.rules.trusted()).toMatchObject([{ folder }]);

  for (let count = 0; count < 3; count++) addAnswer(server.approvals, { folder, command: 'make check' });
  await command('rules');
  await terminal.until(/s suggestions/, 'the rules');
  await terminal.keys('s');
  await terminal.until(/command = "make check"/, 'the suggestion');
  await terminal.keys('1');
  await terminal.until(/Add this rule\? \(y\/n\)/, 'the question');
  expect(server.rules.added()).toHaveLength(1);
  await terminal.keys('y');
  await terminal.until(/added as the rule/, 'that it is added');
  expect(server.rules.added()).toMatchObject([{}, { fields: { command: 'make check', project: folder } }]);

  for (let count = 0; count < 10_000; count++) decide({ command: `npm run step-${count}` });
  await command('audit');
  await terminal.until(/Audit: 1 of 50\+[\s\S]*npm run step-9999/, 'the newest decisions');
  await terminal.keys('j', 'G');
  await terminal.until(/Audit: 50 of 100\+/, 'the next page');
  decide({ command: 'echo \u001b[2Jnew' });
  await terminal.until(/Audit: 51 of 101\+/, 'that one more was decided, while the chosen one stays chosen');
  await terminal.keys('g');
  await terminal.until(/Audit: 1 of 101\+[\s\S]*echo \\u001b\[2Jnew/, 'the newest');
  await terminal.keys('Enter');
  await terminal.until(/Decision 10001[\s\S]*command: echo \\u001b\[2Jnew/, 'all of it');
  await terminal.keys('Escape');
  await terminal.until(/Audit: 1 of/, 'the list again');
  await terminal.keys('Escape');
  await terminal.until(/q quit/, 'the sessions');
});
