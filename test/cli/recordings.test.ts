import { copyFileSync, existsSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { exportRecording, replay } from '../../src/local/recordings.ts';
import { createEmulator } from '../../src/platform/emulator/index.ts';
import { replayRecording } from '../../src/platform/recorder/index.ts';
import { waitFor } from '../harness/wait-for.ts';
import { createWorld } from '../harness/world.ts';
import { type CommandResult, runCommand, startCommand } from './command-line.ts';

const RECORDINGS = fileURLToPath(new URL('../fixtures/recordings', import.meta.url));

/** The formats as asciinema documents them. */
const HEADER_2 = z.strictObject({
  version: z.literal(2),
  width: z.int().positive(),
  height: z.int().positive(),
  timestamp: z.int().optional(),
  title: z.string(),
  env: z.strictObject({ TERM: z.string() }).optional(),
});
const HEADER_3 = z.strictObject({
  version: z.literal(3),
  term: z.strictObject({ cols: z.int().positive(), rows: z.int().positive(), type: z.string().optional() }),
  timestamp: z.int().optional(),
  title: z.string(),
});
const EVENT = z.union([
  z.tuple([z.number().nonnegative(), z.literal('o'), z.string()]),
  z.tuple([z.number().nonnegative(), z.literal('r'), z.string().regex(/^\d+x\d+$/)]),
  z.tuple([z.number().nonnegative(), z.literal('x'), z.string().regex(/^\d+$/)]),
]);

let world: ReturnType<typeof createWorld>;
beforeEach(() => {
  world = createWorld();
});
afterEach(() => world[Symbol.asyncDispose]());

const inWorld = (name: string): string => join(world.streamDir, name);

/** Runs `cbos ARGV` with the real reader of recordings and without a server. */
function run(...argv: string[]): Promise<CommandResult> {
  const place = { settings: { stream_dir: world.streamDir }, cwd: world.streamDir };
  return runCommand(argv, {
    socket: inWorld('no.sock'),
    cwd: world.streamDir,
    host: {
      exportRecording: (request) => exportRecording(request, place),
      replay: (request) => replay(request, place),
    },
  });
}

async function castOf(...argv: string[]) {
  const { code, stdout, stderr } = await run('export', ...argv);
  expect(code).toBe(0);
  const [header = '', ...events] = stdout.trimEnd().split('\n');
  return { header: JSON.parse(header), events: events.map((line) => EVENT.parse(JSON.parse(line))), stderr };
}

/** Copies a recording of the fixtures to `NAME.typescript` and `NAME.timing` in the stream directory. */
function copy(fixture: string, name: string): void {
  for (const ending of ['typescript', 'timing'])
    copyFileSync(join(RECORDINGS, `${fixture}.${ending}`), inWorld(`${name}.${ending}`));
}

function write(name: string, typescript: string | Uint8Array, timing?: string): void {
  writeFileSync(inWorld(`${name}.typescript`), typescript);
  if (timing !== undefined) writeFileSync(inWorld(`${name}.timing`), timing);
}

/** The recordings of one version that uses the normal screen, and of one that uses the alternate screen. */
const FIXTURES = ['2.0.77', '2.1.329'].flatMap((version) =>
  readdirSync(join(RECORDINGS, version))
    .filter((file) => file.endsWith('.typescript'))
    .map((file) => `${version}/${file.replace('.typescript', '')}`),
);

describe('cbos export --format asciicast', () => {
  test('is valid for asciinema, in both versions, from the session or the file', async () => {
    copy('2.1.329/crash', 'AUTH');
    const two = await castOf('AUTH');
    HEADER_2.parse(two.header);
    expect(two.header).toMatchObject({ title: 'AUTH', width: 100, height: 30, env: { TERM: 'screen-256color' } });
    for (const flags of [['--v3'], ['--format', 'asciicast-v3']]) {
      const three = await castOf('AUTH.typescript', ...flags);
      HEADER_3.parse(three.header);
      const last = three.events.reduce((sum, [delay]) => sum + delay, 0);
      expect(last).toBeCloseTo(two.events.at(-1)?.[0] ?? 0, 3);
    }
  });

  test('none of its numbers keeps a player busy forever, wherever a write cut it', async () => {
    write('A', '\u001b[2147483647S12345\u001b[12;99999H\u009b55555b', '1 7\n1 3\n1 26\n');
    const { events } = await castOf('A');
    expect(events.map(([, , text]) => text).join('')).toBe('\u001b[2147S12345\u001b[12;9999H\u009b5555b');
  });

  test('every recording, played through a terminal, gives the same screen as its export', async () => {
    for (const fixture of FIXTURES) {
      copy(fixture, 'A');
      const { header, events } = await castOf('A');
      const emulator = createEmulator({ cols: header.width, rows: header.height, scrollback: 100 });
      for (const [, kind, data] of events) {
        if (kind === 'o') emulator.write(Buffer.from(data));
        else emulator.resize(...(data.split('x').map(Number) as [number, number]));
      }
      await emulator.flush();
      const files = { typescript: inWorld('A.typescript'), timing: inWorld('A.timing'), cols: null, rows: null };
      let expected = '';
      await replayRecording({
        ...files,
        scrollback: 100,
        onFrame: () => undefined,
        onEnd: (replayed) => {
          expected = replayed.serialize();
        },
      });
      expect(emulator.serialize(), fixture).toBe(expected);
      emulator.dispose();
    }
  });

  test('the advanced timing gives sizes and resizes; other signals and input only time', async () => {
    write(
      'A',
      'Script started on 2026-11-20 15:08:22+00:00 [COMMAND="c" TERM="xterm" TTY="/dev/pts/1" COLUMNS="80" LINES="24"]\nabcde\nScript done on 2026-11-20 15:08:29+00:00 [COMMAND_EXIT_CODE="7"]\n',
      'H 0.000000 COLUMNS 90\nH 0.000000 LINES 25\nO 0.5 2\nS 0.25 SIGWINCH ROWS=30 COLS=100\nI 0.25 1\nO 1.0 3\nH 0.0 EXIT_CODE 7\n',
    );
    const { header, events } = await castOf('A', '--v3');
    expect(header).toMatchObject({ term: { cols: 90, rows: 25, type: 'xterm' }, timestamp: 1_795_187_302 });
    expect(events).toEqual([
      [0.5, 'o', 'ab'],
      [0.25, 'r', '100x30'],
      [1.25, 'o', 'cde'],
      [0, 'x', '7'],
    ]);
  });

  test('without timing all is at 0, which is reported; a raw file needs no header', async () => {
    write('LOG', 'raw output of Screen');
    const { header, events, stderr } = await castOf('LOG', '--cols', '120', '--rows', '40');
    expect(header).toEqual({ version: 2, width: 120, height: 40, title: 'LOG' });
    expect(events).toEqual([[0, 'o', 'raw output of Screen']]);
    expect(stderr).toMatch(/no timing.*--timing FILE/);
  });

  test('a timing that is cut off, or counts more than there is, loses and invents nothing', async () => {
    write('A', 'abcdef', '0.5 2\n0.5 2\n0.');
    expect((await castOf('A')).events).toEqual([
      [0.5, 'o', 'ab'],
      [1, 'o', 'cd'],
      [1, 'o', 'ef'],
    ]);
    write('B', 'abc', '0.5 2\n0.5 200\n0.5 9\n');
    expect((await castOf('B')).events).toEqual([
      [0.5, 'o', 'ab'],
      [1, 'o', 'c'],
    ]);
  });

  test('bytes that are split into any writes give the same text; no character is ever split', async () => {
    const byteRuns = fc.array(
      fc.oneof(
        fc.constantFrom('é', '漢', '😀', 'a', '\u001b[1m').map((text) => Buffer.from(text)),
        fc.uint8Array({ maxLength: 4 }).map((bytes) => Buffer.from(bytes)),
      ),
      { minLength: 1, maxLength: 30 },
    );
    await fc.assert(
      fc.asyncProperty(byteRuns, fc.array(fc.integer({ min: 0, max: 7 }), { maxLength: 60 }), async (runs, cuts) => {
        const bytes = Buffer.concat([Buffer.from('>'), ...runs]);
        write('A', bytes, cuts.map((count) => `0.1 ${count}\n`).join(''));
        const { events } = await castOf('A');
        const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
        expect(events.map(([, , data]) => data).join('')).toBe(text);
      }),
      { numRuns: 60 },
    );
  });
});

describe('cbos export as text and page', () => {
  test('text has every line of a long answer once, with and without its own scrollback', async () => {
    for (const fixture of ['2.0.77/long', '2.1.329/long']) {
      copy(fixture, 'A');
      const { stdout } = await run('export', 'A', '--format', 'text');
      const numbers = [...stdout.matchAll(/line (\d+) explains/g)].map(([, number]) => Number(number));
      expect(numbers).toEqual(Array.from({ length: 120 }, (_, index) => index));
    }
  });

  test('text puts a full-screen program where it ran', async () => {
    write('A', 'before\r\n\u001b[?1049h\u001b[Hfull screen\u001b[?1049lafter\r\n', '0.1 8\n1 30\n1 15\n');
    const { stdout } = await run('export', 'A', '--format', 'text');
    expect(stdout).toBe('before\nfull screen\nafter\n');
  });

  test('a page shows markup, links and titles of the recording only as text', async () => {
    const hostile = '<script>alert(1)</script>';
    write(
      'A',
      `\u001b]0;${hostile}\u0007\u001b]8;;javascript:alert(1)\u0007${hostile}\u001b]8;;\u0007 & \u001b[31mred\u001b[0m`,
    );
    const { stdout } = await run('export', 'A', '--format', 'html');
    expect(stdout).not.toMatch(/<script|javascript:|<a |<img|href|src=/i);
    expect(stdout).toContain('&lt;script>');
    expect(stdout).toMatch(/style='color: #[0-9a-f]{6};'>red</);
    expect(stdout).toContain("default-src 'none'");
  });

  test.each(['text', 'html'])('no mark reorders the output: %s', async (format) => {
    write('A', 'rm -rf \u202e/ oediv\u2066.\u200f');
    const { stdout } = await run('export', 'A', '--format', format);
    expect(stdout).not.toMatch(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/);
    expect(stdout).toContain('rm -rf / oediv.');
  });

  test('a page shows what a full-screen program showed last', async () => {
    write('A', '\u001b[?1049h\u001b[Hfull screen\u001b[?1049lback');
    const { stdout } = await run('export', 'A', '--format', 'html');
    expect(stdout).toMatch(/full screen[\s\S]*back/);
  });
});

describe('cbos export --output', () => {
  test('is private, keeps an existing file, and replaces it only with --force', async () => {
    write('A', 'abc', '1 3\n');
    expect(await run('export', 'A', '-o', 'a.cast')).toMatchObject({ code: 0, stdout: '' });
    expect(statSync(inWorld('a.cast')).mode & 0o777).toBe(0o600);
    writeFileSync(inWorld('a.cast'), 'mine');
    expect(await run('export', 'A', '-o', 'a.cast')).toMatchObject({
      code: 1,
      stderr: 'cbos: a.cast already exists — give another --output, or add --force to overwrite the file\n',
    });
    expect(readFileSync(inWorld('a.cast'), 'utf8')).toBe('mine');
    expect(await run('export', 'A', '-o', 'a.cast', '--force')).toMatchObject({ code: 0 });
    expect(readFileSync(inWorld('a.cast'), 'utf8')).toContain('[1,"o","abc"]');
    expect(readdirSync(world.streamDir).sort()).toEqual(['A.timing', 'A.typescript', 'a.cast']);
  });

  test('follows no link that somebody else has put at its output', async () => {
    write('A', 'abc', '1 3\n');
    for (const name of ['victim', 'a.cast']) writeFileSync(inWorld(name), 'mine');
    symlinkSync(inWorld('victim'), inWorld('a.cast.partial'));
    expect(await run('export', 'A', '-o', 'a.cast', '--force')).toMatchObject({ code: 0 });
    expect(readFileSync(inWorld('victim'), 'utf8')).toBe('mine');
  });

  test('never overwrites the recording itself', async () => {
    write('A', 'abc', '1 3\n');
    for (const file of ['A.typescript', './A.timing']) {
      expect(await run('export', 'A', '-o', file, '--force')).toMatchObject({ code: 2 });
    }
    expect(readFileSync(inWorld('A.typescript'), 'utf8')).toBe('abc');
  });
});

describe('cbos replay without a terminal', () => {
  test('writes what draws, and nothing that would act', async () => {
    write('A', 'one\u001b]52;c;eA==\u0007\u001b[6n\u001b[1mtwo\u001b[0m', '0.01 3\n0.01 50\n');
    expect(await run('replay', 'A')).toEqual({ code: 0, stdout: 'one\u001b[1mtwo\u001b[0m', stderr: '' });
  });

  test('--from shows the screen of that time and continues from there', async () => {
    write('A', 'first\r\nsecond', '3600 7\n0.01 6\n');
    expect((await run('replay', 'A', '--from', '1:00:00')).stdout).toBe('first\r\nsecond');
  });

  test('--idle-limit and --speed make a day short', async () => {
    write('A', 'ab', '86400 1\n1 1\n');
    expect((await run('replay', 'A', '--idle-limit', '0.2', '--speed', '100')).stdout).toBe('ab');
  });

  test.each([
    ['--speed', '0'],
    ['--idle-limit', 'x'],
    ['--from', '1:75'],
  ])('%s %s is wrong usage', async (...flags) => {
    write('A', 'a', '1 1\n');
    expect((await run('replay', 'A', ...flags)).code).toBe(2);
  });

  test('explains what to name if there is no recording', async () => {
    for (const command of ['replay', 'export']) {
      expect((await run(command, 'NOBODY')).stderr).toMatch(
        /^cbos: The recording .* does not exist — Give a \.typescript file/,
      );
    }
  });
});

describe('a long export', () => {
  const LONG_S = 5;

  async function exporting(argv: string[], options: { isTTY: boolean; env?: Record<string, string> }) {
    let seconds = 0;
    const { stdout, stderr } = await runCommand(['export', 'AUTH', ...argv], {
      ...options,
      socket: inWorld('no.sock'),
      cwd: world.streamDir,
      now: () => seconds * 1_000,
      host: {
        exportRecording: async ({ onProgress }) => ({
          timed: true,
          text: (async function* () {
            for (seconds = 0; seconds < LONG_S; seconds++) {
              onProgress(seconds / LONG_S);
              yield 'text\n';
            }
          })(),
        }),
      },
    });
    return { stdout, stderr };
  }

  test('shows its progress on a terminal, and removes it at the end', async () => {
    const { stderr } = await exporting(['-o', 'a.cast'], { isTTY: true });
    expect(stderr.split('\r\u001b[K')).toEqual([
      '',
      'Exporting: 20 %',
      'Exporting: 40 %',
      'Exporting: 60 %',
      'Exporting: 80 %',
      '',
    ]);
    const { stderr: plain } = await exporting(['-o', 'b.cast'], { isTTY: true, env: { NO_COLOR: '1' } });
    expect(plain).toBe(stderr);
  });

  test.each([
    ['in a pipe', ['-o', 'c.cast'], { isTTY: false }],
    ['on a terminal that cannot clear a line', ['-o', 'd.cast'], { isTTY: true, env: { TERM: 'dumb' } }],
    ['in output that may go to a pager', [], { isTTY: true }],
  ])('shows no progress %s', async (_, argv, options) => {
    expect((await exporting(argv, options)).stderr).toBe('');
  });
});

test('an interrupted export leaves no partial file', async () => {
  const output = inWorld('half.cast');
  let goOn: () => void = () => undefined;
  const interrupted = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  async function* text() {
    yield 'the first half\n';
    await interrupted;
    yield 'the second\n';
  }
  const command = startCommand(['export', 'AUTH', '--output', output], {
    socket: inWorld('no.sock'),
    host: { exportRecording: async () => ({ timed: true, text: text() }) },
  });
  await waitFor(() => existsSync(output) && statSync(output).size > 0, { describe: 'the first half is written' });
  command.interrupt();
  goOn();
  expect(await command.ended).toBe(130);
  expect(readdirSync(world.streamDir)).toEqual([]);
});
