import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CLAUDE_COMMANDS, CLAUDE_FLAGS } from '../../../src/core/launch/index.ts';
import { type ClaudeWorld, claudeWorld } from '../../harness/claude.ts';

let world: ClaudeWorld;
let help: string;
beforeAll(async () => {
  world = await claudeWorld();
  help = execFileSync(world.claude, ['--help'], { env: world.env, cwd: world.dir, encoding: 'utf8' });
});
afterAll(() => world.dispose());

/** The lines of the help that name a flag, such as `-n, --name <name>`. */
const flagLines = (): string[] => help.split('\n').filter((line) => /^ {2}-/.test(line));

test('every flag in the help of the installed Claude Code has a row, and every other row is marked as hidden', () => {
  const listed = flagLines().flatMap((line) =>
    [...(line.split(/ {2,}/)[1] ?? '').matchAll(/(?<![\w-])--?[A-Za-z][\w-]*/g)].map(([name]) => name),
  );
  const rows = CLAUDE_FLAGS.filter(({ isHidden }) => isHidden !== true).flatMap(({ names }) => names);
  expect(listed.length).toBeGreaterThan(60);
  expect([...rows].sort()).toEqual([...new Set(listed)].sort());
});

test('the table knows whether a flag has a value', () => {
  const wrong = flagLines().flatMap((line) => {
    const text = line.split(/ {2,}/)[1] ?? '';
    const name = /--[A-Za-z][\w-]*/.exec(text)?.[0] ?? '';
    const value = /\.\.\.[>\]]/.test(text)
      ? 'many'
      : text.includes('<')
        ? 'one'
        : text.includes('[')
          ? 'maybe'
          : 'none';
    const row = CLAUDE_FLAGS.find(({ names }) => names.includes(name));
    return row?.value === value ? [] : [{ text, value, row: row?.value }];
  });
  expect(wrong).toEqual([]);
});

test('every command in the help is known', () => {
  const commands = help.slice(help.indexOf('\nCommands:'));
  const named = [...commands.matchAll(/^ {2}([a-z][\w|-]*)/gm)].flatMap(([, names = '']) => names.split('|'));
  expect(named.sort()).toEqual([...CLAUDE_COMMANDS].sort());
});
