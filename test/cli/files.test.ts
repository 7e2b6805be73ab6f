import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Delivery, StoredFile } from '../../src/protocol/index.ts';
import { type CommandResult, runCommand, startCommand } from './command-line.ts';
import { startCountingProxy } from './counting-proxy.ts';
import { serveCommands } from './served.ts';
import { WAITS_FOR_PERMISSION } from './some-questions.ts';

const cli = serveCommands();
let folder: string;
beforeEach(() => {
  cli.server.sessions.add('AUTH');
  folder = cli.server.world.project('pictures');
  writeFileSync(join(folder, 'my shot.png'), 'a picture');
});
const run = (...argv: string[]): Promise<CommandResult> => runCommand(argv, { ...cli.where, cwd: folder });
const stored = async (slug = 'AUTH'): Promise<StoredFile[]> =>
  JSON.parse((await run('files', slug, '--json')).stdout) as StoredFile[];
const deliveries = (): Delivery[] => cli.server.sessions.deliveries('AUTH');

describe('send --file', () => {
  test('stores a copy, and the prompt mentions its path', async () => {
    const bytes = randomBytes(900_000);
    writeFileSync(join(folder, 'big.bin'), bytes);
    const sent = await run('send', 'AUTH', 'what', 'is', 'this?', '--file', 'my shot.png', '--file', './big.bin');
    expect(sent).toMatchObject({ code: 0, stderr: '' });
    const [shot, big] = await stored();
    expect([shot?.name, big?.name]).toEqual(['my-shot.png', 'big.bin']);
    expect(readFileSync(big?.path ?? '').equals(bytes)).toBe(true);
    expect(deliveries()[0]?.text).toBe(`what is this?\n\n@${shot?.path}\n@${big?.path}`);
  });

  test('needs no text, and the options may stand after it', async () => {
    expect((await run('send', '--file', 'my shot.png', 'AUTH')).code).toBe(0);
    expect(deliveries()[0]?.text).toBe(`@${(await stored())[0]?.path}`);
    expect(await run('send', 'AUTH')).toMatchObject({ code: 2, stderr: expect.stringContaining("'text'") });
  });

  test.each([
    ['none.png', 'cannot be read (ENOENT)'],
    ['.', "isn't a file"],
    ['empty', 'is empty'],
    ['pipe', "isn't a file"],
  ])('of %s is wrong usage, and nothing is sent', async (path, message) => {
    if (path === 'pipe') execFileSync('mkfifo', [join(folder, path)]);
    writeFileSync(join(folder, 'empty'), '');
    const sent = await run('send', 'AUTH', 'hello', '--file', 'my shot.png', '--file', path);
    expect(sent).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
    expect([await stored(), deliveries()]).toEqual([[], []]);
  });

  test('of a file that is too large is refused with the cure, whatever its size', async () => {
    for (const size of [1_000_001, 30_000_000]) {
      writeFileSync(join(folder, 'huge.bin'), Buffer.alloc(size));
      const sent = await run('send', 'AUTH', 'hello', '--file', 'my shot.png', '--file', 'huge.bin');
      expect(sent).toMatchObject({ code: 4, stdout: '', stderr: expect.stringContaining('max_file_size') });
    }
    expect([await stored(), deliveries()]).toEqual([[], []]);
  });

  test('of a file that is too large does not upload any of it', async () => {
    writeFileSync(join(folder, 'huge.iso'), '');
    truncateSync(join(folder, 'huge.iso'), 3 * 1024 ** 3);
    const { socket, asked } = await startCountingProxy(cli.server.world, cli.where.socket as string);
    const argv = ['send', 'AUTH', 'hello', '--file', 'my shot.png', '--file', 'huge.iso'];
    const { code, stderr } = await runCommand(argv, { socket, cwd: folder });
    expect(code).toBe(4);
    expect(stderr).toContain('huge.iso has 3,221,225,472 bytes, and the server accepts at most 1,000,000');
    expect(asked()).toContain('GET /health');
    expect(asked().filter((one) => one.startsWith('POST'))).toEqual([]);
  });

  test('reports a session that does not exist, whatever the size of the file', async () => {
    for (const size of [10, 30_000_000]) {
      writeFileSync(join(folder, 'huge.bin'), Buffer.alloc(size));
      expect(await run('send', 'NONE', 'hello', '--file', 'huge.bin')).toMatchObject({ code: 3, stdout: '' });
    }
  });

  test('deletes the copies of a refused prompt', async () => {
    cli.server.sessions.change('AUTH', WAITS_FOR_PERMISSION);
    expect((await run('send', 'AUTH', 'hello', '--file', 'my shot.png')).code).toBe(4);
    expect(await stored()).toEqual([]);
  });

  test('sends a log that grows as it was', async () => {
    const log = join(folder, 'test.log');
    writeFileSync(log, 'x'.repeat(500_000));
    const sending = startCommand(['send', 'AUTH', '--file', 'test.log'], { ...cli.where, cwd: folder });
    for (let line = 0; line < 200; line += 1) appendFileSync(log, 'one more line\n');
    expect(await sending.ended).toBe(0);
    expect((await stored())[0]?.size).toBeGreaterThanOrEqual(500_000);
  });

  test('works only for one session, and only of this machine', async () => {
    expect(await run('send', '--all', 'hello', '--file', 'my shot.png')).toMatchObject({ code: 2 });
    expect(await run('send', 'laptop/AUTH', 'hello', '--file', 'my shot.png')).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('another machine'),
    });
    expect((await run('send', 'NONE', 'hello', '--file', 'my shot.png')).code).toBe(3);
  });
});

describe('files', () => {
  test('lists them for a person', async () => {
    expect(await run('files', 'AUTH')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringContaining('--file'),
    });
    await run('send', 'AUTH', '--file', 'my shot.png');
    const { stdout } = await run('files', 'AUTH');
    const [titles, row] = stdout.split('\n').map((line) => line.split(/ {2,}/));
    expect(titles?.slice(0, 4)).toEqual(['ID', 'NAME', 'SIZE', 'TYPE']);
    expect(row?.slice(1, 4)).toEqual(['my-shot.png', '1 kB', 'image/png']);
    expect((await run('files', 'NONE')).code).toBe(3);
  });

  test('asks before it deletes one, and needs --yes where nobody can answer', async () => {
    await run('send', 'AUTH', '--file', 'my shot.png');
    const [file] = await stored();
    const { id = '', path = '' } = file ?? {};
    expect((await run('files', 'AUTH', '--rm', id)).code).toBe(2);
    const no = await runCommand(['files', 'AUTH', '--rm', id], { ...cli.where, isTTY: true, stdin: 'n\n' });
    expect([no.code, existsSync(path)]).toEqual([1, true]);
    const yes = await runCommand(['files', 'AUTH', '--rm', id.slice(0, 3)], {
      ...cli.where,
      isTTY: true,
      stdin: 'y\n',
    });
    expect([yes.code, existsSync(path)]).toEqual([0, false]);
    expect(yes.stderr).toContain('Delete my-shot.png (1 kB) from AUTH?');
    expect((await run('files', 'AUTH', '--rm', id, '--yes')).code).toBe(1);
  });

  test('keeps one that a waiting text mentions', async () => {
    await run('send', 'AUTH', 'later', '--file', 'my shot.png', '--queue');
    const [file] = await stored();
    const removed = await run('files', 'AUTH', '--rm', file?.id ?? '', '--yes');
    expect(removed).toMatchObject({ code: 4, stderr: expect.stringContaining('cbos queue') });
  });

  test('completes the ids of the session that was typed', async () => {
    await run('send', 'AUTH', '--file', 'my shot.png');
    const { stdout } = await run('complete', '--', 'files', 'AUTH', '--rm', '');
    expect(stdout).toContain(`${(await stored())[0]?.id}\tmy-shot.png`);
    expect((await run('complete', '--', 'send', 'AUTH', '--file', '')).stdout).toBe(':0\n');
  });
});
