import { beforeEach, describe, expect, test } from 'vitest';
import { type CommandResult, runCommand } from './command-line.ts';
import { serveCommands } from './served.ts';

const cli = serveCommands();
beforeEach(async () => {
  cli.server.sessions.pendingBytes = 0;
  cli.server.sessions.add('AUTH', { last_question: 'May I deploy\u001b]0;evil\u0007 it?' });
});

const run = (...words: string[]): Promise<CommandResult> => runCommand(words, cli.where);

describe('search', () => {
  test('shows each hit with its time, its kind, and how to replay it from there', async () => {
    const { code, stdout } = await run('search', 'deploy');
    expect(code).toBe(0);
    const [head, snippet] = stdout.split('\n');
    expect(head).toMatch(/^AUTH {2}\d{4}-\d\d-\d\d \d\d:\d\d:05 {2}screen {2}.*replay AUTH --from 1:01$/);
    expect(snippet).toMatch(/^ {2}May I deploy.* it\?$/);
    expect(stdout).not.toContain('\u001b');
  });

  test('reports that nothing was found, and that not everything is searched yet', async () => {
    cli.server.sessions.pendingBytes = 12_300_000;
    const nothing = await run('search', 'no', 'such', 'words');
    expect(nothing).toMatchObject({ code: 0, stdout: '' });
    expect(nothing.stderr).toContain('nothing found');
    expect(nothing.stderr).toContain('13 MB of recordings are not indexed yet');
  });

  test('accepts a session, a kind and a number of hits; --json prints the body', async () => {
    const found = await run('search', 'deploy', '--session', 'AUTH', '--kind', 'screen', '--limit', '1', '--json');
    expect(JSON.parse(found.stdout)).toMatchObject({
      hits: [{ session: 'AUTH', kind: 'screen', t: 62.5 }],
      pending_bytes: 0,
    });
    expect((await run('search', 'x', '--session', 'NONE')).code).toBe(3);
    expect((await run('search', 'x', '--kind', 'nonsense')).code).toBe(2);
    expect((await run('search', 'x', '--limit', '0')).code).toBe(2);
    expect((await run('search')).code).toBe(2);
  });
});

describe('history', () => {
  test('is a table by day, without what did not happen', async () => {
    const { stdout } = await run('history', '--days', '3000');
    const [titles, row] = stdout.split('\n').map((line) => line.split(/ {2,}/));
    expect(titles).toEqual(['DAY', 'SESSION', 'WORKED', 'WAITED', 'IDLE']);
    expect(row).toEqual(['2026-11-20', 'AUTH', '1h 02m', '1m 00s', '5s']);
  });

  test('is for one session, and JSON if requested', async () => {
    const body = JSON.parse((await run('history', 'AUTH', '--days', '3000', '--json')).stdout);
    expect(body).toMatchObject([{ session: 'AUTH', worked_ms: 3_723_000 }]);
    expect((await run('history', 'NONE')).code).toBe(3);
    expect((await run('history', '--days', 'x')).code).toBe(2);
  });
});
