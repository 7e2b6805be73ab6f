import { readFileSync } from 'node:fs';
import { beforeEach, describe, expect, test } from 'vitest';
import { type ClaudeEvent, StoredEvent } from '../../src/protocol/index.ts';
import { waitFor } from '../harness/wait-for.ts';
import { type CommandOptions, type RunningCommand, runCommand, startCommand } from './command-line.ts';
import { serveCommands } from './served.ts';
import { WAITS_FOR_PERMISSION } from './some-questions.ts';

const cli = serveCommands();
beforeEach(async () => {
  cli.server.sessions.found = [];
  // Each test needs a new name, because the events of a session in memory stay.
  slug = `CI-${count++}`;
  cli.server.sessions.addWithoutRecording(slug, { type: 'json', json_state: 'idle' });
});
let count = 0;
let slug = '';

/**
 * Returns the recorded events of the real Claude Code without the prompts that it repeats, because the sessions in
 * memory repeat them too.
 */
function recorded(name: string): ClaudeEvent[] {
  const file = new URL(`../fixtures/json-events/2.1.329/${name}.jsonl`, import.meta.url);
  const events = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => StoredEvent.parse(JSON.parse(line)).event);
  return events.filter((event) => event.isReplay !== true);
}

/** Returns a recorded turn, as the answer to a prompt. */
const turnOf = (name: string): ClaudeEvent[] => {
  const events = recorded(name);
  return events.slice(0, events.findIndex(({ type }) => type === 'result') + 1);
};

/** Starts `cbos invoke` and waits until its prompt has arrived. */
const invoking = (...args: string[]): Promise<RunningCommand> => invokingAt({}, ...args);

async function invokingAt(where: Partial<CommandOptions>, ...args: string[]): Promise<RunningCommand> {
  const command = startCommand(['invoke', slug, ...args], { ...cli.where, ...where });
  await waitFor(() => cli.server.sessions.events(slug, { after: 0, limit: 1 }).events.length > 0, {
    describe: 'the prompt arrives',
    actual: () => command.stderr.text,
  });
  return command;
}

async function outcome(command: RunningCommand): Promise<{ code: number; stdout: string; stderr: string }> {
  const code = await command.ended;
  await new Promise((resolve) => setImmediate(resolve));
  return { code, stdout: command.stdout.text, stderr: command.stderr.text };
}

describe('invoke', () => {
  test('prints the answer as it is written, a line for each tool, and exits with 0', async () => {
    const command = await invoking('write', 'the', 'marker');
    cli.server.sessions.happen(slug, ...turnOf('permission'));
    expect(await outcome(command)).toEqual({
      code: 0,
      stdout: 'I will write the marker file.\n● Bash: touch ../marker.txt\nThe marker file is there.\n',
      stderr: '',
    });
  });

  test('leaves out events before its own prompt, and answers to other prompts', async () => {
    cli.server.sessions.happen(slug, ...turnOf('hello'));
    const command = startCommand(['invoke', slug, 'go'], cli.where);
    await waitFor(
      () => cli.server.sessions.events(slug, { after: 0, limit: 1_000 }).events.at(-1)?.event.type === 'user',
      {
        describe: 'the prompt arrives',
      },
    );
    cli.server.sessions.happen(slug, ...turnOf('overloaded'));
    const { code, stdout, stderr } = await outcome(command);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'Now it works.\n' });
    expect(stderr).toBe('cbos: … overloaded (529): try 1 of 10 in 1 s\ncbos: … overloaded (529): try 2 of 10 in 1 s\n');
  });

  test('prints a question in one line, and the answer of a slash command even if it did not come in pieces', async () => {
    const asked = await invoking('go');
    cli.server.sessions.happen(slug, ...turnOf('question'));
    expect((await outcome(asked)).stdout).toContain('● AskUserQuestion: Which database shall the service use?\n');

    const command = startCommand(['invoke', slug, '/context'], cli.where);
    const count = turnOf('question').length + 1;
    await waitFor(() => cli.server.sessions.events(slug, { after: count, limit: 1 }).events.length > 0, {
      describe: 'the command arrives',
    });
    cli.server.sessions.happen(slug, { type: 'result', is_error: false, result: '## Context\n\n1 %\n\n' });
    expect(await outcome(command)).toEqual({ code: 0, stdout: '## Context\n\n1 %\n', stderr: '' });
  });

  test('--json prints valid frames, one per line', async () => {
    const command = await invoking('go', '--json');
    const events = turnOf('hello');
    // An event after the end of the turn does not belong to the turn, even if it comes at once.
    cli.server.sessions.happen(slug, ...events, { type: 'command_lifecycle', state: 'completed' });
    const { code, stdout } = await outcome(command);
    const frames = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; session: string; event: ClaudeEvent });
    expect(code).toBe(0);
    expect(frames.every(({ type, session }) => type === 'claude_event' && session === slug)).toBe(true);
    expect(frames.slice(1).map(({ event }) => event)).toEqual(events);
  });

  test.each([
    ['a request that the service refuses', 'error', 'The scene refuses this request'],
    ['a usage limit', 'limit', '5-hour limit'],
  ])('exits with 1 and the reason on standard error after %s', async (_, name, reason) => {
    const command = await invoking('go');
    // In the recording `limit`, it is the second turn that fails.
    cli.server.sessions.happen(
      slug,
      ...recorded(name).filter((event) => !(event.type === 'result' && !event.is_error)),
    );
    const { code, stderr } = await outcome(command);
    expect(code).toBe(1);
    expect(stderr).toContain(reason);
    expect(stderr).toContain(`cbos events ${slug}`);
  });

  test('exits with 1 if the process fails, and with 4 if it asks, with the question and how to answer it', async () => {
    const failing = await invoking('go');
    cli.server.sessions.happen(slug, { type: 'error', message: 'Claude Code ended (SIGKILL)' });
    expect(await outcome(failing)).toMatchObject({ code: 1, stdout: '' });
    expect(failing.stderr.text).toContain('(SIGKILL)');

    const asking = startCommand(['invoke', slug, 'again'], cli.where);
    await waitFor(() => cli.server.sessions.events(slug, { after: 2, limit: 1 }).events.length > 0, {
      describe: 'the second prompt arrives',
    });
    cli.server.sessions.change(slug, WAITS_FOR_PERMISSION);
    expect(await outcome(asking)).toMatchObject({ code: 4 });
    expect(asking.stdout.text).toContain(`cbos answer ${slug} 1`);
  });

  test('reports after Ctrl-C that the turn continues, and how to stop it', async () => {
    const command = await invokingAt({ isTTY: true, columns: 80 }, 'go');
    cli.server.sessions.happen(slug, ...turnOf('hello').slice(0, -3));
    await command.says('Hello!');
    command.interrupt();
    const { code, stderr } = await outcome(command);
    expect(code).toBe(130);
    expect(stderr).toContain(`the turn continues: cbos interrupt ${slug} stops it`);
  });

  /** A turn whose first two answers a Stop hook rejects; Claude Code stops with the last one. */
  const rejected = (last: readonly ClaudeEvent[]): ClaudeEvent[] => [
    ...['One.', 'Two.'].flatMap((text) => [...said(text), REJECTION]),
    ...last,
    { type: 'result', is_error: false, result: '' },
  ];
  const said = (text: string): ClaudeEvent[] => [
    { type: 'stream_event', event: { type: 'content_block_delta', delta: { type: 'text_delta', text } } },
    { type: 'stream_event', event: { type: 'content_block_stop' } },
  ];
  const REJECTION: ClaudeEvent = {
    type: 'user',
    isSynthetic: true,
    message: { role: 'user', content: [{ type: 'text', text: 'Stop hook feedback:\nnot complete yet' }] },
  };

  test.each([
    ['is prolonged', said('Three.'), 'Three.\n'],
    ['is overruled', [...said('Three.'), REJECTION], 'Three.\n'],
    ['is overruled at once', [], 'Two.\n'],
  ])('prints only the last answer of a turn whose Stop hook %s', async (_, last, stdout) => {
    const command = await invoking('go');
    cli.server.sessions.happen(slug, ...rejected(last));
    expect(await outcome(command)).toEqual({ code: 0, stdout, stderr: '' });
  });

  test('shows at a terminal why each rejected answer is not the last one', async () => {
    const command = await invokingAt({ isTTY: true, columns: 80, env: { NO_COLOR: '1' } }, 'go');
    cli.server.sessions.happen(slug, ...rejected([...said('Three.'), REJECTION]));
    const line = '● Stop hook: not complete yet\n';
    expect((await outcome(command)).stdout).toBe(`One.\n${line}Two.\n${line}Three.\n`);
  });

  test('prints what a cut-off answer already says, also in a pipe', async () => {
    const command = await invoking('go');
    cli.server.sessions.happen(slug, ...turnOf('hello').slice(0, -3), { type: 'error', message: 'it ended' });
    expect(await outcome(command)).toMatchObject({ code: 1, stdout: expect.stringMatching(/^Hello!.*\n$/) });
  });

  test('reads its prompt from standard input, and refuses a session without events', async () => {
    const piped = startCommand(['invoke', slug, '-'], { ...cli.where, stdin: 'a\nb\n' });
    await waitFor(() => cli.server.sessions.events(slug, { after: 0, limit: 1 }).events.length > 0, {
      describe: 'the prompt arrives',
    });
    const [first] = cli.server.sessions.events(slug, { after: 0, limit: 1 }).events;
    expect(first?.event.message).toMatchObject({ content: 'a\nb\n' });
    piped.interrupt();
    await piped.ended;
    cli.server.sessions.add('TERM');
    expect(await runCommand(['invoke', 'TERM', 'go'], cli.where)).toMatchObject({ code: 4, stdout: '' });
    expect((await runCommand(['invoke', 'NONE', 'go'], cli.where)).code).toBe(3);
    expect((await runCommand(['invoke', slug], cli.where)).code).toBe(2);
  });
});
