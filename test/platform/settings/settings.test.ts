import { chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { prepareHome, readSettings } from '../../../src/platform/settings/index.ts';
import { createWorld, type World } from '../../harness/world.ts';

let world: World;

beforeEach(() => {
  world = createWorld();
});

afterEach(() => world.dispose());

function read(environment: Record<string, string> = {}) {
  return readSettings({
    flags: {},
    environment: { CBOS_HOME: world.cbosHome, ...environment },
    cwd: world.dir,
    userHome: world.home,
  });
}

function writeConfig(text: string): string {
  mkdirSync(world.cbosHome, { recursive: true });
  const file = join(world.cbosHome, 'config.toml');
  writeFileSync(file, text);
  return file;
}

test('without a file the defaults apply, and nothing is written', async () => {
  const { settings } = await read();
  expect(settings).toMatchObject({ home: world.cbosHome, stream_dir: join(world.home, 'claude_streams') });
  expect(() => statSync(world.cbosHome)).toThrow('ENOENT');
});

test('config.toml in the home is read, its paths relative to it', async () => {
  writeConfig('port = 4000\nallowed_hosts = ["box.lan"]\nstream_dir = "streams"\nclaude_command = "~/bin/claude"\n');
  const { settings, rows } = await read({ CBOS_PORT: '5000' });
  expect(settings).toMatchObject({
    port: 5000,
    allowed_hosts: ['box.lan'],
    stream_dir: join(world.cbosHome, 'streams'),
    claude_command: join(world.home, 'bin/claude'),
  });
  expect(rows.find(({ name }) => name === 'allowed_hosts')?.origin).toBe('file');
});

test('broken TOML is refused with its line and column', async () => {
  const file = writeConfig('host = "a"\nport = = 3\n');
  await expect(read()).rejects.toMatchObject({
    code: 'invalid_setting',
    message: expect.stringMatching(new RegExp(`^${file}, line 2, column \\d+: \\S.*$`)),
  });
});

test('a directory with the name config.toml is refused, not ignored', async () => {
  mkdirSync(join(world.cbosHome, 'config.toml'), { recursive: true });
  await expect(read()).rejects.toMatchObject({
    code: 'invalid_setting',
    message: expect.stringContaining("isn't a file"),
  });
});

test('a socket path that the system would refuse is refused here, with the cure', async () => {
  await expect(read({ CBOS_SOCKET: `/tmp/${'x'.repeat(120)}` })).rejects.toMatchObject({
    code: 'invalid_setting',
    message: expect.stringContaining('the system allows at most 107'),
    hint: 'Set CBOS_SOCKET to a shorter path',
  });
});

test('the home is made private, even if it was open', async () => {
  await prepareHome(world.cbosHome);
  expect(statSync(world.cbosHome).mode & 0o777).toBe(0o700);
  chmodSync(world.cbosHome, 0o755);
  await prepareHome(world.cbosHome);
  expect(statSync(world.cbosHome).mode & 0o777).toBe(0o700);
});

test('a home that is a file is refused', async () => {
  writeFileSync(world.cbosHome, '');
  await expect(prepareHome(world.cbosHome)).rejects.toMatchObject({ code: 'invalid_setting' });
});
