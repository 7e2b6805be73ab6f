import { expect, test } from 'vitest';
import { setHistory } from '../harness/past-changes.ts';
import { DONE } from '../harness/some-sessions.ts';
import { type CommandResult, runCommand } from './command-line.ts';
import { serveCommands } from './served.ts';

const cli = serveCommands();
const catchup = (...words: string[]): Promise<CommandResult> => runCommand(['catchup', ...words], cli.where);

test('a catch-up prints what happened, with the command that replays each event', async () => {
  expect((await catchup('--since', '2026-11-20')).stdout).toContain('nothing happened');
  const { sessions } = cli.server;
  sessions.add('AUTH', { ...DONE, cost_usd: 1.5 });
  setHistory(sessions, 'AUTH', [
    ['15:05:05', 'waiting_input'],
    ['15:06:05', 'thinking'],
    ['16:06:07', 'permission'],
    ['16:08:05', 'using_tools'],
    ['16:09:05', 'waiting_input'],
  ]);
  const text = 'All pass\u202e.\u001b[2J';
  sessions.write('AUTH', { type: 'assistant', message: { content: [{ type: 'text', text }] } });
  const told = await catchup('--since', '2026-11-20');
  expect(told).toMatchObject({ code: 0, stderr: '' });
  expect(told.stdout).toMatch(
    /^Since 2026-11-20 \d\d:\d\d: one session\n\nAUTH {2}2 turns finished, \$1.50 on these days\n/,
  );
  expect(told.stdout).toContain('    All pass\\u202e.\\u001b[2J\n');
  expect(told.stdout).toMatch(/asked for permission, for 1m 58s {3}cbos replay AUTH --from 1:02:00\n/);
  expect(told.stdout.match(/finished a turn/g)).toHaveLength(1);
  expect((await catchup('--since', '2026-11-20', '--all')).stdout.match(/finished a turn/g)).toHaveLength(2);
  expect(JSON.parse((await catchup('--since', '2026-11-20', '--json')).stdout)).toMatchObject({ from: 'request' });
  expect((await catchup('--since', 'nonsense')).code).toBe(2);
});
