import { describe, expect, test } from 'vitest';
import { neverMatches } from '../../../src/core/approval/index.ts';
import { allow, command, deny, rulesOf, sayBefore } from './judge.ts';

describe('a long command is judged in a fraction of a second', () => {
  const many = rulesOf({ deny: Array.from({ length: 300 }, (_, index) => ({ command: `a -x${index} b` })) });
  test.each([
    ['rm ', 3000, deny('rm -rf', 'rm --force')],
    ['git push ', 1000, deny('git push --force', 'git reset --hard')],
    ['a ', 4900, many],
    ['rm -r; ', 1400, deny('* -rf')],
  ])('%j, %i times', (text, times, rules) => {
    const start = process.cpuUsage();
    expect(['ask', 'deny']).toContain(command(rules, text.repeat(times)).decision);
    const { user, system } = process.cpuUsage(start);
    // Reading the rest of the text at each occurrence took 5 to 60 s.
    expect((user + system) / 1e6).toBeLessThan(2.5);
  });
});

describe('a rule that can match is accepted', () => {
  test.each([
    // As a subcommand or an operand, the star matches some words and not others.
    ['git **', 'git log -3'],
    ['npm **', 'npm test'],
    ['cargo **', 'cargo build'],
    ['date **', 'date -u'],
    ['git stash *', 'git stash list'],
    // Words that need quotes in a shell.
    ['curl http://x/?a=b', "curl 'http://x/?a=b'"],
    ['curl http://x/?a=b&c=d', "curl 'http://x/?a=b&c=d'"],
    ['jq .a[0] x', "jq '.a[0]' x"],
    ['git log --format=%(trailers)', "git log '--format=%(trailers)'"],
    ['git show HEAD~1', "git show 'HEAD~1'"],
    ['git show HEAD^', "git show 'HEAD^'"],
    ['git show HEAD@{1}', "git show 'HEAD@{1}'"],
    ['find . ! -name x', "find . '!' -name x"],
    ['find . ( -name x )', "find . '(' -name x ')'"],
  ])('allow %s', (pattern, text) => {
    expect(allow(pattern).map(neverMatches)).toEqual([null]);
    expect(command(allow(pattern), text).decision).toBe('allow');
  });

  test('deny curl http://x/?a=b&c=d', () => {
    const rules = deny('curl http://x/?a=b&c=d');
    expect(rules.map(neverMatches)).toEqual([null]);
    expect(command(rules, "curl -s 'http://x/?a=b&c=d'").decision).toBe('deny');
  });
});

describe('a rule that cannot match is marked', () => {
  test.each([
    ['git add .;git push', 'more than one command'],
    ['git add .&&git push', 'more than one command'],
    ['git log HEAD~1 && git show HEAD^', 'more than one command'],
    ['find . ! -name x > out', 'redirection'],
    ['curl http://x/?a=b &', 'no rule can allow'],
    ['FOO=* npm test', 'FOO=*: a wildcard matches no part of a variable'],
  ])('allow %s', (pattern, why) => {
    expect(allow(pattern).map(neverMatches)[0]?.why).toContain(why);
  });
});

const early = (rules: string[], text: string): string =>
  sayBefore(deny(...rules), { command: text })?.decision ?? 'nothing';

describe('before the dialog', () => {
  test.each([
    [['git push', 'curl'], 'git commit -m "$text"'],
    [['git push', 'curl'], 'git show $x'],
    [['npm publish', 'git push'], 'git commit -m "$text"'],
    [['git push --force'], 'git commit -m "$text"'],
    [['rm -rf'], 'rm build/*.o ~/x.txt'],
  ])('a deny of %j has nothing to do with %s', (rules, text) => {
    expect(early(rules, text)).toBe('nothing');
  });

  test.each([
    [['git push', 'curl'], 'git $x'],
    [['rm -rf'], 'x=-rf; rm dir $x'],
    [['rm -rf'], 'rm dir -{r,f}'],
    [['rm -rf'], 'rm dir -r?'],
    [['rm -rf'], 'rm dir *'],
    [['npm install -g'], 'npm i $x'],
  ])('a deny of %j asks about %s', (rules, text) => {
    expect(early(rules, text)).toBe('ask');
  });
});

test.each([
  ['docker rm', 'docker run --rm alpine'],
  ['git push --force', 'git push --force-with-lease'],
  ['npm publish', 'npm run publish-docs'],
])('a deny of %s has nothing to do with %s', (rule, text) => {
  expect(command(deny(rule), text).reason).toBe('no_rule');
});

test.each([
  ['git push', "sh -c '(git push)'"],
  ['git push', 'sh -c "/usr/bin/git push"'],
  ['tool pre-*', 'sh -c "tool pre-x"'],
  ['tool *-post', 'sh -c "tool x-post"'],
])('a deny of %s may mean %s', (rule, text) => {
  expect(command(deny(rule), text).reason).toBe('may_be_denied');
});

describe('a deny asks where the table cannot tell', () => {
  test.each([
    // which word is the subcommand
    ['npm publish', 'npm -- pub .'],
    ['npm publish', 'npm --json true pub'],
    ['npm publish', 'npm --registry http://x pub'],
    ['git push -f', 'git --new-option x push --force'],
    ['git push -f', 'git -c alias.p=push p --force'],
    ['git push -f', 'git -c ALIAS.p=push p --force'],
    // whether a letter is short for a long option
    ['npm link --global', 'npm ln -g'],
    ['docker rm -f', 'docker rm x --force'],
    ['docker rm --force', 'docker rm -vf x'],
    ['tool --all', 'tool -A'],
  ])('deny %s: %s', (rule, text) => {
    expect(command(deny(rule), text)).toMatchObject({ decision: 'ask', reason: 'may_be_denied' });
  });

  test.each([
    ['npm publish', 'npm --json run build'],
    ['npm publish', 'npm --registry http://x view left-pad'],
    ['git push -f', 'git -c core.pager=cat log --grep push'],
    ['docker rm -f', 'docker rm --volumes x'],
    ['npm install --global', 'npm i -D x'],
  ])('deny %s: not %s', (rule, text) => {
    expect(command(deny(rule), text).reason).toBe('no_rule');
  });
});
