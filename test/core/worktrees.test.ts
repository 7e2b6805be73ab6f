import { describe, expect, test } from 'vitest';
import { choosePort, readProjectSetUp, readRepositories } from '../../src/core/worktrees/index.ts';

const fault = (work: () => unknown): string => {
  try {
    return JSON.stringify(work());
  } catch (error) {
    return (error as Error).message;
  }
};

describe('the port of a worktree', () => {
  test('is the first in the range that nothing else has', () => {
    const range = { first: 28_000, last: 28_002 };
    expect(choosePort(range, () => false)).toBe(28_000);
    expect(choosePort(range, (port) => port < 28_002)).toBe(28_002);
    expect(fault(() => choosePort(range, () => true))).toBe('All ports from 28000 to 28002 are in use');
  });
});

describe('[[repositories]] in config.toml', () => {
  const read = (...tables: unknown[]) => readRepositories(tables, 'config.toml');

  test('name the set-up of a repository, or that there is none', () => {
    expect(read({ path: '~/src/shop', set_up: 'npm ci' }, { path: '/a', set_up: '', after_failure: 'start' })).toEqual([
      { path: '~/src/shop', command: 'npm ci', afterFailure: null },
      { path: '/a', command: '', afterFailure: 'start' },
    ]);
    expect(readRepositories(undefined, 'config.toml')).toEqual([]);
  });

  test.each([
    [{ set_up: 'npm ci' }, 'repositories[0]: needs a path'],
    [{ path: 'shop' }, 'repositories[0]: needs a path'],
    [{ path: '/a', setup: 'npm ci' }, 'unknown key: setup'],
    [{ path: '/a', set_up: 7 }, 'set_up must be a command'],
    [{ path: '/a', set_up: 'a\0b' }, 'set_up must be a command'],
    [{ path: '/a', after_failure: 'retry' }, 'after_failure must be "stop" or "start"'],
  ])('%j is refused', (table, message) => {
    expect(fault(() => read(table))).toContain(message);
  });

  test('must be tables', () => {
    expect(fault(() => readRepositories({ path: '/a' }, 'config.toml'))).toContain('write [[repositories]]');
  });
});

test("a repository's own file names a set-up, and cannot name a path or an empty command", () => {
  expect(readProjectSetUp({ set_up: 'make', after_failure: 'start' })).toEqual({
    command: 'make',
    afterFailure: 'start',
  });
  expect(readProjectSetUp({ set_up: '' })).toEqual({ problem: 'set_up is empty' });
  expect(readProjectSetUp({ path: '/a' })).toEqual({
    problem: 'unknown key: path; known are set_up, after_failure',
  });
});
