import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import type { Review } from '../../src/protocol/index.ts';
import { createRepository, type TestRepository } from '../harness/git-repository.ts';
import { DONE } from '../harness/some-sessions.ts';
import { type CommandOptions, runCommand } from './command-line.ts';
import { serveCommands } from './served.ts';

const cli = serveCommands();
let repository: TestRepository;
let made = 0;
beforeEach(() => {
  made += 1;
  repository = createRepository(cli.server.world, `repository-${made}`);
  repository.write('src/a:b.txt', 'one\ntwo\nthree\n');
  repository.commit();
  cli.server.sessions.add('AUTH', { ...DONE, path: repository.dir });
});

const run = (argv: string[], options: Partial<CommandOptions> = {}) =>
  runCommand(['review', ...argv], { ...cli.where, ...options });

test('comments are added, listed, deleted, shown as the prompt that is sent, and sent after a yes', async () => {
  expect((await run(['AUTH'])).stderr).toContain("no comments yet — cbos review AUTH add FILE:LINE 'a comment'");
  const added = await run(['AUTH', 'add', 'src/a:b.txt:2', 'Use', 'a', 'number.']);
  expect([added.code, added.stdout]).toEqual([0, expect.stringMatching(/^[0-9a-f]{8} {2}src\/a:b\.txt, line 2\n$/)]);
  await run(['AUTH', 'add', 'src/a:b.txt:1-3', '-'], { stdin: 'From a pipe.\n' });
  const listed = await run(['AUTH']);
  expect(listed.stdout).toContain('round 1: 2 comments to send');
  const [, id = ''] = /([0-9a-f]{8}) {2}src\/a:b\.txt, lines 1–3/.exec(listed.stdout) ?? [];
  expect((await run(['AUTH', 'rm', id])).stdout).toBe('deleted: src/a:b.txt, lines 1–3\n');

  const refused = await run(['AUTH', 'send'], { isTTY: true, stdin: 'n\n' });
  expect(refused.code).toBe(1);
  expect(refused.stderr).toMatch(/Review of your changes, round 1: 1 comment\.[\s\S]*> two[\s\S]*Use a number\./);
  expect(refused.stderr).toContain('Send this to AUTH as round 1?');
  expect(cli.server.sessions.deliveries('AUTH')).toEqual([]);
  expect((await run(['AUTH', 'send'])).code).toBe(2);

  const sent = await run(['AUTH', 'send', '--yes', '--json']);
  const { prompt } = JSON.parse(sent.stdout);
  expect(cli.server.sessions.deliveries('AUTH').map(({ text }) => text)).toEqual([prompt]);
  const said = { type: 'assistant', message: { content: [{ type: 'text', text: 'It is 2\u001b[2J now.' }] } };
  cli.server.sessions.write('AUTH', { type: 'user', message: { content: prompt } }, said);
  const rounds = await run(['AUTH']);
  expect(rounds.stdout).toMatch(/round 1: queued, [\s\S]*│ It is 2 now\.\nround 2: 0 comments to send, 1 round sent/);
  const again = await run(['AUTH', 'send', '--yes']);
  expect([again.code, again.stderr]).toEqual([4, expect.stringContaining('nothing to send')]);
});

test('an outdated comment is shown with its lines; a mark lasts until the file changes', async () => {
  await run(['AUTH', 'add', 'src/a:b.txt:2', 'Use a number.']);
  expect((await run(['AUTH', 'mark', 'src/a:b.txt'])).stdout).toContain('reviewed, until it changes');
  expect((await run(['AUTH'])).stdout).toContain('reviewed: src/a:b.txt');
  writeFileSync(join(repository.dir, 'src/a:b.txt'), 'one\n2\nthree\n');
  const { stdout } = await run(['AUTH']);
  expect(stdout).toMatch(/line 2 when it was written; these lines have changed since\n {4}> two\n {4}Use a number\./);
  expect(stdout).not.toContain('reviewed:');
  const { reviewed }: Review = JSON.parse((await run(['AUTH', 'unmark', 'src/a:b.txt', '--json'])).stdout);
  expect(reviewed).toEqual([]);
});

test.each([
  [['AUTH', 'add', 'src/a:b.txt', 'x'], 2, "isn't a valid place"],
  [['AUTH', 'add', 'src/a:b.txt:2'], 2, 'needs a place and a comment'],
  [['AUTH', 'add', 'src/a:b.txt:9', 'x'], 2, 'no line 9'],
  [['AUTH', 'add', 'none.txt:1', 'x'], 2, 'a text file in the working tree'],
  [['AUTH', 'rm', 'ffff'], 1, 'No comment in the open round'],
  [['AUTH', 'send', '--yes'], 4, 'nothing to send'],
  [['AUTH', 'mark', 'none.txt'], 2, 'no file "none.txt"'],
  [['AUTH', 'what'], 2, 'ls, add, rm, send, mark, unmark'],
  [['NONE'], 3, 'NONE'],
])('%j is refused with its reason', async (argv, code, said) => {
  const refused = await run(argv);
  expect([refused.code, refused.stderr]).toEqual([code, expect.stringContaining(said)]);
});
