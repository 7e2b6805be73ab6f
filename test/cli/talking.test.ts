import { beforeEach, describe, expect, test } from 'vitest';
import { SINCE } from '../harness/some-session.ts';
import { waitFor } from '../harness/wait-for.ts';
import { runCommand, startCommand } from './command-line.ts';
import { serveCommands } from './served.ts';
import { FAILED, PERMISSION, statusOf, WAITS_FOR_INPUT, WAITS_FOR_PERMISSION, WORKS } from './some-questions.ts';

const cli = serveCommands();
beforeEach(async () => {
  cli.server.sessions.answers.length = 0;
  cli.server.sessions.add('AUTH');
  before = cli.server.sessions.deliveries('AUTH').length;
});

let before = 0;
const arrival = (): Promise<unknown> =>
  waitFor(() => cli.server.sessions.deliveries('AUTH').length > before, { describe: 'the text arrives' });
const lastId = (): string => cli.server.sessions.deliveries('AUTH')[0]?.id ?? '';
const lastSent = (): string | undefined => cli.server.sessions.deliveries('AUTH')[0]?.text;

describe('send', () => {
  test('joins words with spaces; options may follow the text', async () => {
    const { code, stdout } = await runCommand(['send', 'AUTH', 'run', 'the', 'tests', '--queue'], cli.where);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: 'AUTH: queued; CBOS sends it as soon as the session is ready\n',
    });
    expect(cli.server.sessions.deliveries('AUTH')[0]).toMatchObject({ text: 'run the tests', status: 'queued' });
  });

  test('reads standard input for -, and sends it unchanged', async () => {
    await runCommand(['send', 'AUTH', '-'], { ...cli.where, stdin: 'ein\n\tTäxt ✓\n' });
    expect(lastSent()).toBe('ein\n\tTäxt ✓\n');
    expect((await runCommand(['send', 'AUTH', '-'], cli.where)).code).toBe(2);
  });

  test('accepts a text that starts with a dash after --, and explains this', async () => {
    const refused = await runCommand(['send', 'AUTH', '--- a list'], cli.where);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('put -- before text that starts with a dash');
    await runCommand(['send', 'AUTH', '--', '--- a list', '--queue'], cli.where);
    expect(lastSent()).toBe('--- a list --queue');
  });

  test('a command needs --command', async () => {
    const refused = await runCommand(['send', 'AUTH', '/compact'], cli.where);
    expect(refused).toMatchObject({ code: 4, stdout: '' });
    expect(refused.stderr).toContain('--command');
    expect((await runCommand(['send', 'AUTH', '/compact', '--command'], cli.where)).code).toBe(0);
  });

  test('is refused with exit code 4 while a dialog is open, and shows the dialog', async () => {
    cli.server.sessions.change('AUTH', WAITS_FOR_PERMISSION);
    const { code, stdout, stderr } = await runCommand(['send', 'AUTH', 'hello'], { ...cli.where, isTTY: true });
    expect({ code, stdout }).toEqual({ code: 4, stdout: '' });
    expect(stderr).toContain('cbos answer AUTH 1');
    expect(stderr.trimEnd().split('\n').at(-1)).toMatch(/^cbos: The session cannot accept a prompt now — /);
    const script = await runCommand(['send', 'AUTH', 'hello'], cli.where);
    expect(script.stderr).toMatch(/^cbos: The session cannot accept a prompt now — .*\n$/);
  });

  test('prints the delivery as JSON', async () => {
    const { stdout } = await runCommand(['send', 'AUTH', 'hello', '--json'], cli.where);
    expect(JSON.parse(stdout)).toMatchObject({ session: 'AUTH', text: 'hello', status: 'delivered' });
  });

  test('--wait ends when the turn is over, and not before it began', async () => {
    const command = startCommand(['send', 'AUTH', 'hello', '--wait'], cli.where);
    await arrival();
    cli.server.sessions.change('AUTH', WORKS);
    cli.server.sessions.change('AUTH', WAITS_FOR_INPUT);
    expect(await command.ended).toBe(0);
    expect(command.stdout.text).toBe('✓ AUTH  done  Done.\n');
  });

  test('--wait does not end while CBOS still holds the prompt, however long the session looks ready', async () => {
    const command = startCommand(['send', 'AUTH', 'hello', '--queue', '--wait'], cli.where);
    await arrival();
    await waitFor(() => command.stderr.text.includes('AUTH: queued; CBOS sends it'), {
      describe: 'the command says that the prompt is held',
    });
    cli.server.sessions.sendQueued('AUTH', lastId());
    cli.server.sessions.change('AUTH', WORKS);
    cli.server.sessions.change('AUTH', WAITS_FOR_INPUT);
    expect(await command.ended).toBe(0);
    expect(command.stdout.text).toBe('✓ AUTH  done  Done.\n');
  });

  test('--wait fails if the prompt is cancelled, or if an interrupt paused the queue', async () => {
    const cancelled = startCommand(['send', 'AUTH', 'hello', '--queue', '--wait'], cli.where);
    await arrival();
    await cli.server.sessions.cancelDelivery('AUTH', lastId());
    expect(await cancelled.ended).toBe(1);
    expect(cancelled.stderr.text).toBe('cbos: AUTH: cancelled, not sent — cbos show AUTH\n');

    cli.server.sessions.change('AUTH', { queue_stopped_at: SINCE });
    const { code, stderr } = await runCommand(['send', 'AUTH', 'hello', '--queue', '--wait'], cli.where);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'cbos: AUTH: the prompt is held, because an interrupt paused the queue — cbos queue resume AUTH\n',
    });
  });

  test('--wait says that the prompt is still held if the session asks something else in that time', async () => {
    const command = startCommand(['send', 'AUTH', 'hello', '--queue', '--wait'], cli.where);
    await arrival();
    cli.server.sessions.change('AUTH', WAITS_FOR_PERMISSION);
    expect(await command.ended).toBe(4);
    expect(command.stdout.text).toContain('cbos answer AUTH 1');
    expect(command.stderr.text).toBe(
      'cbos: AUTH: queued; CBOS sends it as soon as the session is ready — cbos answer AUTH\n',
    );
  });

  test('--wait does not end with the turn before its own, if a person takes the prompt back from the queue of Claude Code', async () => {
    const command = startCommand(['send', 'AUTH', 'hello', '--wait'], cli.where);
    await arrival();
    cli.server.sessions.change('AUTH', WORKS);
    cli.server.sessions.takeBack('AUTH', lastId());
    cli.server.sessions.change('AUTH', WAITS_FOR_INPUT);
    expect(await command.ended).toBe(1);
    expect(command.stdout.text).toBe('');
    expect(command.stderr.text).toContain('Typed into AUTH; Claude Code has not confirmed the prompt yet');
  });

  test('--wait prints what the session asks', async () => {
    const command = startCommand(['send', 'AUTH', 'hello', '--wait'], cli.where);
    await arrival();
    cli.server.sessions.change('AUTH', WORKS);
    cli.server.sessions.change('AUTH', WAITS_FOR_PERMISSION);
    expect(await command.ended).toBe(0);
    expect(command.stdout.text).toContain('cbos answer AUTH 1');
  });

  test('--wait ends well if the turn ends with a question in words', async () => {
    const command = startCommand(['send', 'AUTH', 'hello', '--wait'], cli.where);
    await arrival();
    cli.server.sessions.change('AUTH', WORKS);
    const closing = { ...PERMISSION, kind: 'closing' as const, tool: null, options: [] };
    const because = { source: 'hook', rule: 'hook.Stop.closing', evidence: 'Shall I go on?' } as const;
    cli.server.sessions.change('AUTH', {
      status: statusOf({ primary: 'waiting', detail: 'question', question: closing, because }),
    });
    expect(await command.ended).toBe(0);
    expect(command.stderr.text).toContain('AUTH ended its turn with a question');
  });

  test('--wait does not call a turn over that stops at a dialog without a question', async () => {
    const command = startCommand(['send', 'AUTH', 'hello', '--wait'], cli.where);
    await arrival();
    cli.server.sessions.change('AUTH', WORKS);
    cli.server.sessions.change('AUTH', { status: statusOf({ primary: 'waiting', detail: 'setup', question: null }) });
    expect(await command.ended).toBe(4);
    expect(command.stderr.text).toBe('cbos: AUTH shows a dialog that CBOS cannot read — cbos attach AUTH\n');
  });

  test('--wait names the view in front of the prompt, and the command that closes it', async () => {
    const command = startCommand(['send', 'AUTH', '/fast', '--command', '--wait'], cli.where);
    await arrival();
    cli.server.sessions.change('AUTH', WORKS);
    const status = statusOf({ primary: 'waiting', detail: 'setup', question: null });
    cli.server.sessions.change('AUTH', { status, view: { name: 'Fast mode' } });
    expect(await command.ended).toBe(4);
    expect(command.stderr.text).toBe('cbos: AUTH: the view "Fast mode" covers the prompt — cbos interrupt AUTH\n');
  });

  test('--wait fails with the error if the turn fails', async () => {
    const command = startCommand(['send', 'AUTH', 'hello', '--wait', '--json'], cli.where);
    await arrival();
    cli.server.sessions.change('AUTH', WORKS);
    cli.server.sessions.change('AUTH', FAILED);
    expect(await command.ended).toBe(1);
    expect(command.stderr.text).toContain('The turn of AUTH failed: API Error: 400');
    expect(JSON.parse(command.stdout.text)).toMatchObject({ slug: 'AUTH', status: { detail: 'error' } });
  });

  test('--wait fails if the session dies, and with 6 if the time is over', async () => {
    const dying = startCommand(['send', 'AUTH', 'hello', '--wait'], cli.where);
    await arrival();
    cli.server.sessions.change('AUTH', WORKS);
    await cli.server.sessions.kill('AUTH');
    expect(await dying.ended).toBe(1);

    await cli.server.sessions.restart('AUTH');
    cli.server.sessions.change('AUTH', WORKS);
    const { code, stderr } = await runCommand(['send', 'AUTH', 'hello', '--wait', '--timeout', '0.05'], cli.where);
    expect(code).toBe(6);
    expect(stderr).toContain('it is still working');
  });

  test('--wait is refused like a send, and for a session that does not exist', async () => {
    expect((await runCommand(['send', 'NOPE', 'hello', '--wait'], cli.where)).code).toBe(3);
    cli.server.sessions.change('AUTH', WAITS_FOR_PERMISSION);
    const { code, stderr } = await runCommand(['send', 'AUTH', 'hello', '--wait'], { ...cli.where, isTTY: true });
    expect(code).toBe(4);
    expect(stderr).toContain('AUTH asks for permission');
  });
});

describe('answer', () => {
  beforeEach(() => void cli.server.sessions.change('AUTH', WAITS_FOR_PERMISSION));

  test.each([
    [['yes'], { choice: 'yes' }],
    [['always'], { choice: 'always' }],
    [['no', '--reply', 'use pnpm'], { choice: 'no', text: 'use pnpm' }],
    [['no', '--remark', 'what it was called before'], { choice: 'no', text: 'what it was called before' }],
    [['2'], { choice: 2 }],
    [['1,3'], { choice: [1, 3] }],
    [['the', 'second', 'one'], { text: 'the second one' }],
    [['Yes'], { text: 'Yes' }],
    [['2', '--question-id', 'q1'], { choice: 2, question_id: 'q1' }],
    [['--answers', '{"Which?":["A","B"]}'], { answers: { 'Which?': ['A', 'B'] } }],
  ])('%j is %j', async (words, body) => {
    const { code, stdout } = await runCommand(['answer', 'AUTH', ...words], cli.where);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'AUTH: answered\n' });
    expect(cli.server.sessions.answers).toEqual([body]);
  });

  test.each([
    [['free', 'words', '--reply', 'x'], '--reply needs yes, no, always'],
    [[], 'The answer is missing'],
    [['--answers', '{nonsense'], 'is not JSON'],
    [['yes', '--answers', '{}'], 'cannot be combined'],
  ])('refuses %j with exit code 2', async (words, says) => {
    const { code, stderr } = await runCommand(['answer', 'AUTH', ...words], cli.where);
    expect(code).toBe(2);
    expect(stderr).toContain(says);
    expect(cli.server.sessions.answers).toEqual([]);
  });

  test('exits with 4 if nothing is asked', async () => {
    cli.server.sessions.change('AUTH', WORKS);
    // The hint in the catalogue contains SLUG. Here the session is known, even if options come before its name.
    for (const words of [
      ['AUTH', 'yes'],
      ['--json', 'AUTH', 'yes'],
    ]) {
      const { code, stderr } = await runCommand(['answer', ...words], cli.where);
      expect(code).toBe(4);
      expect(stderr).toContain('`cbos show AUTH`');
    }
  });

  test('prints the options if there is no such one', async () => {
    const { answer } = cli.server.sessions;
    const { CatalogueError } = await import('../../src/protocol/index.ts');
    cli.server.sessions.answer = async () => {
      throw new CatalogueError('no_such_option');
    };
    try {
      const { code, stderr } = await runCommand(['answer', 'AUTH', '7'], { ...cli.where, isTTY: true });
      expect(code).toBe(4);
      for (const option of PERMISSION.options) expect(stderr).toContain(option.label);
    } finally {
      cli.server.sessions.answer = answer;
    }
  });
});

describe('interrupt', () => {
  test('stops a running turn, and is refused with exit code 4 if none is running', async () => {
    cli.server.sessions.change('AUTH', WORKS);
    expect((await runCommand(['interrupt', 'AUTH'], cli.where)).stdout).toContain('AUTH: interrupted');
    cli.server.sessions.change('AUTH', { state: 'idle', status: statusOf({}) });
    expect((await runCommand(['interrupt', 'AUTH'], cli.where)).code).toBe(4);
  });
});
