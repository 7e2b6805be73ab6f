import { describe, expect, test } from 'vitest';
import { type Circumstances, command, HOME, judge, rulesOf } from './judge.ts';

const GIT = rulesOf({ allow: [{ command: 'git status' }] });
const NOW = Date.parse('2026-11-23T12:00:00Z');

describe('which rule wins', () => {
  test('nothing is decided without rules, and a call that no rule covers asks', () => {
    expect(command([], 'git status')).toMatchObject({ decision: 'ask', reason: 'no_rules', rules: [] });
    expect(command(GIT, 'git stash')).toMatchObject({ decision: 'ask', reason: 'no_rule', about: 'git stash' });
  });

  test('a deny before an ask, an ask before an allow, in any order', () => {
    const all = rulesOf({
      allow: [{ command: 'git **' }],
      ask: [{ command: 'git push' }],
      deny: [{ command: 'git push -f' }],
    });
    const says = (text: string) => [command(all, text).decision, command([...all].reverse(), text).decision];
    expect(says('git push -f')).toEqual(['deny', 'deny']);
    expect(says('git push')).toEqual(['ask', 'ask']);
    expect(says('git log')).toEqual(['allow', 'allow']);
  });

  test('several rules together, one for each part', () => {
    const rules = rulesOf({ allow: [{ command: 'npm test' }, { command: 'head **' }] });
    expect(command(rules, 'npm test | head -3').rules.map(({ commands }) => commands[0]?.[0])).toEqual(['npm', 'head']);
  });

  test('questions and plans are for people, whatever the rules contain', () => {
    const rules = rulesOf({ deny: [{ tool: '*' }] });
    for (const tool of ['AskUserQuestion', 'ExitPlanMode']) {
      expect(judge(rules, {}, { tool })).toMatchObject({ decision: 'ask', reason: 'for_people' });
    }
    expect(judge(rules, {}, { tool: 'WebFetch' }).decision).toBe('deny');
  });

  test('incomplete input is never allowed, and may be denied', () => {
    expect(command(GIT, 'git status', { isWhole: false })).toMatchObject({ decision: 'ask', reason: 'not_whole' });
    const denied = rulesOf({ deny: [{ command: 'git status' }] });
    expect(command(denied, 'git status', { isWhole: false }).decision).toBe('deny');
  });

  test('with an unreliable file nothing is allowed, and what others deny stays denied', () => {
    const some: Circumstances = { fault: `${HOME}/rules.toml` };
    expect(command(GIT, 'git status', some)).toMatchObject({
      decision: 'ask',
      reason: 'broken_file',
      about: some.fault,
    });
    expect(command([], 'git status', some)).toMatchObject({ decision: 'ask', reason: 'broken_file' });
    expect(command(rulesOf({ deny: [{ command: 'git' }] }), 'git status', some).decision).toBe('deny');
  });
});

describe('how long a rule is in effect', () => {
  const until = rulesOf({ allow: [{ command: 'git status', expires: '2026-11-23T12:00:00Z' }] });
  test.each([
    ['before its end', NOW - 1, 'allow'],
    ['at its end', NOW, 'ask'],
    ['after its end', NOW + 1, 'ask'],
  ])('%s', (_, now, decision) => expect(command(until, 'git status', { now }).decision).toBe(decision));

  test('as often as its count allows', () => {
    const twice = rulesOf({ allow: [{ command: 'git status', count: 2 }] });
    expect([0, 1, 2, 3].map((used) => command(twice, 'git status', { used }).decision)).toEqual([
      'allow',
      'allow',
      'ask',
      'ask',
    ]);
  });

  test('for the sessions that it names', () => {
    const some = rulesOf({ allow: [{ command: 'git status', session: ['CI-*', 'AUTH'] }] });
    const says = (session: string) => command(some, 'git status', { session }).decision;
    expect(['AUTH', 'CI-1', 'CI', 'AUTH2', 'auth'].map(says)).toEqual(['allow', 'allow', 'ask', 'ask', 'ask']);
    const [one] = GIT;
    if (one === undefined) throw new Error('a rule was read');
    expect(command([{ ...one, onlyFor: 'id-of-AUTH' }], 'git status').decision).toBe('allow');
    expect(command([{ ...one, onlyFor: 'id-of-B' }], 'git status').decision).toBe('ask');
  });

  test('below the folder whose own file contains it', () => {
    const [one] = rulesOf({ deny: [{ command: 'git push' }] });
    if (one === undefined) throw new Error('a rule was read');
    const says = (folder: string | null) =>
      command([{ ...one, folder: '/src/shop' }], 'git push', { folder, cwd: folder }).decision;
    expect(['/src/shop', '/src/shop/api', '/src/shopping', '/src', null].map(says)).toEqual([
      'deny',
      'deny',
      'ask',
      'ask',
      'ask',
    ]);
  });
});

describe('the input of a command', () => {
  test.each([
    [{ command: 'git status', description: 'x', timeout: 5, run_in_background: true }, 'allow'],
    [{ command: 'git status', dangerouslyDisableSandbox: true }, 'ask'],
    [{ command: 'git status', cwd: '/tmp' }, 'ask'],
    [{ command: ['git', 'status'] }, 'ask'],
    [{}, 'ask'],
    [null, 'ask'],
    ['git status', 'ask'],
  ])('%j: %s', (input, decision) => expect(judge(GIT, input).decision).toBe(decision));

  test.each([
    ['/src/shop/sub', 'allow'],
    ['/tmp', 'ask'],
    ['/src/shopping', 'ask'],
    ['/', 'ask'],
    [null, 'ask'],
  ])('in the directory %s: %s', (cwd, decision) => expect(command(GIT, 'git status', { cwd }).decision).toBe(decision));

  test('in a session whose folder is unknown: ask', () => {
    expect(command(GIT, 'git status', { folder: null }).decision).toBe('ask');
  });
});

describe('a path', () => {
  const rules = rulesOf({
    allow: [
      { tool: ['Read', 'Grep', 'Glob'], path: ['src/**', 'docs/*.md', 'notes', '~/shared/**'] },
      { tool: ['Edit', 'Write'], path: 'src/**' },
    ],
    deny: [{ path: ['*.pem', 'src/secret/**', '.env*'] }],
  });
  const links = {
    '/src/shop/src/out': '/etc',
    '/src/shop/src/git': '/src/shop/.git',
    '/src/shop/src/dangling': null,
    '/src/shop/fine': '/src/shop/src/secret',
  };
  const says = (tool: string, path: string): string =>
    judge(rules, { file_path: path, path }, { tool, links }).decision;

  test.each([
    ['Read', 'src/a.ts', 'allow'],
    ['Read', '/src/shop/src/a/b.ts', 'allow'],
    ['Edit', '/src/shop/src/a.ts', 'allow'],
    ['Read', 'docs/a.md', 'allow'],
    ['Read', 'docs/a/b.md', 'ask'],
    ['Read', 'docs/x.md/y', 'ask'],
    ['Read', 'notes/a', 'allow'],
    ['Read', '/other/notes/a', 'ask'],
    ['Read', '/home/me/shared/x', 'allow'],
    ['Edit', 'docs/a.md', 'ask'],
    ['Read', 'srcs/a.ts', 'ask'],
    ['Read', '/etc/passwd', 'ask'],
    ['Read', 'src/../../x', 'ask'],
    ['Read', '~/shared/x', 'ask'],
    ['Read', 'src/out/passwd', 'ask'],
    ['Read', 'src/git/config', 'ask'],
    ['Write', 'src/dangling', 'ask'],
    ['Read', 'src/.git/config', 'ask'],
    ['Read', 'src/.claude/settings.json', 'ask'],
    ['Write', 'src/.claude/settings.local.json', 'ask'],
    ['Write', 'src/.cbos/rules.toml', 'ask'],
    ['Write', 'src/.mcp.json', 'ask'],
    ['Read', 'src/key.pem', 'deny'],
    ['Read', '/anywhere/KEY.PEM', 'deny'],
    ['Read', 'src/secret/x', 'deny'],
    ['Write', 'src/secret', 'deny'],
    ['Read', 'fine/x', 'deny'],
    ['Read', '.env.local', 'deny'],
    ['Grep', 'src', 'ask'],
    ['Grep', 'src/lib', 'allow'],
    ['Glob', 'src/lib', 'allow'],
    ['NotebookEdit', 'src/a.ipynb', 'ask'],
  ])('%s of %s: %s', (tool, path, decision) => expect(says(tool, path)).toBe(decision));

  test('a search that leads elsewhere asks', () => {
    const search = (input: object, tool = 'Glob'): string => judge(rules, input, { tool }).decision;
    expect(search({ path: 'src/lib', pattern: '**/*.ts' })).toBe('allow');
    expect(search({ path: 'src/lib', pattern: '../**' })).toBe('ask');
    expect(search({ path: 'src/lib', pattern: '/etc/*' })).toBe('ask');
    expect(search({ pattern: '*.ts' })).toBe('ask');
    expect(search({ path: 'src/lib', pattern: 'x', glob: '../*' }, 'Grep')).toBe('ask');
    expect(search({ path: 5 })).toBe('ask');
  });

  test('nothing below the home of CBOS, even if a rule names it', () => {
    const own = rulesOf({ allow: [{ tool: 'Read', path: '/home/me/**' }] });
    expect(judge(own, { file_path: '/home/me/x' }, { tool: 'Read' }).decision).toBe('allow');
    expect(judge(own, { file_path: `${HOME}/token` }, { tool: 'Read' })).toMatchObject({ reason: 'protected' });
  });

  test('a redirection needs a rule for its file, and a file that is denied is denied in a command too', () => {
    const more = [...rules, ...rulesOf({ allow: [{ command: ['echo **', 'cat **', 'tar **'] }] })];
    const run = (text: string): string => command(more, text, { links }).decision;
    expect(run('echo x > src/out.txt')).toBe('allow');
    expect(run('echo x >> /src/shop/src/out.txt 2>&1')).toBe('allow');
    expect(run('cat < src/in.txt')).toBe('allow');
    expect(run('echo x > out.txt')).toBe('ask');
    expect(run('echo x > src/../x')).toBe('ask');
    expect(run('echo x > src/git/hooks/x')).toBe('ask');
    expect(run('cat src/key.pem')).toBe('deny');
    expect(run('cat --file=src/secret/x')).toBe('deny');
    expect(run('cat fine/x')).toBe('deny');
    expect(run('echo x > src/secret/x')).toBe('deny');
    expect(run('cd ./src && cat key.pem')).toBe('deny');
    expect(run('cd ./src && cat secret/x')).toBe('deny');
    // The folder contains denied files.
    expect(run('tar c src')).toBe('ask');
  });
});
