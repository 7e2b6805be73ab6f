import type { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AddCommands, COMMAND_MODULES, loadCommands } from '../../src/cli/command-modules.ts';
import { createContext } from '../../src/cli/context.ts';
import { createPrinter } from '../../src/cli/output/printer.ts';
import { buildProgram } from '../../src/cli/program.ts';
import { CatalogueError } from '../../src/protocol/index.ts';
import { type FacesUnderTest, startFaces } from '../harness/faces.ts';
import { Collected, type CommandOptions, runCommand, startCommand } from './command-line.ts';
import { HOSTILE, HOSTILE_SESSION, OBEYED } from './hostile-session.ts';

const NOWHERE: CommandOptions = { socket: '/nowhere/cbos.sock' };
let server: FacesUnderTest;
let where: CommandOptions;

beforeAll(async () => {
  server = await startFaces();
  where = { socket: `${server.world.cbosHome}/cbos.sock` };
});
afterAll(() => server[Symbol.asyncDispose]());

/** Returns the program with the commands of some modules. */
function programOf(commands: readonly AddCommands[]): Command {
  const { stream } = new Collected({ isTTY: false });
  const io = { stdin: process.stdin, stdout: stream, stderr: stream, env: {}, cwd: '/', now: () => 0 };
  const context = createContext({
    host: {} as Parameters<typeof createContext>[0]['host'],
    io: { ...io, onInterrupt: () => () => undefined },
    out: createPrinter({ ...io, onInterrupt: () => () => undefined }),
    version: '0',
    program: 'cbos',
    passedArgs: [],
  });
  return buildProgram(context, commands);
}

/**
 * Returns every command and subcommand. They are read from the program itself, so that a new one cannot be forgotten.
 */
async function commandNames(): Promise<string[]> {
  const program = programOf(await loadCommands([], []));
  return program
    .createHelp()
    .visibleCommands(program)
    .map((command: Command) => command.name());
}

const COMMANDS = (await commandNames()).filter((name) => name !== 'help');

test.each(COMMAND_MODULES.map((one) => [one.names.join(', '), one] as const))(
  'the module of %s adds these commands and no others: otherwise a name would not be found',
  async (_, { names, load }) => {
    const program = programOf([await load()]);
    const added = program.commands.flatMap((command) => [command.name(), ...command.aliases()]);
    expect(added.filter((name) => name !== 'help').sort()).toEqual([...names].sort());
  },
);

describe('help', () => {
  test('names every command of this version, in groups, and the exit codes', async () => {
    const { code, stdout, stderr } = await runCommand(['--help'], NOWHERE);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const wanted =
      'serve up down new adopt restart ls show status watch wait send answer interrupt draft stop rm rename attach buffer logs doctor config token service completion demo';
    for (const name of wanted.split(' ')) expect(stdout).toMatch(new RegExp(`^ {2}${name}[ |]`, 'm'));
    for (const group of ['Sessions:', 'See what they do:', 'Talk to them:', 'Server and machine:']) {
      expect(stdout).toContain(group);
    }
    expect(stdout).toContain('5 no server');
    expect(stdout).not.toContain('Commands:');
    expect(stdout).not.toContain('complete ');
  });

  test.each(COMMANDS)('of %s has examples that begin with cbos or feed it', async (name) => {
    const { code, stdout } = await runCommand([name, '--help'], NOWHERE);
    expect(code).toBe(0);
    expect(stdout).toMatch(/\nExamples:\n {2}\S.*cbos|\nExamples:\n {2}cbos/);
    expect((await runCommand(['help', name], NOWHERE)).stdout).toBe(stdout);
  });

  test('of a subcommand is the same in both ways', async () => {
    const { stdout } = await runCommand(['queue', 'edit', '--help'], NOWHERE);
    expect(stdout).toContain('Usage: cbos queue edit');
    expect(await runCommand(['help', 'queue', 'edit'], NOWHERE)).toEqual({ code: 0, stdout, stderr: '' });
  });

  test.each(['queue', 'service', 'draft', 'stash'])('of %s has no heading of the main help', async (name) => {
    const { stdout } = await runCommand([name, '--help'], NOWHERE);
    expect(stdout.match(/^\S.*:$/gm)).toEqual(['Options:', 'Commands:', 'Examples:']);
  });
});

describe('wrong usage exits with 2, prints one line on standard error, and nothing on standard output', () => {
  test.each([
    [['nonsense'], 'cbos --help'],
    [['statsu'], 'Did you mean status?'],
    [['--nonsense'], 'cbos --help'],
    [['help', 'nonsense'], 'cbos --help'],
    [['help', 'queue', 'nonsense'], 'No command is named "queue nonsense"'],
    [['send', 'A', ''], 'The text is empty'],
    [['send', 'A', '  '], 'The text is empty'],
    [['service'], 'cbos service --help'],
    [['service', 'nonsense'], 'cbos service --help'],
    [['ls', 'surplus'], 'Too many arguments'],
    [['show'], "Missing required argument 'name'"],
    [['buffer', 'A', '--lines', 'many'], 'a whole number from 1'],
    [['wait', 'A', '--timeout', '-1'], 'number of seconds'],
    [['wait', 'A', '--for'], 'argument missing'],
    ...COMMANDS.map((name) => [[name, '--nonsense'], "nknown option '--nonsense'"]),
  ] as [string[], string][])('%j', async (argv, says) => {
    const { code, stdout, stderr } = await runCommand(argv, NOWHERE);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^cbos: [^\n]+ — [^\n]+\n$/);
    expect(stderr).toContain(says);
  });
});

test.each([
  [['ls']],
  [['show', 'A']],
  [['status']],
  [['watch']],
  [['wait', 'A']],
  [['send', 'A', 'x']],
  [['send', 'A', 'x', '--wait']],
  [['answer', 'A', 'yes']],
  [['interrupt', 'A']],
  [['stop', 'A']],
  [['kill', 'A']],
  [['rm', 'A']],
  [['rename', 'A', 'B']],
  [['new', 'A']],
  [['adopt', '1.x']],
  [['restart', 'A']],
  [['restart', '--all']],
  [['buffer', 'A']],
  [['logs', 'A']],
  [['logs', 'A', '-f']],
  [['logs', 'A', '--raw']],
])('%j without a server exits with 5 and the cure', async (argv) => {
  const { code, stdout, stderr } = await runCommand(argv, NOWHERE);
  expect({ code, stdout, stderr }).toEqual({
    code: 5,
    stdout: '',
    stderr: "cbos: CBOS isn't running — Start it: cbos up\n",
  });
});

describe('the words of a session reach the terminal only as text', () => {
  test.each([['ls'], ['show'], ['buffer'], ['wait'], ['logs']])('in %s', async (name) => {
    const recording = server.sessions.add('HOSTILE', HOSTILE_SESSION);
    recording.write(HOSTILE);
    const { stdout } = await runCommand(name === 'ls' ? [name] : [name, 'HOSTILE'], where);
    expect(stdout).toContain(name === 'buffer' || name === 'logs' ? 'evil' : 'HOSTILE');
    expect(stdout).not.toMatch(OBEYED);
    await server.sessions.remove('HOSTILE');
  });

  test('in an error', async () => {
    const { get } = server.sessions;
    server.sessions.get = () => {
      throw new CatalogueError('no_such_session', `${HOSTILE}gone`);
    };
    try {
      const { stderr } = await runCommand(['show', 'AUTH'], where);
      expect(stderr).toBe('cbos: evil gone — `cbos ls` lists the sessions\n');
    } finally {
      server.sessions.get = get;
    }
  });
});

describe('standard output', () => {
  test('that nobody reads any more is not a failure', async () => {
    const command = startCommand(['status'], where);
    const broken = Object.assign(new Error('write EPIPE'), { code: 'EPIPE' });
    (command.stdout.stream as unknown as NodeJS.EventEmitter).emit('error', broken);
    expect(await command.ended).toBe(0);
    expect(command.stderr.text).toBe('');
  });

  test('that cannot be written is a failure', async () => {
    const command = startCommand(['status'], where);
    const full = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
    (command.stdout.stream as unknown as NodeJS.EventEmitter).emit('error', full);
    expect(await command.ended).toBe(1);
    expect(command.stderr.text).toContain('no space left on device');
  });
});
