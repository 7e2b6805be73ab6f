import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Changes, Rewound, Turns } from '../../src/protocol/index.ts';
import { createRepository, type TestRepository } from '../harness/git-repository.ts';
import { runTurn } from '../harness/some-turns.ts';
import { type CommandOptions, type CommandResult, runCommand } from './command-line.ts';
import { serveCommands } from './served.ts';

const cli = serveCommands();
let repository: TestRepository;
let made = 0;

beforeEach(async () => {
  repository = createRepository(cli.server.world, `repository-${++made}`);
  repository.write('a.txt', 'one\n');
  repository.commit();
  cli.server.sessions.add('AUTH', { path: repository.dir });
});

const run = (words: string[], options: Partial<CommandOptions> = {}): Promise<CommandResult> =>
  runCommand(words, { ...cli.where, ...options });
const a = (): string => readFileSync(join(repository.dir, 'a.txt'), 'utf8');

const turn = (prompt: string, work: () => void): Promise<void> => runTurn(cli.server, 'AUTH', { prompt, work });

describe('turns and diff --turn', () => {
  test('list the turns, and show what one of them changed', async () => {
    expect((await run(['turns', 'AUTH'])).stderr).toContain('no turns of AUTH are saved yet');
    await turn('change \u001b[31ma', () => repository.write('a.txt', 'two\n'));
    await turn('add b', () => repository.write('b.txt', 'b\n'));
    const { stdout, code } = await run(['turns', 'AUTH'], { isTTY: true, columns: 100, env: { NO_COLOR: '1' } });
    expect(code).toBe(0);
    const rows = stdout.trimEnd().split('\n');
    expect(rows[1]).toMatch(/^1 +\S+ ago +1 +\+1 −1 +change \[31ma$/);
    expect(rows[2]).toMatch(/^2 +\S+ ago +1 +\+1 −0 +add b$/);
    const listed = JSON.parse((await run(['turns', 'AUTH', '--json'])).stdout) as Turns;
    expect(listed.turns.map(({ number }) => number)).toEqual([1, 2]);

    const last = await run(['diff', 'AUTH', '--turn'], { isTTY: true, columns: 100, env: { NO_COLOR: '1' } });
    expect(last.stdout).toContain('AUTH: 1 file, +1 −0 in turn 2');
    expect(last.stdout).toContain('+b');
    expect(last.stdout).not.toContain('two');
    expect((await run(['diff', 'AUTH', '--turn', '1'])).stdout).toContain('-one\n+two\n');
    expect((await run(['diff', 'AUTH', '--turn', '1', '--stat'])).stdout).toContain('a.txt');
    const json = JSON.parse((await run(['diff', 'AUTH', '--turn', 'last', '--json'])).stdout) as Changes;
    expect(json.base).toMatchObject({ kind: 'turn', ref: '2' });
    expect((await run(['diff', 'AUTH', 'a.txt', '--turn=2'])).stderr).toContain('a.txt has not changed');
    for (const words of [
      ['--turn', 'x'],
      ['--turn', '1', '--base', 'HEAD'],
    ])
      expect((await run(['diff', 'AUTH', ...words])).code).toBe(2);
    const none = await run(['diff', 'AUTH', '--turn', '7']);
    expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('cbos turns NAME')]);
  });
});

describe('rewind', () => {
  beforeEach(() => turn('change a', () => repository.write('a.txt', 'two\n')));

  test('asks first, restores the files, and prints the command that undoes it', async () => {
    const refused = await run(['rewind', 'AUTH', '--before', '1'], { isTTY: true, stdin: 'n\n' });
    expect([refused.code, a()]).toEqual([1, 'two\n']);
    expect(refused.stderr).toContain('Restore the files of AUTH as they were before turn 1 (change a)? It began ');
    const { stdout, code } = await run(['rewind', 'AUTH', '--before', '1'], { isTTY: true, stdin: 'y\n' });
    expect([code, a()]).toEqual([0, 'one\n']);
    expect(stdout).toContain('the files of AUTH are as they were before turn 1: 1 file written, 0 deleted');
    const [, undo = ''] = /^ {2}cbos (.*) undoes this$/m.exec(stdout) ?? [];
    const undone = await run([...undo.split(' '), '--yes', '--json']);
    expect(a()).toBe('two\n');
    expect((JSON.parse(undone.stdout) as Rewound).saved.kind).toBe('rewind');
    expect((await run(['rewind', 'AUTH', '--to', '1', '-y'])).stdout).toContain('as turn 1 left them: 0 files written');
  });

  test('needs --yes if nobody can be asked, and exactly one turn', async () => {
    const unasked = await run(['rewind', 'AUTH', '--before', '1']);
    expect([unasked.code, unasked.stderr]).toEqual([2, expect.stringContaining('--yes')]);
    for (const words of [[], ['--to', '1', '--before', '1'], ['--to', 'first'], ['--to', '0']])
      expect((await run(['rewind', 'AUTH', ...words, '--yes'])).code).toBe(2);
    expect((await run(['rewind', 'NONE', '--to', '1', '--yes'])).code).toBe(3);
    expect((await run(['rewind', 'AUTH', '--to', '8', '--yes'])).code).toBe(1);
    expect(a()).toBe('two\n');
  });
});
