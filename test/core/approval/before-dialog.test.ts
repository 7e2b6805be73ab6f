import { describe, expect, test } from 'vitest';
import { toolsToShow } from '../../../src/core/approval/index.ts';
import { COVERED, LINKS } from './covered.ts';
import { ASKED, DENIED_COMMAND, EVASIONS, REFUSED } from './evasions.ts';
import { allow, deny, FOLDER, HOME, rulesOf, sayBefore } from './judge.ts';

const links = { ...LINKS, [`${FOLDER}/tool`]: '/opt/bin/depot' };
const DENYING = deny(DENIED_COMMAND);
const said = (text: string, rules = DENYING): string =>
  sayBefore(rules, { command: text }, { links })?.decision ?? 'nothing';

test('there are 200 of them', () => {
  expect(new Set(EVASIONS).size).toBeGreaterThanOrEqual(200);
});

/** Commands with variables, patterns, and loops, none of which can become the denied command. */
const ORDINARY: readonly string[] = [
  'ls *.ts',
  'ls -la ~/src | head -5',
  'echo $HOME "$USER" ${PATH}',
  'for f in *.ts; do wc -l "$f"; done',
  'if [ -f x ]; then cat x; fi',
  '[[ -f x ]] && cat x',
  'x=5; echo $x > out.txt',
  'export CI=1; npm test',
  'set -e; npm run build 2>&1 | tail -5',
  "cat > a.txt <<'E'\nsome text\nE",
  'git commit -m "$message"',
  'git commit -m "größer"',
  'git push origin $branch',
  'depot pull $x',
  'depot "pull" N && echo done',
  'depot --version',
  "sed -i 's/one/two/g' *.txt",
  "sed -n '1,20p' $file",
  "awk '{ print $1 }' x.txt",
  'python3 scripts/x.py $x',
  'python3 -m pytest',
  'node dist/x.js --flag',
  'node --version',
  'npx tsc -b',
  "find . -name '*.ts' -exec grep -l x {} +",
  "find . -name '*.ts' -exec wc -l {} \\;",
  'docker ps -a',
  'sudo apt install tree',
  'command -v depot',
  'env',
  'printf "%s\\n" "$x"',
  'echo depot; echo pushing',
];

describe('the effect of a deny before the dialog', () => {
  test.each(REFUSED.map((text) => [text]))('%j is refused', (text) => {
    expect(said(text)).toBe('deny');
  });
  test.each(ASKED.map((text) => [text]))('%j asks', (text) => {
    expect(said(text)).toBe('ask');
  });
  test.each([...ORDINARY, ...COVERED].map((text) => [text]))('%j is left to Claude Code', (text) => {
    expect(said(text)).toBe('nothing');
  });

  test('an allow has no effect here, and a person is not asked about what it allows', () => {
    expect(said('npm test', [...allow('npm test'), ...DENYING])).toBe('nothing');
    expect(said(`npm test; ${DENIED_COMMAND}`, [...allow('npm test', 'depot **'), ...DENYING])).toBe('deny');
  });

  test('a denied tool is refused; questions and plans are for people', () => {
    const rules = rulesOf({ deny: [{ tool: 'mcp__billing__*' }, { tool: '*Mode' }] });
    const of = (tool: string) => sayBefore(rules, {}, { tool })?.decision;
    expect([of('mcp__billing__pay'), of('mcp__other__pay'), of('ExitPlanMode')]).toEqual([
      'deny',
      undefined,
      undefined,
    ]);
  });

  test('for a denied path, every tool and every word counts; a command that is not exactly known asks', () => {
    const rules = rulesOf({ deny: [{ path: '*.pem' }] });
    const of = (tool: string, input: object) => sayBefore(rules, input, { tool })?.decision ?? 'nothing';
    expect(of('Read', { file_path: 'a/b.pem' })).toBe('deny');
    expect(of('Read', { file_path: 'a/b.txt' })).toBe('nothing');
    expect(of('Bash', { command: 'cat a/b.pem' })).toBe('deny');
    expect(of('Bash', { command: 'cat a/b.txt' })).toBe('nothing');
    expect(of('Bash', { command: 'cat a/b.p*m' })).toBe('ask');
  });

  test('an [[ask]] asks even if Claude Code would not, and so does a file that cannot be read', () => {
    expect(said('npm publish', rulesOf({ ask: [{ command: 'npm publish' }] }))).toBe('ask');
    expect(sayBefore([], { command: 'ls' }, { fault: `${HOME}/rules.toml` })).toMatchObject({ reason: 'broken_file' });
    expect(sayBefore([], { command: 'ls' })).toBeNull();
    expect(sayBefore(allow('ls'), { command: 'rm x' })).toBeNull();
  });

  test('a rule for another session, or one that has expired, has no effect', () => {
    const other = rulesOf({ deny: [{ command: DENIED_COMMAND, session: 'OTHER' }] });
    const over = rulesOf({ deny: [{ command: DENIED_COMMAND, expires: '2020-01-01T00:00:00Z' }] });
    expect([said('depot push 1', other), said('depot push 1', over)]).toEqual(['nothing', 'nothing']);
  });
});

test.each([
  [{ allow: [{ command: 'ls' }] }, []],
  [{ deny: [{ command: 'git push' }] }, ['Bash']],
  [{ ask: [{ tool: 'mcp__x__*' }] }, ['mcp__x__*']],
  [
    { deny: [{ tool: 'Read', path: '*.pem' }] },
    ['Bash', 'Edit', 'Glob', 'Grep', 'LS', 'MultiEdit', 'NotebookEdit', 'NotebookRead', 'Read', 'Write'],
  ],
  [{ deny: [{ tool: 'Edit', path: '*.pem' }] }, ['Bash', 'Edit', 'MultiEdit', 'NotebookEdit', 'Write']],
  [{ deny: [{ tool: 'WebFetch' }, { tool: ['Bash', 'WebFetch'] }] }, ['Bash', 'WebFetch']],
])('for %j, calls of %j are shown', (values, tools) => {
  expect(toolsToShow(rulesOf(values), false)).toEqual(tools);
  expect(toolsToShow(rulesOf(values), true)).toEqual(['*']);
});
