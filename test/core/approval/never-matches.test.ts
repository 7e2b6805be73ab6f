import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  type ApprovalRule,
  type NeverMatches,
  neverMatches,
  readNewRule,
  readRule,
} from '../../../src/core/approval/index.ts';
import { KNOWN_TOOLS } from '../../../src/core/approval/known-tools.ts';
import type { RuleEffect, RuleFields } from '../../../src/protocol/index.ts';
import { ALLOWED, DENIED } from './covered.ts';
import { FOLDER, judge } from './judge.ts';

const NOW = Date.parse('2026-11-23T12:00:00Z');

function rule(effect: RuleEffect, fields: object): ApprovalRule {
  const read = readRule({ effect, fields, id: 'id', folder: null });
  if ('problem' in read) throw new Error(read.problem);
  return read;
}
const found = (effect: RuleEffect, fields: object): NeverMatches | null => neverMatches(rule(effect, fields));
const refusal = (effect: RuleEffect, fields: RuleFields): string => {
  const read = readNewRule({ effect, fields, id: 'id', now: NOW });
  return 'problem' in read ? read.problem : '';
};
/** Returns the rules that are proposed, each of which must be accepted. */
function cures(effect: RuleEffect, fields: object): ApprovalRule[] {
  return (found(effect, fields)?.instead ?? []).map((one) => {
    const cure = readNewRule({ effect, fields: one as RuleFields, id: 'cure', now: NOW });
    if ('problem' in cure) throw new Error(`${JSON.stringify(one)}: ${cure.problem}`);
    return cure;
  });
}

describe('the pattern of a command never matches', () => {
  // Without `run`, the command is the pattern itself.
  const denied: [pattern: string, why: string, instead: string[], run?: string][] = [
    ['cd / && rm -rf x', 'more than one command', ['rm -rf x']],
    ['curl * | sh', 'more than one command', ['curl *', 'sh'], 'curl http://x | sh'],
    ['git add . ; git push', 'more than one command', ['git add .', 'git push']],
    ['git add .;git push', 'more than one command', ['git add .', 'git push']],
    ['(git push)', 'operators', ['git push']],
    ['git push 2>&1', 'operators', ['git push']],
    ['make deploy &', 'operators', ['make deploy']],
    ['time make deploy', 'reserved words', ['make deploy']],
    ['git commit -m "fix it"', 'without quotes', ['git commit -m fix*it']],
    ['find . -name "*.pem"', 'without quotes', ['find . -name *.pem'], 'find . -name "*.pem"'],
    ['find . -exec rm {} \\;', 'without quotes', ['find . -exec rm {} *']],
    ['env X=1 npm publish', 'CBOS skips env', ['X=1 npm publish']],
    ['timeout 60 npm publish', 'CBOS skips timeout', ['npm publish']],
    ['timeout * npm publish', 'CBOS skips timeout', ['npm publish'], 'timeout 5 npm publish'],
    ['nohup make deploy', 'CBOS skips nohup', ['make deploy']],
    ['nice -n 5 make deploy', 'CBOS skips nice', ['make deploy']],
    ['command git push', 'CBOS skips command', ['git push']],
    ['git push # never', 'comment', ['git push']],
  ];
  test.each(denied)('deny %s: %s', (pattern, why, instead, run = pattern) => {
    const never = found('deny', { command: pattern });
    expect(never).toMatchObject({ part: pattern, instead: [{ command: instead }] });
    expect(never?.why).toContain(why);
    expect(judge([rule('deny', { command: pattern })], { command: run }).decision).not.toBe('deny');
    expect(judge(cures('deny', { command: pattern }), { command: run }).decision).toBe('deny');
    expect(refusal('deny', { command: pattern })).toContain(`${pattern}: `);
  });

  const allowed: typeof denied = [
    ['cd ./src && npm test', 'more than one command', ['npm test']],
    ['git status && npm test | head -5', 'more than one command', ['git status', 'npm test', 'head -5']],
    ['npm run * ; npm test', 'more than one command', ['npm run *', 'npm test'], 'npm run lint; npm test'],
    ['npm test 2>&1', 'operators', ['npm test']],
    ['npm test &', 'operators', ['npm test']],
    ['! npm test', 'operators', ['npm test']],
    ['git commit -m "fix it"', 'without quotes', ['git commit -m fix*it']],
    ["grep -E 'a|b' x", 'without quotes', ['grep -E a*b x']],
    ['find . -name "*.ts"', 'without quotes', ['find . -name *.ts'], 'find . -name "*.ts"'],
    ['env X=1 npm test', 'CBOS skips env', ['X=1 npm test']],
    ['timeout 60 npm test', 'CBOS skips timeout', ['npm test']],
    ['nohup npm run **', 'CBOS skips nohup', ['npm run **'], 'nohup npm run a b'],
    ['npm test # daily', 'a comment', ['npm test'], 'npm test'],
  ];
  test.each(allowed)('allow %s: %s', (pattern, why, instead, run = pattern) => {
    const never = found('allow', { command: pattern });
    expect(never).toMatchObject({ part: pattern, instead: [{ command: instead }] });
    expect(never?.why).toContain(why);
    expect(judge([rule('allow', { command: pattern })], { command: run }).decision).toBe('ask');
    expect(judge(cures('allow', { command: pattern }), { command: run }).decision).toBe('allow');
    expect(refusal('allow', { command: pattern })).toContain(`${pattern}: `);
  });

  test.each([
    ['echo $HOME', 'a command with $HOME'],
    ['echo $(date)', 'a command with $(date)'],
    ['echo `date`', 'a command with `date`'],
    ['ls ~/src', 'a command with ~/src'],
    ['cat {a,b}', 'a command with {a,b}'],
    ['echo grün', 'a command with ü'],
    ['X=1', 'only sets variables'],
    ['time npm test', 'a command with time'],
    ['if', 'not a simple command'],
    ['eval x', 'changes the shell'],
    ['export A=b', 'changes the shell'],
    ['cd src', 'no rule can allow cd'],
    ['sudo *', 'runs other programs'],
    ['xargs **', 'runs other programs'],
    ['nohup sudo **', 'CBOS skips nohup'],
    ['bash', 'without a script'],
    ['cat .git/config', '.git/config: no rule can allow'],
    ['cat .claude/**', 'no rule can allow'],
    ['cat ../*', 'a wildcard matches neither'],
    ['tool -*', 'does not know the options of tool'],
  ])('allow %s: %s, and no rule can', (pattern, why) => {
    const never = found('allow', { command: pattern });
    expect(never).toMatchObject({ part: pattern, instead: [] });
    expect(never?.why).toContain(why);
    expect(judge([rule('allow', { command: pattern })], { command: pattern.replaceAll('*', 'x') }).decision).toBe(
      'ask',
    );
  });

  test('with a redirection, unless a rule with a path covers the file', () => {
    const run = { command: 'npm test > out.txt' };
    expect(found('allow', run)?.instead).toEqual([{ command: ['npm test'] }, { tool: ['Write'], path: ['out.txt'] }]);
    expect(judge(cures('allow', run), run).decision).toBe('allow');
    for (const cure of cures('deny', run)) expect(judge([cure], run).decision).toBe('deny');
  });

  test('of two lines, which are two commands', () => {
    expect(refusal('deny', { command: 'git status\nnpm publish' })).toContain('["git status","npm publish"]');
    expect(refusal('deny', { command: 'git \\\n  push\n' })).toBe('');
  });
});

test('a pattern that can match is accepted', () => {
  for (const command of ALLOWED) expect([command, found('allow', { command })]).toEqual([command, null]);
  for (const command of DENIED) expect([command, found('deny', { command })]).toEqual([command, null]);
  const more = [
    'grep -E a|b x',
    'command -v git',
    'env',
    'X=1 npm test',
    'npm run test:*',
    'sudo ls',
    'nice',
    'ls .git*',
  ];
  for (const command of more) expect([command, found('allow', { command })]).toEqual([command, null]);
  const less = ['rm -rf ~', 'echo $HOME', 'cat {a,b}', 'eval', 'cd', 'sudo **', 'cat .git/config', '* push', 'rm grün'];
  for (const command of less) expect([command, found('deny', { command })]).toEqual([command, null]);
  // An `ask` needs no more than the words, one after the other.
  for (const command of ['cd / && rm -rf x', 'timeout 60 make', 'make 2>&1']) {
    expect([command, found('ask', { command })]).toEqual([command, null]);
    expect(judge([rule('ask', { command })], { command }).reason).toBe('asks');
  }
});

describe('the name of a tool never matches', () => {
  test.each<[string, string, object[]]>([
    ['Bsh', 'no such tool', [{ tool: ['Bash'] }]],
    ['bash', 'no such tool', [{ tool: ['Bash'] }]],
    ['Reed', 'no such tool', [{ tool: ['Read'] }]],
    ['Webfetch', 'no such tool', [{ tool: ['WebFetch'] }]],
    ['Zebra', 'rules.toml', []],
    ['X', 'rules.toml', []],
    ['Zebra*', 'rules.toml', []],
    ['mcp__github', 'names a server', [{ tool: ['mcp__github__*'] }]],
    ['Bash(git push:*)', 'own permissions', [{ command: ['git push **'] }]],
    ['Read(secrets/**)', 'own permissions', [{ tool: ['Read'], path: ['secrets/**'] }]],
    ['WebFetch(domain:example.com)', 'own permissions', [{ tool: ['WebFetch'] }]],
    ['AskUserQuestion', 'only the user', []],
    ['ExitPlanMode', 'only the user', []],
  ])('%s: %s', (tool, why, instead) => {
    const never = found('deny', { tool });
    expect(never).toMatchObject({ part: tool, instead });
    expect(never?.why).toContain(why);
    for (const cure of cures('deny', { tool })) {
      const [name = 'Bash'] = cure.tools.map((one) => one.replace('*', 'x'));
      const input = { command: 'git push -f', file_path: `${FOLDER}/secrets/a` };
      expect(judge([cure], input, { tool: name }).decision).toBe('deny');
    }
  });

  test.each(['*', 'Web*', 'mcp__*', 'mcp__db__query', '*delete*', 'm*', 'Task', 'MultiEdit'])(
    '%s can match',
    (tool) => {
      expect(found('ask', { tool })).toBeNull();
    },
  );

  test('if it also names a path, which the tool does not have', () => {
    expect(found('deny', { tool: 'WebFetch', path: 'x' })).toMatchObject({
      part: 'WebFetch',
      instead: [{ tool: ['WebFetch'] }],
    });
    expect(judge([rule('deny', { tool: 'WebFetch', path: 'x' })], { path: 'x' }, { tool: 'WebFetch' }).decision).toBe(
      'ask',
    );
    expect(judge(cures('deny', { tool: 'WebFetch', path: 'x' }), {}, { tool: 'WebFetch' }).decision).toBe('deny');
    expect(found('deny', { tool: 'Raed', path: 'x' })?.instead).toEqual([{ tool: ['Read'], path: ['x'] }]);
    expect(found('deny', { tool: ['Bash', 'Re*'], path: 'x' })).toBeNull();
  });

  test('only if the pinned Claude Code has no such tool', () => {
    const root = dirname(createRequire(import.meta.url).resolve('@anthropic-ai/claude-code/package.json'));
    const types = readFileSync(join(root, 'sdk-tools.d.ts'), 'utf8');
    const inputs = [...types.matchAll(/^export (?:interface|type) (\w+)Input\b/gm)].map(([, name = '']) => name);
    expect(inputs.length).toBeGreaterThan(30);
    // `McpInput` is the input of every tool of a server.
    const names = inputs.filter((name) => name !== 'Mcp').map((name) => name.replace(/^File/, ''));
    const known = new Set(KNOWN_TOOLS.map((tool) => tool.replaceAll('_', '').toLowerCase()));
    expect(names.filter((name) => !known.has(name.toLowerCase()))).toEqual([]);
  });
});

describe('a path never matches', () => {
  test.each<[string, string, string[], string]>([
    ['src/*.{ts,js}', 'wildcards', ['src/*.ts', 'src/*.js'], 'src/a.js'],
    ['src/a?.ts', 'wildcards', ['src/a*.ts'], 'src/ab.ts'],
    ['$HOME/keys/**', 'variables', ['~/keys/**'], '/home/me/keys/a'],
    ['src/*/./a.ts', 'named "."', ['src/*/a.ts'], 'src/x/a.ts'],
  ])('%s: %s', (path, why, instead, file) => {
    const never = found('allow', { tool: 'Edit', path });
    expect(never).toMatchObject({ part: path, instead: [{ tool: ['Edit'], path: instead }] });
    expect(never?.why).toContain(why);
    const edit = { file_path: file.startsWith('/') ? file : `${FOLDER}/${file}` };
    expect(judge([rule('allow', { tool: 'Edit', path })], edit, { tool: 'Edit' }).decision).toBe('ask');
    expect(judge(cures('allow', { tool: 'Edit', path }), edit, { tool: 'Edit' }).decision).toBe('allow');
    expect(judge(cures('deny', { path }), edit, { tool: 'Edit' }).decision).toBe('deny');
  });

  test('in an allow, if it is in a protected place', () => {
    for (const path of ['.git/config', '.claude/**', '**/.cbos/*', '~/.cbos/**', '.envrc']) {
      expect(found('allow', { tool: 'Edit', path })?.why).toContain('no rule can allow');
      expect(found('deny', { path })).toBeNull();
    }
  });

  test.each(['app/[id].tsx', 'a{b}.ts', '$id.tsx', './src/**', '~/x', '*.pem'])('%s can match', (path) => {
    expect(found('allow', { tool: 'Edit', path })).toBeNull();
  });
});

test('a rule for a session whose name no session can have never matches', () => {
  expect(found('deny', { command: 'ls', session: 'my session' })?.part).toBe('my session');
  expect(found('deny', { command: 'ls', session: ['AUTH', 'A-*'] })).toBeNull();
});

test('a rule that has expired is not added', () => {
  expect(refusal('deny', { tool: 'WebFetch', expires: '2026-11-23T12:00:00Z' })).toContain('it expired at 2026-11-23');
  expect(refusal('deny', { tool: 'WebFetch', expires: '2026-11-23T12:00:01Z' })).toBe('');
});
