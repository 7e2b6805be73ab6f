import { beforeEach, describe, expect, test } from 'vitest';
import type { Delivery } from '../../src/protocol/index.ts';
import { type CommandResult, runCommand } from './command-line.ts';
import { serveCommands } from './served.ts';

const cli = serveCommands();
beforeEach(async () => {
  cli.server.sessions.add('AUTH');
  cli.server.sessions.add('DOCS');
});

const queue = (...words: string[]): Promise<CommandResult> => runCommand(['queue', ...words], cli.where);
const hold = (slug: string, text: string): Promise<Delivery> => cli.server.sessions.send(slug, { text, queue: true });

describe('queue', () => {
  test('lists the waiting texts of all sessions or of one, in the order in which they are sent', async () => {
    expect(await queue()).toMatchObject({ code: 0, stdout: '' });
    await hold('AUTH', 'the first');
    await hold('AUTH', 'the second\nof two lines');
    await hold('DOCS', 'another');
    await cli.server.sessions.send('DOCS', { text: 'taken already' });
    const { stdout } = await queue();
    expect(stdout).toMatch(/the first[\s\S]*the second …?[\s\S]*another/);
    expect(stdout).not.toContain('taken already');
    expect((await queue('ls', 'DOCS')).stdout).not.toContain('the first');
    expect((await queue('DOCS', '--all')).stdout).toMatch(/queued .*another[\s\S]*delivered .*taken already/);
    expect(JSON.parse((await queue('AUTH', '--json')).stdout)).toMatchObject([
      { text: 'the first', status: 'queued' },
      { text: 'the second\nof two lines' },
    ]);
  });

  test('changes and cancels one by the end of its id', async () => {
    const [first, second] = [await hold('AUTH', 'the first'), await hold('AUTH', 'the second')];
    expect((await queue('edit', first.id.slice(-8), 'something', 'else')).stdout).toBe(
      'AUTH gets this as soon as it is ready: something else\n',
    );
    expect((await queue('rm', second.id)).stdout).toBe('AUTH: cancelled, not sent: the second\n');
    expect(cli.server.sessions.deliveries('AUTH')).toEqual([
      expect.objectContaining({ id: second.id, status: 'cancelled' }),
      expect.objectContaining({ id: first.id, text: 'something else' }),
    ]);
    expect(await queue('rm', second.id)).toMatchObject({ code: 4, stdout: '' });
    const piped = await runCommand(['queue', 'edit', first.id, '-', '--json'], { ...cli.where, stdin: 'two\nlines\n' });
    expect(JSON.parse(piped.stdout)).toMatchObject({ text: 'two\nlines\n' });
  });

  test.each([
    [['ls', 'NONE'], 3],
    [['rm', 'nonsense'], 1],
    [['rm', ''], 1],
    [['rm'], 2],
    [['edit', 'x'], 2],
  ])('%j exits with code %d, and prints in one line what to do', async (words, code) => {
    const result = await queue(...words);
    expect(result).toMatchObject({ code, stdout: '' });
    expect(result.stderr.trim().split('\n')).toHaveLength(1);
  });

  test('is completed: sessions, and held texts', async () => {
    const held = await hold('AUTH', 'the first');
    await cli.server.sessions.send('DOCS', { text: 'taken already' });
    const complete = async (...words: string[]): Promise<string[]> =>
      (await runCommand(['complete', '--', 'queue', ...words], cli.where)).stdout.trimEnd().split('\n');
    expect(await complete('rm', '')).toEqual([`${held.id}\tAUTH: the first`, ':4']);
    expect(await complete('ls', 'D')).toEqual(['DOCS\tnew', ':4']);
  });
});
