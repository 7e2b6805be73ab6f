import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { makeTemporaryFolder } from '../harness/temporary-folder.ts';
import { startWebhook } from '../harness/webhook-server.ts';
import { type CommandResult, runCommand } from './command-line.ts';
import { serveCommands } from './served.ts';

const SECRET = `whsec_${Buffer.alloc(32, 5).toString('base64')}`;
const cli = serveCommands();
beforeEach(() => {
  for (const { name } of cli.server.sinks.list()) cli.server.sinks.remove(name);
});
const notify = (words: string[], more: { stdin?: string } = {}): Promise<CommandResult> =>
  runCommand(['notify', ...words], { ...cli.where, ...more });

/** A file with a secret. */
function secretFile(content: string): string {
  const folder = mkdtempSync(join(makeTemporaryFolder(), 'secret'));
  onTestFinished(() => rmSync(join(folder, '..'), { recursive: true }));
  writeFileSync(join(folder, 'token'), `${content}\n`, { mode: 0o600 });
  return join(folder, 'token');
}

test('a sink is added, tested, listed and deleted; its secret comes from a file or standard input', async () => {
  await using receiver = await startWebhook({ secret: SECRET });
  expect((await notify([])).stderr).toContain('cbos notify add');
  const file = secretFile(SECRET);
  const added = await notify(['add', 'webhook', 'OPS', '--url', receiver.url, '--token-file', file, '--after', '10m']);
  expect(added, added.stderr).toMatchObject({ code: 0 });
  expect(added.stdout).toMatch(/^OPS: webhook at 127\.0\.0\.1:\d+, after 10m/);
  expect(added.stdout).not.toContain('whsec_');
  expect(await notify(['test', 'OPS'])).toMatchObject({ code: 0, stdout: 'sent to OPS\n' });
  expect([...receiver.events.values()][0]?.data.title).toBe('CBOS: a test');
  const bot = await notify(['add', 'telegram', 'BOT', '--chat', '7', '--answers', '--quiet', '22:00-07:00'], {
    stdin: '1:the-token\n',
  });
  expect(bot, bot.stderr).toMatchObject({ code: 0 });
  const listed = (await notify(['ls'])).stdout;
  expect(listed).toMatch(/OPS +webhook.*after 10m/);
  expect(listed).toMatch(/BOT +telegram +api\.telegram\.org, chat 7.*quiet 22:00-07:00.*takes answers/);
  expect(listed).not.toContain('the-token');
  expect(await notify(['rm', 'BOT'])).toMatchObject({ code: 2 });
  expect(await notify(['rm', 'BOT', '--yes'])).toMatchObject({ code: 0, stdout: 'deleted: BOT\n' });
  expect(JSON.parse((await notify(['--json'])).stdout)).toHaveLength(1);
});

test('Slack takes two tokens from two files, and e-mail a password', async () => {
  const [bot, app] = [secretFile('xoxb-1-bot'), secretFile('xapp-1-app')];
  const slack = ['add', 'slack', 'TEAM', '--channel', 'C0123456789', '--token-file', bot];
  const added = await notify([...slack, '--answers', '--app-token-file', app]);
  expect(added, added.stderr).toMatchObject({ code: 0 });
  expect(added.stdout).toMatch(/^TEAM: slack at slack\.com, channel C0123456789, .*takes answers/);
  const mail = ['--url', 'smtps://me@mail.example', '--from', 'me@mail.example', '--to', 'me@mail.example'];
  const mailed = await notify(['add', 'email', 'MAIL', ...mail, '--token-file', secretFile('sesame')]);
  expect(mailed, mailed.stderr).toMatchObject({ code: 0 });
  expect(mailed.stdout).toMatch(/^MAIL: email at me@mail\.example, through mail\.example/);
  expect((await notify(['--json'])).stdout).not.toMatch(/xoxb|xapp|sesame/);
});

test('a topic that was created is shown once, for the phone', async () => {
  const added = await notify(['add', 'ntfy', 'PHONE', '--url', 'https://ntfy.example']);
  expect(added.stdout).toMatch(/its topic, for the app on the phone \(shown once\): cbos-[\w-]{22}\n/);
  expect((await notify(['ls'])).stdout).not.toMatch(/cbos-[\w-]{22}/);
});

test.each([
  [['add', 'telegram', 'BOT'], 2, '--chat'],
  [['add', 'webhook', 'OPS'], 2, '--url'],
  [['add', 'webhook', 'OPS', '--url', 'http://ops.example/'], 2, 'https'],
  [['add', 'slack', 'TEAM'], 2, '--channel'],
  [['add', 'slack', 'TEAM', '--channel', '#general', '--token-file', '/dev/null'], 2, 'is empty'],
  [['add', 'email', 'MAIL', '--url', 'smtp://mail.example'], 2, '--from'],
  [
    ['add', 'email', 'MAIL', '--url', 'http://mail.example', '--from', 'a@b.example', '--to', 'a@b.example'],
    2,
    'smtps://',
  ],
  [
    ['add', 'email', 'MAIL', '--url', 'smtps://u:p@mail.example', '--from', 'a@b.example', '--to', 'a@b.example'],
    2,
    'smtps://',
  ],
  [
    ['add', 'email', 'MAIL', '--url', 'smtps://m.example', '--from', 'a@b.example', '--to', 'a@b.example', '--answers'],
    2,
    'cannot have buttons',
  ],
  [['add', 'pigeon', 'OPS'], 2, 'webhook'],
  [['add', 'ntfy', 'OPS', '--quiet', '25:00-07:00'], 2, '22:00-07:00'],
  [['add', 'ntfy', 'OPS', '--token-file', '/none'], 2, '/none'],
  [['test', 'NONE'], 1, 'cbos notify'],
])('%j is refused, with the cure', async (words, code, cure) => {
  const refused = await notify(words);
  expect(refused, refused.stderr).toMatchObject({ code, stdout: '' });
  expect(refused.stderr).toContain(cure);
  expect(cli.server.sinks.list()).toEqual([]);
});
