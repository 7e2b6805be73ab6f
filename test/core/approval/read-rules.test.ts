import { describe, expect, test } from 'vitest';
import { readRule, readRules } from '../../../src/core/approval/index.ts';

const read = (values: Record<string, unknown>, mayAllow = true) => readRules(values, { mayAllow, folder: null });
const problem = (values: Record<string, unknown>): string => {
  const found = read(values);
  return 'problem' in found ? found.problem : '';
};

describe('a file of rules', () => {
  test('is read completely, in the order of its effects', () => {
    const rules = read({
      ask: [{ tool: 'WebFetch' }],
      allow: [{ command: ['npm  test', 'git status'], session: 'A', count: 3, note: 'daily' }],
      deny: [{ path: '*.pem', expires: new Date('2026-12-01T00:00:00Z') }],
    });
    expect(rules).toMatchObject([
      {
        effect: 'allow',
        commands: [
          ['npm', 'test'],
          ['git', 'status'],
        ],
        sessions: ['A'],
        count: 3,
        note: 'daily',
      },
      { effect: 'deny', paths: ['*.pem'], expiresAt: Date.parse('2026-12-01T00:00:00Z') },
      { effect: 'ask', tools: ['WebFetch'] },
    ]);
    expect(read({})).toEqual([]);
  });

  test.each([
    ['an unknown table', { allows: [{ tool: 'X' }] }, 'allows'],
    ['an unknown field', { allow: [{ comand: 'ls' }] }, 'comand'],
    ['no list', { deny: { tool: 'X' } }, '[[deny]]'],
    ['no table', { deny: ['X'] }, '[[deny]] number 1'],
    ['an empty rule', { deny: [{ session: 'A' }] }, 'must name a tool, a command or a path'],
    ['an empty list', { deny: [{ command: [] }] }, 'command'],
    ['an empty command', { deny: [{ command: '  ' }] }, 'empty'],
    ['a command and a path', { deny: [{ command: 'x', path: 'y' }] }, 'two rules'],
    ['a command of another tool', { deny: [{ command: 'x', tool: 'Read' }] }, 'Bash'],
    ['`**` inside', { allow: [{ command: 'git ** push' }] }, 'at the end'],
    ['a path that climbs', { deny: [{ path: '../x' }] }, '..'],
    ['many `**`', { deny: [{ path: '**/a/**/b/**' }] }, 'at most'],
    ['a number instead of a text', { deny: [{ tool: 5 }] }, 'tool'],
    ['no time', { deny: [{ tool: 'X', expires: 'soon' }] }, 'expires'],
    ['a count of zero', { allow: [{ tool: 'X', count: 0 }] }, 'count'],
    ['a count on a deny', { deny: [{ tool: 'X', count: 1 }] }, 'count'],
    ['an allow for every tool', { allow: [{ tool: '*' }] }, '*'],
    ['an allow for many tools', { allow: [{ tool: 'Web*' }] }, 'Web*'],
    ['an allow for every server', { allow: [{ tool: 'mcp__*' }] }, 'mcp__*'],
    ['an allow for every command', { allow: [{ tool: 'Bash' }] }, 'commands'],
    ['an allow for every file', { allow: [{ tool: 'Edit' }] }, 'paths'],
    ['an allow for a path without a tool', { allow: [{ path: 'src/**' }] }, 'tools'],
    ["an allow for a path that is not a file's", { allow: [{ path: 'src/**', tool: 'WebFetch' }] }, 'WebFetch'],
    ['an allow for any program', { allow: [{ command: '* x' }] }, 'without wildcards'],
    ['an allow for any program, with a variable', { allow: [{ command: 'CI=1 n*' }] }, 'without wildcards'],
    ['an allow for any script', { allow: [{ command: 'bash **' }] }, 'script'],
    ['an allow for any code', { allow: [{ command: 'python3 -c *' }] }, 'script'],
    ['an allow for any package', { allow: [{ command: 'npx *' }] }, 'script'],
  ])('with %s is refused completely', (_, values, words) => {
    expect(problem({ ...values })).toContain(words);
    expect(problem({ ask: [{ tool: 'Fine' }], ...values })).toContain(words);
  });

  test('of a project must not allow', () => {
    const found = read({ deny: [{ tool: 'X' }], allow: [{ command: 'ls' }] }, false);
    expect(found).toMatchObject({ problem: expect.stringContaining('can only deny and ask') });
    expect(read({ deny: [{ tool: 'X' }], ask: [{ tool: 'Y' }] }, false)).toHaveLength(2);
  });
});

test('a rule keeps its id only as long as its content: new content gets a new count', () => {
  const idOf = (fields: object, effect: 'allow' | 'deny' = 'allow'): string => {
    const rule = readRule({ effect, fields, id: '', folder: null });
    return 'problem' in rule ? rule.problem : rule.id;
  };
  const id = idOf({ command: 'ls', count: 3 });
  expect(id).toMatch(/^[0-9a-f]{16}$/);
  expect(idOf({ count: 3, command: 'ls' })).toBe(id);
  expect(idOf({ command: 'ls', count: 4 })).not.toBe(id);
  expect(idOf({ command: 'ls', count: 3, note: 'again' })).not.toBe(id);
  expect(idOf({ command: 'ls' }, 'deny')).not.toBe(idOf({ command: 'ls' }));
});
