import { expect, test } from 'vitest';
import { CommandError } from '../../src/cli/command-error.ts';
import { type CliContext, createContext } from '../../src/cli/context.ts';
import { runParsed } from '../../src/cli/parsed-command.ts';
import { plainCommand } from '../../src/cli/plain-command.ts';
import { someSession } from '../harness/some-session.ts';

const ANSWERS: Readonly<Record<string, unknown>> = {
  listSessions: [someSession('AUTH', { path: '/src/auth' }), someSession('DOCS')],
  getSession: someSession('AUTH', { path: '/src/auth' }),
  countSessions: { by_state: { waiting: 1 } },
  recordings: { total_bytes: 5_000_000, max_total_size: 9_000_000, free_bytes: 1, fault: null, dropped: [] },
  fleetSessions: [{ machine: 'desk', is_self: true, reachable: true, unreadable: 0, sessions: [someSession('AUTH')] }],
  send: { session: 'AUTH', status: 'queued', removed: 0, note: null },
};

/**
 * Runs a command. Returns all that it does: its requests and output, or how it was refused, and what hints are about.
 */
async function doneBy(run: (context: CliContext) => Promise<void>): Promise<unknown[]> {
  const done: unknown[] = [];
  const call = async (...request: unknown[]): Promise<unknown> => {
    done.push(request);
    const answer = ANSWERS[String(request[0])];
    if (answer === undefined) throw new Error(`nothing answers ${request[0]}`);
    return answer;
  };
  const out = new Proxy(
    { style: (_: unknown, text: string) => text, width: null },
    { get: (known, name) => Reflect.get(known, name) ?? ((...given: unknown[]) => void done.push([name, ...given])) },
  );
  const context = createContext({
    host: { gitBranches: async () => new Map(), lastModels: async () => new Map() },
    io: { stdin: {}, stdout: {}, env: {}, now: () => 0 },
    ...{ out, version: '1.2.3', program: 'cbos', passedArgs: [] },
  } as never);
  context.client = async () => ({ call }) as never;
  try {
    await run(context);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    done.push(String(error));
  }
  return [...done, context.about, context.exitCode];
}

test.each([
  'ls',
  'ls --json',
  'ls -q',
  'ls --quiet --json',
  'ls --fleet',
  'ls --fleet --json',
  'ls -q --fleet',
  'status',
  'status --json',
  'show AUTH',
  'show --json AUTH',
  'show build1/AUTH',
  'send AUTH hello',
  'send AUTH run the tests --queue',
  'send --queue AUTH run the --json tests',
])('%s does the same with and without the parser', async (line) => {
  const words = line.split(' ');
  const plain = plainCommand(words);
  if (plain === null) throw new Error('it is not plain');
  const done = await doneBy(plain);
  expect(done).toEqual(await doneBy((context) => runParsed(context, words)));
  expect(done.length).toBeGreaterThan(2);
});

test.each([
  '',
  'constructor',
  'help',
  'list',
  'ls AUTH',
  'ls --js',
  'ls --json=false',
  'ls -qr',
  'ls --state done',
  'ls constructor',
  'ls toString',
  'status --jq .waiting',
  'status --',
  'show',
  'show AUTH DOCS',
  'show AUTH -v',
  'send AUTH',
  'send AUTH -',
  'send AUTH -- -x',
  'send AUTH hello --wait',
  'send AUTH hello --__proto__',
  '--version ls',
])('%s is left to the parser', (line) => {
  expect(plainCommand(line.split(' '))).toBeNull();
});

test('an empty word is left to the parser', () => {
  expect(plainCommand(['send', 'AUTH', ''])).toBeNull();
});
