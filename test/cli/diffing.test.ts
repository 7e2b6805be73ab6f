import { execFileSync } from 'node:child_process';
import { readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { createRepository, type TestRepository } from '../harness/git-repository.ts';
import { createPng } from '../harness/some-images.ts';
import { type CommandOptions, type CommandResult, runCommand } from './command-line.ts';
import { serveCommands } from './served.ts';

const cli = serveCommands();
let repository: TestRepository;
let made = 0;

beforeEach(() => {
  repository = createRepository(cli.server.world, `repository-${++made}`);
  repository.write('a.txt', 'one\ntwo\n');
  repository.write('folder/b.txt', 'one\ntwo\nthree\nfour\nfive\n');
  repository.commit();
  repository.git('checkout', '--quiet', '-b', 'task');
  cli.server.sessions.add('AUTH', { path: repository.dir });
});

const run = (words: string[], options: Partial<CommandOptions> = {}): Promise<CommandResult> =>
  runCommand(['diff', ...words], { ...cli.where, ...options });
const TERMINAL: Partial<CommandOptions> = { isTTY: true, columns: 100 };

describe('diff', () => {
  test('names what was changed and what it is compared with, and shows the lines in colours, or without them with NO_COLOR', async () => {
    repository.write('a.txt', 'one\n2\n');
    repository.write('new.txt', 'new\n');
    const { code, stdout } = await run(['AUTH'], TERMINAL);
    expect(code).toBe(0);
    const lines = stdout.split('\n');
    expect(lines[0]).toContain('AUTH: 2 files, +2 −1 against main, where the branch started');
    expect(lines).toContain('\u001b[31m-two\u001b[39m');
    expect(lines).toContain('\u001b[32m+2\u001b[39m');
    expect(lines).toContain(' one');
    const plain = await run(['AUTH'], { ...TERMINAL, env: { NO_COLOR: '1' } });
    expect(plain.stdout).not.toContain('\u001b');
    expect(plain.stdout.split('\n')).toContain('+new');
  });

  test('names a folder that is no repository any more, and cbos show names the command', async () => {
    cli.server.sessions.change('AUTH', { repository: repository.dir });
    const show = async (): Promise<string> => (await runCommand(['show', 'AUTH'], cli.where)).stdout;
    repository.write('a.txt', 'one\n');
    // On a terminal, the server counts the changes that it lists. In a pipe, the command reads only the patch.
    expect((await run(['AUTH'], TERMINAL)).code).toBe(0);
    expect(await show()).toMatch(/changes +1 file, \+0 −1 against main/);
    rmSync(join(repository.dir, '.git'), { recursive: true });
    expect(await show()).toMatch(/changes +not counted; see cbos diff AUTH\n/);
    const { code, stderr } = await run(['AUTH']);
    expect([code, stderr]).toEqual([2, expect.stringContaining(`"${repository.dir}" isn't inside a git working tree`)]);
  });

  test('shows code in the colours of its language, which neither hide the sign nor appear in a pipe or with NO_COLOR', async () => {
    repository.write('b.ts', "const a = 'x'; // \u001b[2J\n");
    const { stdout } = await run(['AUTH', 'b.ts'], TERMINAL);
    const colours = [
      "\u001b[32m+\u001b[39m\u001b[35mconst\u001b[39m\u001b[32m a = \u001b[39m\u001b[33m'x'\u001b[39m",
      '\u001b[32m; \u001b[39m\u001b[32m\u001b[2m// \\u001b[2J\u001b[22m\u001b[39m',
    ];
    expect(stdout.split('\n')).toContain(colours.join(''));
    const plain = "+const a = 'x'; // \\u001b[2J";
    expect((await run(['AUTH', 'b.ts'], { ...TERMINAL, env: { NO_COLOR: '1' } })).stdout.split('\n')).toContain(plain);
    expect((await run(['AUTH', 'b.ts'])).stdout).toContain("+const a = 'x'; // \u001b[2J\n");
  });

  test('a line of a megabyte and code that is made to be slow to read are shown soon, without colours', async () => {
    const slow = `a${' '.repeat(450)}b`;
    repository.write('slow.yaml', `${slow}\n`.repeat(200));
    repository.write('wide.js', `const a = "${'x'.repeat(1_000_000)}";\nconst b = 1;\n`);
    const before = process.cpuUsage();
    const { stdout } = await run(['AUTH'], TERMINAL);
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(5_000);
    const lines = stdout.split('\n');
    expect(lines).toContain(`\u001b[32m+const a = "${'x'.repeat(1_000_000)}";\u001b[39m`);
    expect(lines.filter((line) => line === `\u001b[32m+${slow}\u001b[39m`)).toHaveLength(200);
    expect(lines).toContain(
      '\u001b[32m+\u001b[39m\u001b[35mconst\u001b[39m\u001b[32m b = \u001b[39m\u001b[36m1\u001b[39m\u001b[32m;\u001b[39m',
    );
  });

  test('says what a binary file is, and its sizes before and after; in a pipe, git says it', async () => {
    repository.write('logo.png', createPng(8, 8));
    repository.write('data.bin', new Uint8Array(3_500));
    repository.commit();
    repository.git('branch', '--force', 'main');
    repository.write('logo.png', Buffer.concat([createPng(8, 8), Buffer.alloc(13_000)]));
    rmSync(join(repository.dir, 'data.bin'));
    repository.write('large.txt', 'a line\n'.repeat(1_300_000));
    const stat = (await run(['AUTH', '--stat'], TERMINAL)).stdout;
    expect(stat).toMatch(/logo\.png +image, 1 kB → 14 kB/);
    expect(stat).toMatch(/data\.bin +binary, 4 kB/);
    expect(stat).toMatch(/large\.txt +binary or large, 9 MB/);
    const plain = (await run(['AUTH'], { ...TERMINAL, env: { NO_COLOR: '1' } })).stdout.split('\n');
    for (const line of ['image, 1 kB → 14 kB', 'binary, 4 kB', 'binary or large, 9 MB']) expect(plain).toContain(line);
    expect((await run(['AUTH', 'logo.png'])).stdout).toContain('Binary files a/logo.png and b/logo.png differ\n');
  });

  test('through a pipe is the patch as git made it: it applies byte for byte', async () => {
    repository.write('a.txt', 'one\r\ntwo\u202e\u001b[31m\r\n\ttab\n');
    repository.write('odd\nname', 'x\n');
    const { stdout, code } = await run(['AUTH']);
    expect(code).toBe(0);
    const other = createRepository(cli.server.world, `other-${made}`);
    other.git('pull', '--quiet', repository.dir, 'main');
    execFileSync('git', ['apply', '--whitespace=nowarn'], { cwd: other.dir, input: stdout, env: cli.server.world.env });
    for (const name of ['a.txt', 'odd\nname'])
      expect(readFileSync(join(other.dir, name), 'utf8')).toBe(readFileSync(join(repository.dir, name), 'utf8'));
  });

  test('shows no escape code, reordering mark or false name on a terminal', async () => {
    repository.write('a.txt', 'one\n\u001b[2Jgone\u202etxt\u200b\r\n');
    repository.write('x\u001b]0;evil\u0007\u202e\n+y', 'x\n');
    for (const words of [['AUTH'], ['AUTH', '--stat']]) {
      const { stdout } = await run(words, { ...TERMINAL, env: { NO_COLOR: '1' } });
      expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b\u202e]/);
      expect(stdout.split('\n')).not.toContain('+y');
    }
    expect((await run(['AUTH'], TERMINAL)).stdout).toContain('+\\u001b[2Jgone\\u202etxt\\u200b');
  });

  test('--stat lists the files with their lines and where the changes are', async () => {
    repository.write('a.txt', 'one\n2\n');
    renameSync(join(repository.dir, 'folder/b.txt'), join(repository.dir, 'folder/c.txt'));
    repository.write('bin', new Uint8Array([0, 1]));
    const { stdout } = await run(['AUTH', '--stat']);
    const rows = stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.trim().split(/ {2,}/));
    expect(rows).toEqual([
      ['FILE', 'LINES', 'WHERE'],
      ['M', 'a.txt', '+1 −1', 'unstaged'],
      ['?', 'bin', 'binary, 1 kB', 'untracked'],
      ['R', 'folder/b.txt → folder/c.txt', '+0 −0', 'untracked'],
    ]);
    expect((await run(['AUTH', '--stat'], TERMINAL)).stdout).toContain('AUTH: 3 files, +1 −1 against main');
  });

  test('accepts files and folders, shows a renamed file once, and reports what has not changed', async () => {
    repository.write('a.txt', 'one\n2\n');
    renameSync(join(repository.dir, 'folder/b.txt'), join(repository.dir, 'folder/c.txt'));
    const one = await run(['AUTH', 'folder/c.txt']);
    expect(one.stdout).toContain('rename from folder/b.txt');
    expect(one.stdout).not.toContain('a.txt');
    expect((await run(['AUTH', 'folder/', '--stat'])).stdout).not.toContain('a.txt');
    expect((await run(['AUTH', 'folder'])).stdout).toContain('folder/c.txt');
    const none = await run(['AUTH', 'nothing.txt']);
    expect(none).toMatchObject({ code: 0, stdout: '' });
    expect(none.stderr).toContain('nothing.txt has not changed');
  });

  test('--base compares with another revision; --json prints the REST body', async () => {
    repository.write('a.txt', 'one\n2\n');
    repository.commit();
    expect((await run(['AUTH', '--base', 'HEAD'])).stdout).toBe('');
    const { stdout } = await run(['AUTH', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({
      branch: 'task',
      base: { kind: 'started_from', ref: 'main' },
      files: [{ path: 'a.txt', status: 'modified', parts: ['committed'], added: 1, removed: 1 }],
      total: { files: 1, added: 1, removed: 1 },
    });
  });

  test('reports each obstacle, with the exit code of its kind', async () => {
    expect(await run(['NOBODY'])).toMatchObject({ code: 3 });
    const wrong = await run(['AUTH', '--base', 'no-such-branch']);
    expect(wrong).toMatchObject({ code: 2, stdout: '' });
    expect(wrong.stderr).toContain('no-such-branch');
    cli.server.sessions.add('PLAIN', { path: cli.server.world.projectDir });
    const plain = await run(['PLAIN']);
    expect(plain).toMatchObject({ code: 2, stdout: '' });
    expect(plain.stderr).toContain('inside a git working tree');
    cli.server.sessions.add('NOWHERE', { path: null });
    expect(await run(['NOWHERE'])).toMatchObject({ code: 2 });
  });

  test('a patch that is cut off ends with the exit code of a failure, so that nobody takes it for complete', async () => {
    repository.write('huge.txt', 'a line of some length, to fill the patch\n'.repeat(60_000));
    const { code, stderr } = await run(['AUTH']);
    expect(code).toBe(1);
    expect(stderr).toContain('too long and is cut off here');
  });
});
