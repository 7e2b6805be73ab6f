import { beforeEach, describe, expect, test } from 'vitest';
import { type CommandResult, runCommand } from './command-line.ts';
import { serveCommands } from './served.ts';
import { WAITS_FOR_PERMISSION, WORKS } from './some-questions.ts';

const cli = serveCommands();

let number = 0;
let one: string;
let two: string;
beforeEach(async () => {
  // Each test needs new names, because the server keeps the texts of a session under its name.
  number++;
  [one, two] = [`ONE${number}`, `TWO${number}`];
  cli.server.sessions.add(one);
  cli.server.sessions.add(two);
});

/** Sends as a script does, without being asked. */
const send = (...words: string[]): Promise<CommandResult> => runCommand(['send', '--yes', ...words], cli.where);
const sent = (): string[] => [one, two].flatMap((slug) => cli.server.sessions.deliveries(slug).map(({ text }) => text));

describe('send to several sessions', () => {
  test.each([
    [['--all', 'run', 'the', 'tests']],
    [['run', 'the', 'tests', '--all']],
    [['--all', '--', 'run', 'the', 'tests']],
    [['--all', 'run the tests']],
  ])('%j takes all words as the text, and prints a line for each session', async (words) => {
    expect(await send(...words)).toEqual({ code: 0, stdout: `Sent to ${one}\nSent to ${two}\n`, stderr: '' });
    expect(sent()).toEqual(['run the tests', 'run the tests']);
  });

  test('exits with 4 if one of them does not get it, and prints the reason', async () => {
    cli.server.sessions.change(two, WAITS_FOR_PERMISSION);
    const { code, stdout, stderr } = await send('--all', 'hello');
    expect({ code, stderr }).toEqual({ code: 4, stderr: '' });
    expect(stdout).toMatch(
      new RegExp(`^Sent to ${one}\n${two}: not sent. The session cannot accept a prompt now — .+\n$`),
    );
    const json = await send('--all', 'hello', '--json');
    expect(json.code).toBe(4);
    expect(JSON.parse(json.stdout)).toMatchObject([
      { session: one, delivery: { status: 'delivered' } },
      { session: two, error: { code: 'not_accepting_text' } },
    ]);
  });

  test('goes only to sessions in the given state', async () => {
    cli.server.sessions.change(two, WORKS);
    expect(await send('--state', 'ready', 'hello')).toEqual({ code: 0, stdout: `Sent to ${one}\n`, stderr: '' });
    expect(sent()).toEqual(['hello']);
  });

  test.each([
    ['y\n', 0, ['hello', 'hello']],
    ['n\n', 1, []],
    ['', 1, []],
  ])('prints on a terminal how many sessions get it, and asks: %j', async (typed, code, texts) => {
    const result = await runCommand(['send', '--all', 'hello'], { ...cli.where, isTTY: true, stdin: typed });
    expect(result.stderr).toContain(`Send this to 2 sessions (${one}, ${two})? [y/N]`);
    expect({ code: result.code, texts: sent() }).toEqual({ code, texts });
  });

  test('sends nothing if nobody can be asked, unless --yes is given', async () => {
    const { code, stderr } = await runCommand(['send', '--all', 'hello'], cli.where);
    expect({ code, texts: sent() }).toEqual({ code: 2, texts: [] });
    expect(stderr).toContain('The command needs a terminal to ask this — add --yes');
  });

  test('reads standard input for -', async () => {
    expect((await runCommand(['send', '--all', '-y', '-'], { ...cli.where, stdin: 'a\nb\n' })).code).toBe(0);
    expect(sent()).toEqual(['a\nb\n', 'a\nb\n']);
  });

  test('reports that no session got it', async () => {
    const { code, stdout, stderr } = await send('--state', 'stuck', 'hello');
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toContain('nothing was sent: no session is');
  });

  test('accepts no name in addition: a name before the text was meant as a session', async () => {
    for (const words of [
      [one, 'hello', '--all'],
      ['--state', 'ready', one, 'hello'],
      ['--all', one],
    ]) {
      const { code, stderr } = await send(...words);
      expect(code).toBe(2);
      expect(stderr).toContain(`${one} is a session`);
    }
    expect(sent()).toEqual([]);
    expect((await send('--all', `${one} hello`)).code).toBe(0);
  });

  test.each([
    [['--all']],
    [['--all', '--state', 'ready', 'hello']],
    [['--all', 'hello', '--wait']],
    [['--all', 'hello', '--force']],
    [['--state', 'nonsense', 'hello']],
    [['hello']],
    [[]],
  ])('%j is wrong usage, and nothing is sent', async (words) => {
    expect(await send(...words)).toMatchObject({ code: 2, stdout: '' });
    expect(sent()).toEqual([]);
  });
});
