import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { CheckpointFile, CheckpointFiles } from '../../src/protocol/index.ts';
import { createRepository, type TestRepository } from '../harness/git-repository.ts';
import { addPast, runTwoPast } from '../harness/past-files.ts';
import { type CommandOptions, type CommandResult, runCommand } from './command-line.ts';
import { serveCommands } from './served.ts';

const cli = serveCommands();
let repository: TestRepository;
let made = 0;

beforeEach(async () => {
  repository = createRepository(cli.server.world, `repository-${++made}`);
  repository.write('a.txt', 'one\n');
  repository.commit();
  addPast(cli.server, repository);
  await runTwoPast(cli.server, repository);
});

const run = (words: string[], options: Partial<CommandOptions> = {}): Promise<CommandResult> =>
  runCommand(['tree', 'PAST', ...words], { ...cli.where, ...options });
const ON_TERMINAL = { isTTY: true, columns: 100, env: { NO_COLOR: '1' } };

describe('tree', () => {
  test('lists a folder as a turn left it, with what changed, and prints a file byte for byte', async () => {
    const { stdout, code } = await run(['--to', '1'], ON_TERMINAL);
    expect(code).toBe(0);
    expect(stdout).toContain('PAST: the files as turn 1 left them\n');
    expect(stdout).toMatch(/^ +src\/ +2 below$/m);
    expect(stdout).toMatch(/^M +a\.txt +1 kB$/m);
    expect((await run(['src', '--to', '1'])).stdout).toMatch(/A +gone\.txt/);
    expect((await run(['src/', '--to', '2'])).stdout).toMatch(/D +gone\.txt *\n/);
    expect((await run(['a.txt', '--before', '1'])).stdout).toBe('one\n');
    expect((await run(['a.txt'])).stdout).toBe('two\n\u202ehidden\n');
    expect((await run(['a.txt'], ON_TERMINAL)).stdout).toBe('two\n\\u202ehidden\n');
    expect((await run(['./src/gone.txt', '--to', '1'])).stdout).toBe('soon gone\n');
    const picture = await run(['picture.png'], ON_TERMINAL);
    expect([picture.stdout, picture.stderr]).toEqual(['', expect.stringContaining('is a binary file of 1 kB')]);
    const listed = JSON.parse((await run(['src', '--to', '1', '--json'])).stdout) as CheckpointFiles;
    expect(listed.entries.map(({ name }) => name)).toEqual(['gone.txt', 'kept.txt']);
    const file = JSON.parse((await run(['a.txt', '--json'])).stdout) as CheckpointFile;
    expect(execFileSync('git', ['-C', file.root, 'show', `${file.commit}:a.txt`], { encoding: 'utf8' })).toBe(
      file.content,
    );
  });

  test('finds the files of a moment, and says if there are none', async () => {
    const at = (time: string) => run(['--at', time, '--json']);
    expect(JSON.parse((await at('2026-11-20T15:04:35Z')).stdout)).toMatchObject({ turn: 2, state: 'begin' });
    expect(JSON.parse((await at('2026-11-20T15:04:34Z')).stdout)).toMatchObject({ turn: 1, state: 'end' });
    // The command's clock says 15:05:05.
    expect(JSON.parse((await at('1s')).stdout)).toMatchObject({ turn: 2, state: 'end' });
    const early = await at('2026-11-20T15:04:05Z');
    expect([early.code, early.stderr]).toEqual([1, expect.stringContaining('No files of this moment are kept')]);
    expect(early.stderr).toContain('as they were before turn 1');
  });

  test('refuses what does not exist, and two moments at once', async () => {
    for (const [words, code, said] of [
      [['none.txt'], 2, 'The checkpoint has no "none.txt"'],
      [['../a.txt'], 2, 'cbos tree NAME'],
      [['--to', '9'], 1, 'No turn 9 of PAST is saved'],
      [['--to', 'HEAD'], 2, "isn't a turn number"],
      [['--to', '1', '--before', '1'], 2, 'Use only one of'],
    ] as const) {
      const refused = await run([...words]);
      expect([refused.code, refused.stderr]).toEqual([code, expect.stringContaining(said)]);
    }
    const other = join(cli.server.world.dir, 'elsewhere');
    cli.server.sessions.change('PAST', { path: other });
    expect((await run([])).stderr).toContain('no longer exists');
  });
});
