import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { createSystemClock } from '../../src/server/clock.ts';
import { type Faces, startServerFaces } from '../../src/server/faces.ts';
import { createReplays } from '../../src/server/replay/replays.ts';
import { attendInMemory } from '../harness/attended.ts';
import { type FacesUnderTest, NO_RECORDINGS, startFaces, TOKEN } from '../harness/faces.ts';
import { memoryBudgets } from '../harness/memory-budgets.ts';
import { memoryReviews } from '../harness/memory-reviews.ts';
import { memoryRules } from '../harness/memory-rules.ts';
import { memorySchedules } from '../harness/memory-schedules.ts';
import { memorySetUps } from '../harness/memory-set-ups.ts';
import { memorySinks } from '../harness/memory-sinks.ts';
import { waitFor } from '../harness/wait-for.ts';
import { type CommandOptions, type RunningCommand, runCommand, startCommand } from './command-line.ts';
import { type CountingProxy, startCountingProxy } from './counting-proxy.ts';
import { HOSTILE_SESSION, OBEYED } from './hostile-session.ts';
import { FAILED, PERMISSION, statusOf, WAITS_FOR_INPUT, WAITS_FOR_PERMISSION, WORKS } from './some-questions.ts';

let server: FacesUnderTest;
let where: CommandOptions;
let serverSocket: string;
let proxy: CountingProxy;

beforeEach(async () => {
  server = await startFaces();
  serverSocket = `${server.world.cbosHome}/cbos.sock`;
  proxy = await startCountingProxy(server.world, serverSocket);
  where = { socket: proxy.socket };
  server.sessions.add('AUTH');
  server.sessions.add('DOCS');
});
afterEach(() => server[Symbol.asyncDispose]());

/** Starts a command that listens, and waits until it is connected. */
async function listening(argv: readonly string[], options: Partial<CommandOptions> = {}): Promise<RunningCommand> {
  const before = proxy.opened();
  const command = startCommand(argv, { ...where, ...options });
  await waitFor(() => proxy.opened() > before, { describe: 'the command listens' });
  // The first frames are on their way. Later events come after them, because all use one connection.
  return command;
}

async function startAgain(): Promise<Faces> {
  const { world, sessions } = server;
  const logger = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
  const settings = {
    home: world.cbosHome,
    host: '127.0.0.1',
    allow_remote: false,
    port: 0,
    socket: serverSocket,
    token: TOKEN,
  };
  const more = {
    public_url: null,
    allowed_hosts: [],
    machine_labels: [],
    fleet_ssh: ['ssh'],
    max_buffer_size: 100_000,
    stream_dir: world.streamDir,
  };
  const { desk: rules, answers } = memoryRules({ home: world.cbosHome, userHome: world.home, sessions });
  const files = { max_file_size: 1_000_000, keep_files_days: 90 };
  const rights = { sessions_may: 'send' as const, turn_checkpoints: false, turns_kept: 100, ...files };
  const attended = attendInMemory(sessions);
  onTestFinished(attended.dispose);
  const faces = await startServerFaces({
    sessions: attended.sessions,
    book: attended.book,
    sessionOf: () => null,
    pid: process.pid,
    replays: createReplays(createSystemClock()),
    recordings: async () => NO_RECORDINGS,
    reviews: memoryReviews(),
    idOf: (slug) => sessions.idOf(slug),
    rules,
    answers,
    awaySince: () => null,
    schedules: memorySchedules(sessions, createSystemClock()),
    sinks: memorySinks({ home: world.cbosHome, sessions, clock: createSystemClock() }),
    budgets: memoryBudgets(sessions, createSystemClock()).desk,
    setUps: memorySetUps({ home: world.cbosHome, userHome: world.home, clock: createSystemClock() }),
    settings: { ...settings, ...more, ...rights },
    clock: createSystemClock(),
    logger,
    version: '1.2.3',
    environment: world.env,
    webDir: null,
    docsDir: null,
  });
  world.onDispose(() => faces.close());
  return faces;
}

const CLOCK = /^\d\d:\d\d:\d\d {2}/;

describe('watch', () => {
  test('prints a line for each change and ends cleanly on Ctrl-C', async () => {
    const command = await listening(['watch']);
    server.sessions.change('AUTH', WORKS);
    server.sessions.change('AUTH', WAITS_FOR_PERMISSION);
    server.sessions.add('NEW');
    await server.sessions.patch('NEW', { slug: 'NEWER' });
    await server.sessions.remove('NEWER');
    await command.says('NEWER  deleted');
    command.interrupt();
    expect(await command.ended).toBe(0);
    expect(command.stdout.lines.map((line) => line.replace(CLOCK, ''))).toEqual([
      '● AUTH  using tools  Bash: make',
      '○ AUTH  asks permission  Bash: npm test',
      '◌ NEW  added: new  startup',
      '= NEW  is now NEWER',
      '- NEWER  deleted',
    ]);
    expect(command.stdout.lines.every((line) => CLOCK.test(line))).toBe(true);
    expect(command.stderr.text).toBe('');
  });

  test('prints only the requested sessions, and follows them through a rename', async () => {
    const command = await listening(['watch', 'AUTH']);
    server.sessions.change('DOCS', WORKS);
    await server.sessions.patch('AUTH', { slug: 'LOGIN' });
    server.sessions.change('LOGIN', WORKS);
    await command.says('LOGIN  using tools');
    command.interrupt();
    await command.ended;
    expect(command.stdout.text).not.toContain('DOCS');
  });

  test('prints frames as JSON lines, and none for a frame that changes nothing', async () => {
    const command = await listening(['watch', '--json']);
    server.sessions.change('AUTH', WORKS);
    server.sessions.change('AUTH', { status: { ...WORKS.status, quiet_ms: 5 } });
    server.sessions.change('DOCS', WORKS);
    await waitFor(() => command.stdout.lines.length >= 2, { describe: 'two lines come' });
    command.interrupt();
    await command.ended;
    expect(command.stdout.lines.map((line) => JSON.parse(line))).toMatchObject([
      { type: 'session_state', session: 'AUTH', state: 'working', status: { detail: 'using_tools' } },
      { type: 'session_state', session: 'DOCS' },
    ]);
  });

  test('continues when the server was restarted, reports this, and prints what has changed', async () => {
    const command = await listening(['watch']);
    server.sessions.change('AUTH', WORKS);
    await command.says('using tools');
    await server.faces.close();
    await command.says('the connection to the server was lost', 'stderr');
    server.sessions.change('AUTH', WAITS_FOR_PERMISSION);
    await startAgain();
    await command.says('asks permission');
    await command.says('connected again', 'stderr');
    expect(command.stderr.lines.filter((line) => line.includes('connection to the server was lost'))).toHaveLength(1);
    command.interrupt();
    expect(await command.ended).toBe(0);
  });

  test('lets nothing of a session reach the terminal except text', async () => {
    server.sessions.add('HOSTILE', HOSTILE_SESSION);
    const command = await listening(['watch']);
    server.sessions.change('HOSTILE', { status: { ...HOSTILE_SESSION.status, health: 'RECOVERED' } });
    await command.says('HOSTILE');
    command.interrupt();
    await command.ended;
    expect(command.stdout.text).toContain('evil');
    expect(command.stdout.text).not.toMatch(OBEYED);
  });

  test('ends when nobody reads its output any more', async () => {
    const command = await listening(['watch']);
    const broken = Object.assign(new Error('write EPIPE'), { code: 'EPIPE' });
    (command.stdout.stream as unknown as NodeJS.EventEmitter).emit('error', broken);
    expect(await command.ended).toBe(0);
    expect(command.stderr.text).toBe('');
  });

  test('exits with 3 for a session that does not exist, and with 5 without a server', async () => {
    expect((await runCommand(['watch', 'NOPE'], where)).code).toBe(3);
    expect((await runCommand(['watch'], { socket: `${server.world.dir}/none.sock` })).code).toBe(5);
  });
});

describe('ls --watch', () => {
  test('redraws the list in place when a session changes, within the terminal, until Ctrl-C', async () => {
    const terminal = { isTTY: true, columns: 60, env: { NO_COLOR: '1' } };
    const command = await listening(['ls', '--watch'], terminal);
    await command.says('New (2)\n◌  AUTH  new');
    server.sessions.change('AUTH', WAITS_FOR_PERMISSION);
    await command.says('Needs you (1)\n○  AUTH  asks permission');
    // The title, a heading, and two sessions were drawn there before.
    expect(command.stdout.text).toContain('\u001b[4A\r\u001b[J   NAME');
    command.interrupt();
    expect(await command.ended).toBe(0);
  });

  test('shows only sessions in a state, and refuses a terminal on which it cannot draw', async () => {
    server.sessions.change('AUTH', WAITS_FOR_PERMISSION);
    const command = await listening(['ls', '-w', '-s', 'needs-you'], { isTTY: true, columns: 60 });
    await command.says('AUTH');
    command.interrupt();
    await command.ended;
    expect(command.stdout.text).not.toContain('DOCS');
    expect((await runCommand(['ls', '--watch', '--json'], { ...where, isTTY: true })).code).toBe(2);
  });
});

describe('wait', () => {
  test('ends at once if the session is already in the state', async () => {
    server.sessions.change('AUTH', WAITS_FOR_PERMISSION);
    const { code, stdout } = await runCommand(['wait', 'AUTH'], where);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '○ AUTH  asks permission  Bash: npm test\n' });
    expect((await runCommand(['wait', 'AUTH', '--for', 'waiting/permission', '--json'], where)).stdout).toContain(
      '"id":"q1"',
    );
    expect((await runCommand(['wait', 'DOCS', '--for', 'ready'], where)).code).toBe(0);
  });

  test('blocks until the session is in the state', async () => {
    server.sessions.change('AUTH', WORKS);
    const command = await listening(['wait', 'AUTH']);
    server.sessions.change('AUTH', WAITS_FOR_INPUT);
    expect(await command.ended).toBe(0);
  });

  test.each([[], ['--for', 'done'], ['--any']])(
    'ends with 1 and the error if the turn fails: %s %s',
    async (...options) => {
      server.sessions.change('AUTH', WORKS);
      const command = await listening(['wait', 'AUTH', ...options]);
      server.sessions.change('AUTH', FAILED);
      expect(await command.ended).toBe(1);
      expect(command.stderr.text).toContain('The turn of AUTH failed: API Error: 400');
    },
  );

  test('a failed turn does not end a wait for an error or for a prompt that accepts text', async () => {
    server.sessions.change('AUTH', FAILED);
    expect((await runCommand(['wait', 'AUTH', '--for', 'error'], where)).code).toBe(0);
    expect((await runCommand(['wait', 'AUTH', '--for', 'ready'], where)).code).toBe(0);
  });

  test('waits for all, each once, or with --any for the first', async () => {
    const all = await listening(['wait', 'AUTH', 'DOCS', '--for', 'working']);
    const any = await listening(['wait', 'AUTH', 'DOCS', '--for', 'working', '--any']);
    server.sessions.change('AUTH', WORKS);
    expect(await any.ended).toBe(0);
    await all.says('AUTH');
    server.sessions.change('AUTH', WAITS_FOR_INPUT);
    server.sessions.change('DOCS', WORKS);
    expect(await all.ended).toBe(0);
    expect(all.stdout.lines).toHaveLength(2);
  });

  test('exits with 6 when the time is over', async () => {
    const { code, stderr } = await runCommand(['wait', 'AUTH', '--timeout', '0.05'], where);
    expect(code).toBe(6);
    expect(stderr).toBe(
      'cbos: AUTH did not reach the state waiting within 0.05 s — Give the command more time with --timeout\n',
    );
  });

  test('exits with 1 if the session dies, was dead, or is deleted', async () => {
    const dying = await listening(['wait', 'AUTH']);
    await server.sessions.kill('AUTH');
    expect(await dying.ended).toBe(1);
    expect(dying.stderr.text).toContain('AUTH stopped before it reached the state waiting — cbos restart AUTH');
    expect((await runCommand(['wait', 'AUTH'], where)).code).toBe(1);
    expect((await runCommand(['wait', 'AUTH', '--for', 'dead'], where)).code).toBe(0);
    const going = await listening(['wait', 'DOCS']);
    await server.sessions.remove('DOCS');
    expect(await going.ended).toBe(1);
  });

  test('with --any a death matters only if no session is left', async () => {
    const command = await listening(['wait', 'AUTH', 'DOCS', '--any', '--for', 'working']);
    await server.sessions.kill('AUTH');
    server.sessions.change('DOCS', WORKS);
    expect(await command.ended).toBe(0);
  });

  test('exits with 3 for a session that does not exist, with 2 for an unknown state, with 130 on Ctrl-C', async () => {
    expect((await runCommand(['wait', 'AUTH', 'NOPE'], where)).code).toBe(3);
    expect((await runCommand(['wait', 'AUTH', '--for', 'sleepy'], where)).code).toBe(2);
    const command = await listening(['wait', 'AUTH']);
    command.interrupt();
    expect(await command.ended).toBe(130);
  });

  test('continues through a restart of the server', async () => {
    const command = await listening(['wait', 'AUTH', '--for', 'working']);
    await server.faces.close();
    await command.says('connection to the server was lost', 'stderr');
    server.sessions.change('AUTH', WORKS);
    await startAgain();
    expect(await command.ended).toBe(0);
  });

  test('treats a closing question as ready', async () => {
    const question = { ...PERMISSION, kind: 'closing', tool: null } as const;
    const status = statusOf({ primary: 'waiting', detail: 'question', question });
    server.sessions.change('AUTH', { state: 'waiting', status });
    expect((await runCommand(['wait', 'AUTH', '--for', 'ready', '--timeout', '1'], where)).code).toBe(0);
  });
});
