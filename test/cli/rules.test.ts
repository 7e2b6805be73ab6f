import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { addAnswer } from '../harness/memory-rules.ts';
import { type CommandResult, NOW, runCommand } from './command-line.ts';
import { serveCommands } from './served.ts';

const cli = serveCommands();
const rules = (...words: string[]): Promise<CommandResult> => runCommand(['rules', ...words], cli.where);

beforeEach(async () => {
  cli.server.sessions.addWithoutRecording('AUTH', { path: cli.server.world.projectDir });
  for (const { id } of cli.server.rules.added()) cli.server.rules.remove(id);
});

describe('rules', () => {
  test('are added, listed, tested and removed', async () => {
    expect(await rules()).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringContaining('every permission request comes to you'),
    });
    const added = await rules('add', 'allow', '--command', 'git status', '--command', 'npm test', '--session', 'AUTH');
    expect(added).toMatchObject({ code: 0, stderr: '' });
    const [, id = ''] = /Added as (\w{8}): allow git status \| npm test/.exec(added.stdout) ?? [];
    const deny = await rules('add', 'deny', '--command', 'git push', '--note', 'Ask first.', '--json');
    expect(JSON.parse(deny.stdout)).toMatchObject({ effect: 'deny', note: 'Ask first.', expires: null });
    const at = Date.now();
    const eight = ['rules', 'add', 'ask', '--tool', 'WebFetch', '--for', '8h', '--json'];
    const soon = await runCommand(eight, { ...cli.where, now: () => at });
    expect(JSON.parse(soon.stdout).expires).toBe(new Date(at + 8 * 3_600_000).toISOString());
    await rules('rm', JSON.parse(soon.stdout).id);
    const [titles, ...rows] = (await rules('ls')).stdout.trimEnd().split('\n');
    expect(titles?.split(/ {2,}/)).toEqual(['ID', 'DOES', 'FROM', 'USED', 'WHERE', 'WHAT']);
    expect(rows).toEqual([
      expect.stringMatching(/^\w{8}\s+allow\s+added\s+0\s+for AUTH only\s+git status/),
      expect.stringContaining('git push'),
    ]);
    const tried = async (...words: string[]): Promise<string> => (await rules('test', ...words)).stdout.trimEnd();
    expect(await tried('--command', 'git status', '--session', 'AUTH')).toBe(
      `allowed: every part of it is allowed (${id})`,
    );
    expect(await tried('--command', 'git status')).toBe('asks: no rule allows: git status');
    expect(await tried('--command', 'git push -f')).toMatch(/^denied: a rule denies: git push -f \(\w{8}\)$/);
    expect(await tried('--command', 'git push', '--tool', 'WebFetch')).toBe('asks: no rule allows: WebFetch');
    expect(await tried('--path', 'src/a.ts')).toBe('asks: no rule allows: src/a.ts');
    expect((await rules('test', '--tool', 'X', '--json')).stdout).toContain('"no_rule"');
    expect(await rules('remove', id.slice(0, 6))).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^removed: allow git status/),
    });
    expect(await tried('--command', 'git status', '--session', 'AUTH')).toContain('asks');
  });

  test('are suggested from commands that were allowed again and again, and added one at a time after a confirmation', async () => {
    const folder = cli.server.world.projectDir;
    expect((await rules('suggest')).stderr).toContain('no suggestions');
    for (const command of ['npm test', 'npm test', 'npm test | tail -5'])
      addAnswer(cli.server.approvals, { session: 'A\u202eB', folder, command });
    const told = await rules('suggest');
    expect(told).toMatchObject({ code: 0, stderr: '' });
    expect(told.stdout).toContain('1. allowed 3 times, never refused, in A\\u202eB');
    expect(told.stdout).toContain(`[[allow]]\ncommand = "npm test"\nproject = "${folder}"`);
    expect(await rules('suggest', '--add', '1')).toMatchObject({ code: 2 });
    expect(await rules('suggest', '--add', '7')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('suggestion 7'),
    });
    expect(cli.server.rules.added()).toEqual([]);
  });

  test.each([
    [['add', 'allow', '--tool', 'Bash'], 2, 'must name its commands'],
    [['add', 'allow'], 2, 'must name a tool'],
    [['add', 'deny', '--command', 'cd / && rm -rf x'], 2, 'Instead: command = "rm -rf x"'],
    [['add', 'deny', '--tool', 'Bsh'], 2, 'Instead: tool = "Bash"'],
    [['add', 'perhaps', '--tool', 'X'], 2, 'allow, deny, ask'],
    [['add', 'allow', '--tool', 'X', '--for', 'ever'], 2, '30m'],
    [['add', 'allow', '--tool', 'WebFetch', '--session', 'NONE'], 3, 'NONE'],
    [['remove', 'none'], 1, 'none'],
    [['test'], 2, '--command'],
    [['trust', '/nowhere'], 2, '/nowhere'],
    [['untrust'], 2, 'trusted'],
    [['nonsense'], 2, ''],
  ])('%j exits with code %d', async (words, code, said) => {
    const result = await rules(...words);
    expect(result).toMatchObject({ code, stdout: '' });
    expect(result.stderr).toContain(said);
    expect(cli.server.rules.added()).toEqual([]);
  });

  test('that never match are marked if they are in a file, with the reason and the rule that would match', async () => {
    const file = join(cli.server.world.cbosHome, 'rules.toml');
    writeFileSync(file, '[[deny]]\ncommand = "make 2>&1"\n\n[[deny]]\ncommand = "git push"\n');
    const told = await rules();
    const [, flawed, fine] = told.stdout.split('\n');
    expect(flawed).toMatch(/deny \(never\) .*make 2>&1/);
    expect(fine).not.toContain('never');
    const why = /^cbos: the rule \w+ never matches: make 2>&1: .*Instead: command = "make"$/m;
    expect(told.stderr).toMatch(why);
    expect(JSON.parse((await rules('--json')).stdout).rules).toMatchObject([
      { never_matches: expect.stringContaining('Instead: command = "make"') },
      { never_matches: null },
    ]);
    const tried = await rules('test', '--command', 'git push');
    expect(tried.stdout).toContain('denied');
    expect(tried.stderr).toMatch(why);
    rmSync(file);
  });

  test('about programs whose options CBOS does not know are named where the command is about them', async () => {
    const file = join(cli.server.world.cbosHome, 'rules.toml');
    writeFileSync(file, '[[allow]]\ncommand = "depot list **"\n\n[[deny]]\ncommand = ["depot rm -rf", "rm -rf"]\n');
    const tried = await rules('test', '--command', 'depot list --all');
    expect(tried.stdout).toContain('asks: a `*` does not match this word');
    expect(tried.stderr).toMatch(/^cbos: the rule \w+ is about .*; its `\*` matches no option: depot list \*\*$/m);
    expect(tried.stderr).toMatch(/compared by their letters, so CBOS only asks about other spellings: depot rm -rf$/m);
    expect((await rules('test', '--command', 'rm -fr x')).stderr).toBe('');
    expect(JSON.parse((await rules('--json')).stdout).rules).toMatchObject([
      { without_table: ['depot list **'] },
      { without_table: ['depot rm -rf'] },
    ]);
    rmSync(file);
  });

  test.each([
    ['a pipe', (path: string) => execFileSync('mkfifo', [path]), 'it is a pipe; replace it with a file'],
    [
      'a link that leads nowhere',
      (path: string) => symlinkSync('/nowhere/x', path),
      'it is a link that leads to no file; replace it with a file',
    ],
    [
      'a file that is too large',
      (path: string) => writeFileSync(path, '#'.repeat(200_001)),
      'it is longer than 200,000 bytes; make it shorter',
    ],
  ])('of a project cannot be trusted while the file is %s, which the list and `trust` say', async (_, create, why) => {
    const folder = cli.server.world.projectDir;
    const path = join(folder, '.cbos/rules.toml');
    mkdirSync(join(folder, '.cbos'), { recursive: true });
    rmSync(path, { force: true });
    create(path);
    const { stderr } = await rules();
    expect(stderr).toContain(`${path} does not apply, and cannot be trusted: ${why}`);
    expect(stderr).not.toContain('cbos rules trust');
    const refused = await rules('trust', '--yes');
    expect(refused).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(`${path}: ${why}`) });
    rmSync(path);
    writeFileSync(path, '[[deny]]\ncommand = "npm publish"\n');
    expect((await rules()).stderr).toContain(`run cbos rules trust ${folder}`);
    expect((await rules('trust', folder, '--yes')).code).toBe(0);
    rmSync(path);
    const gone = await rules('trust', '--yes');
    expect(gone).toMatchObject({ code: 2, stdout: '' });
    expect(gone.stderr).toContain('it no longer exists');
    expect(gone.stderr).toContain(`cbos rules untrust ${folder}`);
    expect((await rules('untrust', folder)).code).toBe(0);
  });

  test('of a project are shown before they are trusted, and are never trusted without a confirmation; control characters are removed', async () => {
    const folder = join(cli.server.world.projectDir, '.cbos');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'rules.toml'), '[[deny]]\ncommand = "npm publish" # \u202ex\n');
    expect((await rules()).stderr).toContain('does not apply yet');
    expect(await rules('trust')).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') });
    expect(cli.server.rules.trusted()).toEqual([]);
    const trusted = await rules('trust', '--yes');
    expect(trusted).toMatchObject({ code: 0, stdout: expect.stringContaining('command = "npm publish"') });
    expect(trusted.stdout).not.toContain('\u202e');
    expect((await rules('test', '--command', 'npm publish')).stdout).toContain('denied');
    writeFileSync(join(folder, 'rules.toml'), '');
    expect((await rules()).stderr).toContain('it has changed since it was trusted');
    expect((await rules('untrust')).code).toBe(0);
    expect((await rules('test', '--command', 'npm publish')).stdout).toContain('asks');
  });
});

test('audit lists what rules have decided, since the requested time', async () => {
  const audit = (...words: string[]): Promise<CommandResult> => runCommand(['audit', ...words], cli.where);
  expect(await audit()).toMatchObject({
    code: 0,
    stdout: '',
    stderr: expect.stringContaining('no rule has decided anything'),
  });
  const row = cli.server.rules.decide({
    ...{ at: NOW - 60_000, sessionId: 'AUTH', session: 'AUTH', asked: 'q', decision: 'deny', rules: [], tool: 'Bash' },
    ...{ input: { command: 'git push\n\x1b[2J' }, place: null, seq: 7 },
  });
  cli.server.rules.conclude(row ?? 0, 'given', NOW);
  const { stdout } = await audit('AUTH', '--since', '8h');
  expect(stdout).toMatch(/1m.*AUTH\s+denied\s+.*taken\s+Bash: git push/);
  expect(stdout).not.toContain('\x1b');
  expect((await audit('--since', '10s')).stdout).toBe('');
  expect((await audit('B')).stdout).toBe('');
  expect(JSON.parse((await audit('--json')).stdout)).toMatchObject([
    { input: { command: 'git push\n\x1b[2J' }, seq: 7 },
  ]);
  expect((await audit('--since', 'yesterday')).code).toBe(2);
});
