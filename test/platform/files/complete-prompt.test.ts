import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { completePrompt } from '../../../src/platform/files/complete-prompt.ts';
import { createWorld, type World } from '../../harness/world.ts';

let world: World;
let folder: string;
beforeEach(() => {
  world = createWorld();
  folder = world.project('code');
  const outside = world.project('outside');
  const write = (root: string, name: string, text = ''): void => {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  };
  for (const name of ['src/main.ts', 'src/domain.ts', 'main.md', 'deep/main/x.ts', '.env', 'node_modules/main.js']) {
    write(folder, name);
  }
  write(folder, 'src/ma\u001bn.ts');
  write(folder, '.claude/commands/review.md', 'Look at it closely\n\nAll of it');
  write(folder, '.claude/commands/team/release.md', '---\nmodel: opus\ndescription: Tag it\n---\nGo');
  write(folder, '.claude/skills/report/SKILL.md', '---\nname: report\n---\n');
  write(outside, 'main-secret.ts');
  write(outside, 'commands/secret.md', 'nobody sees this');
  symlinkSync(outside, join(folder, 'main-link'));
  symlinkSync(join(outside, 'commands/secret.md'), join(folder, '.claude/commands/linked.md'));
});
afterEach(() => world.dispose());

const complete = async (word: string) => (await completePrompt(folder, word)).map(({ text }) => text);

test.each([
  [
    'a name: matches at the beginning first, then matches anywhere',
    '@mai',
    ['@main.md', '@src/main.ts', '@deep/main/', '@deep/main/x.ts', '@src/domain.ts'],
  ],
  ['a folder and a slash', '@src/', ['@src/main.ts', '@src/domain.ts']],
  ['the dot of a hidden file', '@.en', ['@.env']],
  ['a command, whatever its folder', '/re', ['/release', '/report', '/review']],
  ['none of these words', 'main', []],
])('offers for %s', async (_, word, expected) => {
  expect(new Set(await complete(word))).toEqual(new Set(expected));
  expect((await complete(word))[0]).toBe(expected[0]);
});

test('describes a command as its file does', async () => {
  expect(await completePrompt(folder, '/re')).toEqual([
    { text: '/release', about: 'Tag it' },
    { text: '/report', about: null },
    { text: '/review', about: 'Look at it closely' },
  ]);
});

test('reads nothing outside of the folder, whatever is typed or linked', async () => {
  const words = [
    '@../',
    '@../outside/main',
    `@${world.dir}/`,
    '@main-link/',
    '@main-s',
    '/linked',
    '/../',
    '@a\u0000b',
    '/a\u0000',
  ];
  for (const word of words) expect(await complete(word), JSON.stringify(word)).toEqual([]);
  expect(await completePrompt(join(folder, 'nowhere'), '@a')).toEqual([]);
});

test('offers at most fifty', async () => {
  mkdirSync(join(folder, 'many'));
  for (let number = 0; number < 120; number++) writeFileSync(join(folder, 'many', `file-${number}`), '');
  expect(await complete('@many/')).toHaveLength(50);
});
