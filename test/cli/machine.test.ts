import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DoctorCheck, LocalHost, ServeRequest } from '../../src/cli/local-host.ts';
import { CatalogueError } from '../../src/protocol/index.ts';
import { type FacesUnderTest, startFaces } from '../harness/faces.ts';
import { type CommandOptions, runCommand, startCommand } from './command-line.ts';
import { WAITS_FOR_PERMISSION } from './some-questions.ts';

let server: FacesUnderTest;
let where: CommandOptions;

beforeAll(async () => {
  server = await startFaces();
  where = { socket: `${server.world.cbosHome}/cbos.sock` };
});
afterAll(() => server[Symbol.asyncDispose]());

const withHost = (host: Partial<LocalHost>, more: Partial<CommandOptions> = {}): CommandOptions => ({
  ...where,
  ...more,
  host,
});

describe('up and down', () => {
  test('up reports that it is ready with the address, and the same if it was already running', async () => {
    const flags: unknown[] = [];
    const started = await runCommand(
      ['up', '--port', '8080'],
      withHost({
        startInBackground: async (request) => {
          flags.push(request.flags);
          request.onProgress('starting the server');
          return 'started';
        },
      }),
    );
    expect(started).toEqual({
      code: 0,
      stdout: 'ready at http://127.0.0.1:32205\n',
      stderr: 'cbos: starting the server\n',
    });
    expect(flags).toEqual([{ port: '8080' }]);
    const again = await runCommand(['up'], withHost({ startInBackground: async () => 'already_running' }));
    expect(again).toMatchObject({ code: 0, stdout: 'ready at http://127.0.0.1:32205 (it was already running)\n' });
    const json = await runCommand(['up', '--json'], withHost({ startInBackground: async () => 'already_running' }));
    expect(JSON.parse(json.stdout)).toEqual({ status: 'already_running', address: 'http://127.0.0.1:32205' });
  });

  test('up reports a taken port in one line', async () => {
    const startInBackground = async (): Promise<never> => {
      throw new CatalogueError('port_taken');
    };
    const { code, stdout, stderr } = await runCommand(['up'], withHost({ startInBackground }));
    expect({ code, stdout, stderr }).toEqual({
      code: 1,
      stdout: '',
      stderr: 'cbos: Another program is listening on the port — Choose another port: `cbos up --port PORT`\n',
    });
  });

  test('down reports that the sessions keep running', async () => {
    const stopped = await runCommand(['down'], withHost({ stopServer: async () => 'stopped' }));
    expect(stopped).toMatchObject({ code: 0, stderr: '' });
    expect(stopped.stdout).toContain('the sessions keep running');
    const none = await runCommand(['down'], withHost({ stopServer: async () => 'not_running' }));
    expect(none).toMatchObject({ code: 0, stdout: "CBOS isn't running\n" });
  });

  test('serve passes on the flags, reports when it is ready, and ends on Ctrl-C', async () => {
    const requests: ServeRequest[] = [];
    const serve = (request: ServeRequest): Promise<void> => {
      requests.push(request);
      request.onReady('http://127.0.0.1:8080');
      return new Promise((resolve) => request.signal.addEventListener('abort', () => resolve()));
    };
    const command = startCommand(['serve', '--host', '127.0.0.2'], withHost({ serve }));
    await command.says('ready at http://127.0.0.1:8080', 'stderr');
    command.interrupt();
    expect(await command.ended).toBe(0);
    expect(requests[0]?.flags).toEqual({ host: '127.0.0.2' });
  });

  test('serve reports who else can reach the server, if that was allowed', async () => {
    const flags: ServeRequest['flags'][] = [];
    const serve = async (request: ServeRequest): Promise<void> => {
      flags.push(request.flags);
      request.onReady('http://127.0.0.1:8080', 'every network of this machine');
    };
    const { stderr } = await runCommand(['serve', '--host', '0.0.0.0', '--allow-remote'], withHost({ serve }));
    expect(stderr).toContain('ready at http://127.0.0.1:8080, and open to every network of this machine');
    expect(flags).toEqual([{ host: '0.0.0.0', allow_remote: 'true' }]);
  });
});

describe('start, and cbos alone', () => {
  const startInBackground: LocalHost['startInBackground'] = async () => 'already_running';

  test('without a terminal it prints the address and how to sign in', async () => {
    const { code, stdout } = await runCommand(['start'], withHost({ startInBackground }));
    expect(code).toBe(0);
    expect(stdout.split('\n').slice(0, 6)).toEqual([
      'CBOS is ready at http://127.0.0.1:32205',
      'The web page, signed in:',
      '  cbos open',
      'Over HTTP, with the token:',
      '  curl -H "Authorization: Bearer $(cbos token)" http://127.0.0.1:32205/sessions',
      '',
    ]);
  });

  test('in a terminal it opens the terminal UI, and ends with its exit code', async () => {
    const tui: LocalHost['tui'] = async ({ client }) => (await client.call('listSessions')).length + 40;
    server.sessions.add('FIRST');
    const { code, stdout } = await runCommand([], withHost({ tui }, { isTTY: true }));
    expect({ code, stdout }).toEqual({ code: 41, stdout: '' });
  });

  test('in a terminal without any abilities it shows the sessions and what to do next', async () => {
    server.sessions.add('FIRST');
    server.sessions.add('AUTH', WAITS_FOR_PERMISSION);
    const options = withHost({ startInBackground }, { isTTY: true, env: { NO_COLOR: '1', TERM: 'dumb' } });
    const { code, stdout } = await runCommand([], options);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ {3}NAME/);
    expect(stdout).toContain('cbos show AUTH');
    expect(stdout).not.toContain('Bearer');
  });
});

describe('the version', () => {
  test('of another server is reported, with the cure, and the command does its work', async () => {
    const { code, stdout, stderr } = await runCommand(['status', '--json'], { ...where, version: '9.9.9' });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toHaveProperty('total');
    expect(stderr).toBe('cbos: this is version 9.9.9, but the server is 1.2.3 — cbos down && cbos up\n');
  });

  test('of the program is printed by --version, without a server', async () => {
    expect(await runCommand(['--version'], { socket: '/nowhere.sock' })).toEqual({
      code: 0,
      stdout: '1.2.3\n',
      stderr: '',
    });
  });
});

describe('doctor', () => {
  const checks: DoctorCheck[] = [
    { name: 'Node', outcome: 'ok', detail: 'v20.20.2', cure: null },
    { name: 'GNU Screen', outcome: 'fault', detail: 'not found', cure: 'sudo apt-get install screen' },
  ];
  async function* doctor(): AsyncGenerator<DoctorCheck> {
    yield* checks;
  }

  test('prints each check with its cure, and exits with 1 if there is a fault', async () => {
    const { code, stdout } = await runCommand(['doctor'], withHost({ doctor }));
    expect(code).toBe(1);
    expect(stdout.split('\n')).toEqual([
      '✓ Node: v20.20.2',
      '✗ GNU Screen: not found',
      '  → sudo apt-get install screen',
      '1 of 2 checks found a fault.',
      '',
    ]);
    const json = await runCommand(['doctor', '--json'], withHost({ doctor }));
    expect(JSON.parse(json.stdout)).toEqual(checks);
  });

  test('exits with 0 if there is none', async () => {
    async function* healthy(): AsyncGenerator<DoctorCheck> {
      yield { name: 'Node', outcome: 'ok', detail: 'v20.20.2', cure: null };
    }
    expect((await runCommand(['doctor'], withHost({ doctor: healthy }))).code).toBe(0);
  });
});

describe('config', () => {
  test('prints each setting with its origin, and never the token', async () => {
    const options = { ...where, settings: { token: 'a-secret-of-some-length' } };
    for (const argv of [['config'], ['config', '--json']]) {
      const { code, stdout } = await runCommand(argv, options);
      expect(code).toBe(0);
      expect(stdout).toContain('stuck_threshold_ms');
      expect(stdout).toContain('15000');
      expect(stdout).not.toContain('a-secret');
    }
  });

  test('exits with 2 for an invalid setting', async () => {
    const settings = async (): Promise<never> => {
      throw new CatalogueError('invalid_setting', 'CBOS_PORT is no port');
    };
    const { code, stderr } = await runCommand(['config'], withHost({ settings }));
    expect(code).toBe(2);
    expect(stderr).toMatch(/^cbos: CBOS_PORT is no port — Change or remove/);
  });
});

describe('token', () => {
  test('prints nothing but the token, or a new one', async () => {
    const options = withHost({ readToken: async () => 'old', rotateToken: async () => 'new' });
    expect(await runCommand(['token'], options)).toEqual({ code: 0, stdout: 'old\n', stderr: '' });
    expect(await runCommand(['token', '--rotate'], options)).toEqual({ code: 0, stdout: 'new\n', stderr: '' });
  });
});

describe('service', () => {
  const state = { unitFile: '/home/user/cbos.service', running: true, enabled: true, notes: ['Lingers not.'] };
  const service: LocalHost['service'] = {
    install: async () => state,
    uninstall: async () => 'not_installed',
    status: async () => ({ ...state, unitFile: null }),
  };

  test('install, status and uninstall report the state', async () => {
    const installed = await runCommand(['service', 'install'], withHost({ service }));
    expect(installed.stdout).toBe('running, starts automatically\n  /home/user/cbos.service\n  Lingers not.\n');
    expect((await runCommand(['service', 'status'], withHost({ service }))).stdout).toContain('not installed');
    expect((await runCommand(['service', 'uninstall'], withHost({ service }))).stdout).toContain('was not installed');
    const json = await runCommand(['service', 'status', '--json'], withHost({ service }));
    expect(JSON.parse(json.stdout)).toMatchObject({ unit_file: null, running: true });
  });
});

describe('demo', () => {
  test('runs until Ctrl-C and prints what it receives', async () => {
    const demo: LocalHost['demo'] = ({ face, signal, onProgress }) => {
      onProgress(`as ${face}`);
      return new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
    };
    const command = startCommand(['demo'], withHost({ demo }));
    await command.says('as lines');
    command.interrupt();
    expect(await command.ended).toBe(0);
  });

  test.each([
    [[], true, 'terminal'],
    [['--web'], true, 'page'],
    [['--lines'], true, 'lines'],
    [['--web'], false, 'page'],
  ])('%j, terminal: %s: is shown as %s', async (options, isTTY, wanted) => {
    const faces: string[] = [];
    const demo: LocalHost['demo'] = async ({ face }) => void faces.push(face);
    expect((await runCommand(['demo', ...options], withHost({ demo }, { isTTY }))).code).toBe(0);
    expect(faces).toEqual([wanted]);
  });
});

describe('a first start', () => {
  const ID = '0b5c1d9e-3f44-4c57-9a7e-2f4d8a0c6b11';
  const conversation = {
    claude_session_id: ID,
    path: '/home/user/shop',
    title: 'mend the\u001b[2J cart',
    last_activity: '2026-11-20T14:05:05.123Z',
    pid: null,
  };
  const startInBackground: LocalHost['startInBackground'] = async () => 'started';
  const tui: LocalHost['tui'] = async () => 0;
  const begin = (stdin: string, isFirst = true) =>
    runCommand(
      [],
      withHost(
        { startInBackground, tui, isFirstStart: async () => isFirst },
        { isTTY: true, stdin, env: { NO_COLOR: '1' } },
      ),
    );

  test('offers to continue a recent conversation, but none that is open elsewhere', async () => {
    server.sessions.found = [
      conversation,
      { ...conversation, claude_session_id: 'other', pid: 4711, path: '/elsewhere' },
    ];
    const { code, stdout } = await begin('1\n');
    expect(code).toBe(0);
    expect(stdout).toMatch(/1 +1h 00m ago +~\/shop +mend the cart/);
    expect(stdout).not.toContain('elsewhere');
    expect(server.sessions.list().map(({ claude_session_id: id }) => id)).toContain(ID);
  });

  test.each(['\n', '7\n', 'no\n', ''])('continues without one after %j', async (typed) => {
    server.sessions.found = [conversation];
    const before = server.sessions.list().length;
    expect((await begin(typed)).code).toBe(0);
    expect(server.sessions.list()).toHaveLength(before);
  });

  test('asks nothing if there is none, and nothing at a later start', async () => {
    server.sessions.found = [];
    expect((await begin('')).stdout).toBe('');
    server.sessions.found = [conversation];
    expect((await begin('', false)).stdout).toBe('');
  });
});
