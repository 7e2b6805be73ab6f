import { beforeEach, expect, test } from 'vitest';
import { addAnswer } from '../harness/memory-rules.ts';
import { asking } from '../harness/some-sessions.ts';
import { type CommandResult, runCommand } from './command-line.ts';
import { serveCommands } from './served.ts';

const cli = serveCommands();
const memory = (...words: string[]): Promise<CommandResult> => runCommand(['memory', ...words], cli.where);
let folder: string;
beforeEach(async () => {
  folder = cli.server.world.projectDir;
  await memory('--forget', '--yes');
});

test('answers are listed with what was said, and found by words and project', async () => {
  expect(await memory()).toMatchObject({ code: 0, stdout: '', stderr: expect.stringContaining('no stored answers') });
  addAnswer(cli.server.approvals, { folder, command: 'npm test' });
  addAnswer(cli.server.approvals, { folder, command: 'npm test' });
  addAnswer(cli.server.approvals, { folder, command: 'npm test', said: 'no', remark: 'use\npnpm' });
  addAnswer(cli.server.approvals, { folder: '/elsewhere', session: 'A\u202eB', command: 'rm \u202e-r\u001b[2J x' });
  const told = await memory();
  expect(told).toMatchObject({ code: 0, stderr: '' });
  const [titles, ...rows] = told.stdout.trimEnd().split('\n');
  expect(titles?.split(/ {2,}/)).toEqual(['AGE', 'YOU SAID', 'NAME', 'PROJECT', 'WHAT']);
  expect(rows).toHaveLength(2);
  expect(rows[0]).toContain('Bash: rm \\u202e-r\\u001b[2J x');
  expect(rows[0]).not.toMatch(/[\u001b\u202e]/);
  expect(rows[1]).toMatch(/yes twice, no “use” once +AUTH .*Bash: npm test/);
  expect((await memory('pnpm')).stdout).toContain('npm test');
  expect((await memory('--project', '.')).stdout).not.toContain('elsewhere');
  expect(JSON.parse((await memory('--project', '.', '--json')).stdout)).toMatchObject({ total: 1, answers: 3 });
  expect((await memory('--limit', '1')).stderr).toContain('1 older questions');
});

test('nothing is forgotten without a yes', async () => {
  addAnswer(cli.server.approvals, { folder, command: 'npm test' });
  addAnswer(cli.server.approvals, { folder: '/elsewhere', command: 'ls' });
  const nobody = await memory('--forget');
  expect(nobody).toMatchObject({ code: 2, stderr: expect.stringContaining('Forget 2 answers to 2 questions?') });
  const no = await runCommand(['memory', '--forget'], { ...cli.where, isTTY: true, stdin: 'n\n' });
  expect(no.stderr).toContain('nothing was forgotten');
  const yes = await runCommand(['memory', '--project', '.', '--forget'], { ...cli.where, isTTY: true, stdin: 'y\n' });
  expect(yes.stderr).toContain('Forget one answer to one question?');
  expect(yes.stdout).toContain('Forgot one answer');
  expect(JSON.parse((await memory('--forget', '--yes', '--json')).stdout)).toEqual({ forgotten: 1 });
});

test('show says what was answered to the same question before', async () => {
  cli.server.sessions.add('AUTH', { ...asking(), path: folder });
  const show = async (): Promise<string> => (await runCommand(['show', 'AUTH'], cli.where)).stdout;
  expect(await show()).not.toContain('You allowed');
  for (const session of ['SHOP', 'SHOP', 'B\u202eX'])
    addAnswer(cli.server.approvals, { folder, session, command: 'npm test' });
  expect(await show()).toMatch(/\n {2}You allowed this 3 times here; last on \d{4}-\d\d-\d\d \d\d:\d\d in B\\u202eX\n/);
  addAnswer(cli.server.approvals, { folder, command: 'npm test', said: 'no', remark: 'use pnpm' });
  expect(await show()).toContain('You allowed this 3 times and refused this once, with “use pnpm”, here; last on');
  expect(await show()).toContain(': your answers differ');
});
