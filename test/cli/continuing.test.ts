import { beforeEach, expect, test } from 'vitest';
import { DONE } from '../harness/some-sessions.ts';
import { runCommand } from './command-line.ts';
import { serveCommands } from './served.ts';

const cli = serveCommands();
beforeEach(() => {
  cli.server.sessions.add('AUTH', { ...DONE, limit_over_at: '2026-11-20T15:04:05.123Z' });
});

test('a session whose limit has ended asks whether to continue, and is continued once', async () => {
  expect((await runCommand(['ls'], cli.where)).stdout).toMatch(/AUTH.*Continue\? The usage limit has ended/);
  expect((await runCommand(['show', 'AUTH'], cli.where)).stdout).toContain('cbos continue AUTH');
  const continued = await runCommand(['continue', 'AUTH'], cli.where);
  expect(continued, continued.stderr).toMatchObject({ code: 0 });
  expect(cli.server.sessions.deliveries('AUTH')).toHaveLength(1);
  expect(await runCommand(['continue', 'AUTH'], cli.where)).toMatchObject({ code: 4, stdout: '' });
  expect((await runCommand(['continue', 'NONE'], cli.where)).code).toBe(3);
  expect((await runCommand(['ls'], cli.where)).stdout).not.toContain('Continue?');
});
