import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { completeFolder } from '../../../src/platform/files/complete-folder.ts';
import { createWorld, type World } from '../../harness/world.ts';

let world: World;
beforeEach(() => {
  world = createWorld();
  for (const name of ['src/auth', 'src/authors', 'src/Billing', 'src/.git', 'src/with blank']) {
    mkdirSync(join(world.home, name), { recursive: true });
  }
  writeFileSync(join(world.home, 'src/author.txt'), '');
  symlinkSync(join(world.home, 'src/auth'), join(world.home, 'src/auth-link'));
  symlinkSync(join(world.home, 'src/nowhere'), join(world.home, 'src/auth-broken'));
});
afterEach(() => world.dispose());

const complete = async (typed: string) =>
  (await completeFolder(typed, world.home)).map((path) => path.replace(`${world.home}/`, ''));

test.each([
  ['the beginning of a name', '~/src/au', ['src/auth', 'src/auth-link', 'src/authors']],
  [
    'a folder and a slash: everything in it except hidden folders',
    '~/src/',
    ['src/auth', 'src/auth-link', 'src/authors', 'src/Billing', 'src/with blank'],
  ],
  ['the dot of a hidden folder', '~/src/.g', ['src/.git']],
  ['nothing: the home folder', '', ['src']],
  ['only a tilde', '~', ['src']],
  ['a path from the home folder', 'src/B', ['src/Billing']],
  ['a full name', '~/src/authors', ['src/authors']],
])('offers the folders for %s', async (_, typed, expected) => {
  expect(await complete(typed)).toEqual(expected);
});

test('offers nothing, without an error, for a missing folder, a file or an invalid path', async () => {
  for (const typed of ['~/no/such/', '~/src/author.txt/', 'a\u0000b', `/${'x'.repeat(4000)}`]) {
    expect(await complete(typed), JSON.stringify(typed)).toEqual([]);
  }
});

test('offers at most fifty', async () => {
  for (let number = 0; number < 60; number++) mkdirSync(join(world.home, `many/folder-${number}`), { recursive: true });
  expect(await complete('~/many/')).toHaveLength(50);
});
