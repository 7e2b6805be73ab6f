import { describe, expect, test } from 'vitest';
import { type SaidToCommand, suggestRules } from '../../../src/core/approval/index.ts';

const says = (said: 'yes' | 'no', ...commands: readonly string[]): SaidToCommand[] =>
  commands.map((command) => ({ session: 'AUTH', folder: '/src/shop', input: { command }, said }));
const times = (count: number, command: string): string[] => Array.from({ length: count }, () => command);
const suggested = (...answers: readonly SaidToCommand[][]): string[] =>
  suggestRules(answers.flat()).map(({ command }) => command);

describe('a rule is suggested for a command that a person allowed again and again', () => {
  test.each<[string, string[], string[]]>([
    ['three times', times(3, 'npm test'), ['npm test']],
    ['twice only', times(2, 'npm test'), []],
    ['within other commands', ['npm test', 'npm test | head -5', 'git status && npm test'], ['npm test']],
    [
      'with different arguments of a program that only reads',
      ['git diff a', 'git diff b', 'git diff c'],
      ['git diff **'],
    ],
    ['with two different arguments', ['git diff a', 'git diff b', 'git diff a', 'git diff a'], ['git diff a']],
    ['with different arguments of another program', ['npm run a', 'npm run b', 'npm run c'], []],
    ['behind a wrapper', ['timeout 60 make test', 'make test', 'nice make test'], ['make test']],
    ['with a variable', times(4, 'CI=1 npm test'), []],
    ['with words that a rule cannot express', times(4, 'jest -t "a b"'), []],
    ['with quotes that belong to a word', times(4, `jest -t '"a"'`), []],
    ['with words that the shell expands', times(4, 'eslint src/*.ts'), []],
    ['in a file of the project', times(4, './deploy.sh'), []],
  ])('%s', (_, commands, rules) => {
    expect(suggested(says('yes', ...commands))).toEqual(rules);
  });

  test('with its evidence: how often, in which sessions, by which commands, and the step beyond them', () => {
    const other = says('yes', 'git log -3 | cat').map((one) => ({ ...one, session: 'B' }));
    expect(suggestRules([...says('yes', ...times(2, 'git log -1'), 'git log -2'), ...other])).toEqual([
      {
        ...{ folder: '/src/shop', command: 'git log **', step: 'arguments', yes: 4, sessions: ['AUTH', 'B'] },
        commands: ['git log -1', 'git log -2', 'git log -3 | cat'],
      },
    ]);
  });

  test('for one project, not from several', () => {
    const elsewhere = says('yes', 'npm test').map((one) => ({ ...one, folder: '/src/other' }));
    expect(suggested(says('yes', ...times(2, 'npm test')), elsewhere)).toEqual([]);
    const no = says('no', 'npm test').map((one) => ({ ...one, folder: '/src/other' }));
    expect(suggested(says('yes', ...times(3, 'npm test')), no)).toEqual(['npm test']);
  });
});

describe('a rule that covers a refused command is not suggested', () => {
  test.each<[string, string[]]>([
    ['npm test', []],
    ['npm test && git status', []],
    ['timeout 5 npm test', []],
    ['x=$(npm test)', []],
    ["sh -c 'npm test; $x'", []],
    ['npm test -- -u', ['npm test']],
    ['git push', ['npm test']],
  ])('%s', (command, rules) => {
    expect(suggested(says('yes', ...times(9, 'npm test')), says('no', command))).toEqual(rules);
  });

  test('a wide rule is dropped, and the exact ones that were allowed stay', () => {
    const yes = says('yes', ...times(3, 'git diff a'), 'git diff b', 'git diff c');
    expect(suggested(yes, says('no', 'git diff --stat'))).toEqual(['git diff a']);
  });
});

describe('some rules are never suggested, however often the command was allowed', () => {
  test.each([
    ...['rm -r build', 'git clean -fd', 'git reset --hard', 'git branch -D x', 'mv a b', 'find . -delete', 'kill 1'],
    ...['bash x.sh', 'node x.js', 'npx jest', 'sudo make', 'xargs ls', 'find . -exec ls', 'env ls', 'eval ls', 'awk 1'],
    ...['curl localhost', 'git push', 'git fetch', 'npm install', 'npm ci', 'pip install x', 'gh pr list', 'ssh host'],
    ...['docker ps', 'cargo run', 'go run .', 'make install', 'make', 'git -c a=b status', 'cd src', 'git commit -m x'],
    ...['rm -r build && npm test', 'GIT_DIR=x git status', '/bin/rm x', 'RM x', 'git config user.name'],
  ])('%s', (command) => {
    const found = suggested(says('yes', ...times(20, command)));
    expect(found.filter((one) => one !== 'npm test' && one !== 'ls')).toEqual([]);
  });

  test('arguments are never generalized for programs that run, write or reach more than their name shows', () => {
    const programs = [
      'npm run',
      'make',
      'cargo test',
      'go test',
      'cp',
      'mkdir',
      'touch',
      'eslint',
      'git stash',
      'jest',
    ];
    const wide = programs.flatMap((program) =>
      suggested(says('yes', ...['a', 'b', 'c', 'd', 'e'].flatMap((word) => times(3, `${program} ${word}`)))),
    );
    expect(wide.filter((one) => one.includes('*'))).toEqual([]);
  });
});
