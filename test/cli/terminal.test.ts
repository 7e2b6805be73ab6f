import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type FacesUnderTest, startFaces } from '../harness/faces.ts';
import { HEADER, type MemoryRecording } from '../harness/memory-recording.ts';
import { waitFor } from '../harness/wait-for.ts';
import { type CommandOptions, runCommand, startCommand } from './command-line.ts';

let server: FacesUnderTest;
let where: CommandOptions;
let recording: MemoryRecording;

beforeEach(async () => {
  server = await startFaces();
  where = { socket: `${server.world.cbosHome}/cbos.sock` };
  recording = server.sessions.add('AUTH');
});
afterEach(() => server[Symbol.asyncDispose]());

describe('buffer', () => {
  test('prints the screen as text, without anything that a terminal would obey', async () => {
    recording.write('one\ntwo \u001b]0;hostile\u0007\u001b[2Jthree\u009b31m\n\n');
    const { code, stdout } = await runCommand(['buffer', 'AUTH'], where);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'one\ntwo three\n' });
    expect((await runCommand(['buffer', 'AUTH', '--lines', '0'], where)).code).toBe(2);
  });

  test('prints the REST body with --json, escaped for the terminal', async () => {
    recording.write('a\u009b2Jb');
    const { stdout } = await runCommand(['buffer', 'AUTH', '--json'], where);
    expect(stdout).not.toContain('\u009b');
    expect(JSON.parse(stdout)).toMatchObject({ buffer: 'a\u009b2Jb', cols: 80 });
  });
});

describe('logs', () => {
  test('--raw prints the recording byte for byte', async () => {
    recording.write(Buffer.from([0x1b, 0x5b, 0x6d, 0xff, 0xfe, 0x41]));
    const chunks: Buffer[] = [];
    const command = startCommand(['logs', 'AUTH', '--raw'], where);
    (command.stdout.stream as unknown as NodeJS.ReadableStream).setEncoding('latin1');
    (command.stdout.stream as unknown as NodeJS.ReadableStream).on('data', (text: string) =>
      chunks.push(Buffer.from(text, 'latin1')),
    );
    expect(await command.ended).toBe(0);
    await waitFor(() => Buffer.concat(chunks).length > HEADER.length, { describe: 'the bytes come' });
    expect(Buffer.concat(chunks)).toEqual(readFileSync(recording.file()));
  });

  test('-f --raw prints everything that exists and that follows, and Ctrl-C ends it', async () => {
    recording.write('first ✓ ');
    const command = startCommand(['logs', 'AUTH', '-f', '--raw'], where);
    await command.says('first ✓ ');
    recording.write('\u001b[1msecond');
    await command.says('second');
    command.interrupt();
    expect(await command.ended).toBe(0);
    expect(command.stdout.text).toBe('first ✓ \u001b[1msecond');
  });

  test('-f prints text without escape codes', async () => {
    recording.write('first\n');
    const command = startCommand(['logs', 'AUTH', '-f'], where);
    await command.says('first');
    await waitFor(() => recording.listeners() > 0, { describe: 'the recording is followed' });
    recording.write('Welcome\u001b[9Gto\u001b[3Cit\u001b[31m red\u001b]0;title\u0007!\n');
    await command.says('!');
    command.interrupt();
    await command.ended;
    expect(command.stdout.text).toBe('first\nWelcome to   it red!\n');
  });

  test('-f ends when the session is deleted', async () => {
    recording.write('all\n');
    const command = startCommand(['logs', 'AUTH', '-f'], where);
    await command.says('all');
    await waitFor(() => recording.listeners() > 0, { describe: 'the recording is followed' });
    await server.sessions.remove('AUTH');
    expect(await command.ended).toBe(0);
  });

  test('more than one window arrives completely, because output is acknowledged when it is written', async () => {
    const line = `${'x'.repeat(1023)}\n`;
    recording.write(line.repeat(4096));
    const command = startCommand(['logs', 'AUTH', '-f', '--raw'], where);
    await waitFor(() => command.stdout.text.length >= 4 * 1024 * 1024, { describe: 'everything arrives' });
    command.interrupt();
    await command.ended;
    expect(command.stdout.text.length).toBe(4 * 1024 * 1024);
    expect(command.stderr.text).toBe('');
  });

  test.each([['--raw'], ['-f'], ['--json']])('%s exits with 3 for a session that does not exist', async (flag) => {
    expect((await runCommand(['logs', 'NOPE', flag], where)).code).toBe(3);
  });

  test.each([[[]], [['--raw']], [['-f', '--raw']]])(
    'explains how a session without a recording gets one (%j)',
    async (flags) => {
      server.sessions.addWithoutRecording('PLAIN');
      const { code, stderr } = await runCommand(['logs', 'PLAIN', ...flags], where);
      expect(code).toBe(1);
      expect(stderr).toContain('cbos adopt');
    },
  );
});

describe('attach', () => {
  test('runs the program of the host on the terminal and exits with its exit code', async () => {
    const ran: (readonly string[])[] = [];
    const host = {
      runAttached: async (argv: readonly string[]) => {
        ran.push(argv);
        return 7;
      },
    };
    expect((await runCommand(['attach', 'AUTH'], { ...where, host, isTTY: true })).code).toBe(7);
    expect(ran).toEqual([['screen', '-x', '100.AUTH']]);
  });

  test('is refused without a terminal, for a dead session, and for one without a terminal', async () => {
    const piped = await runCommand(['attach', 'AUTH'], where);
    expect(piped.code).toBe(2);
    expect(piped.stderr).toContain('cbos buffer AUTH');
    await server.sessions.kill('AUTH');
    const dead = await runCommand(['attach', 'AUTH'], { ...where, isTTY: true });
    expect(dead.code).toBe(4);
    expect(dead.stderr).toContain('cbos restart AUTH');
    server.sessions.addWithoutRecording('JSON', { type: 'json', screen_id: null });
    expect((await runCommand(['attach', 'JSON'], { ...where, isTTY: true })).code).toBe(4);
  });
});
