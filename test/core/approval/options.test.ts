import { describe, expect, test } from 'vitest';
import { withoutTable } from '../../../src/core/approval/index.ts';
import { tabled, tableFor } from '../../../src/core/approval/options/index.ts';
import { allow, command, deny, rulesOf, sayBefore } from './judge.ts';

const decisionOf = (rule: string, text: string): string => command(allow(rule), text).decision;

describe('a star matches an option only if the table of the program knows it as harmless', () => {
  test.each([
    ['sort **', 'sort -rn -k2 x'],
    ['sort **', 'sort -t : -k 2,3 --uniq x'],
    ['sort -o *', 'sort -o x'],
    ['tar **', 'tar tzvf x.tgz'],
    ['tar **', 'tar --list -f x.tar'],
    ['grep **', "grep -rn -A3 --include='*.ts' foo src"],
    ['grep **', 'grep -e -foo x'],
    ['find **', "find . -name '*.ts' -not -path './x/*' -size -5k -print0"],
    ['git log **', 'git log --oneline -20 --since=yesterday -S foo'],
    ['git diff **', 'git diff -U5 --no-ext-diff -- src'],
    ['git grep -n* **', 'git grep -nw foo'],
    ['git **', 'git --no-pager log -3'],
    ['head **', 'head -n -5 x'],
    ['head **', 'head -20 x'],
    ['make **', 'make -j8 build'],
    ['cargo test **', 'cargo test -p a -- --nocapture'],
    ['echo **', 'echo -e --anything'],
    ['node scripts/check.mjs **', 'node scripts/check.mjs --fix'],
    ['tool --out=*', 'tool --out=x'],
    ['tool **', 'tool x'],
    ['/usr/bin/sort **', '/usr/bin/sort -r x'],
    ['find **', 'find . -perm -u+x'],
    ['git push **', 'git push origin main'],
    ['yarn run *', 'yarn run build'],
    ['cargo **', 'cargo b --release'],
  ])('%s allows %s', (rule, text) => {
    expect(decisionOf(rule, text)).toBe('allow');
  });

  test.each([
    // what the option does
    ['sort **', 'sort -o x y', '-o'],
    ['sort **', 'sort --compress-program=./x y', '--compress-program=./x'],
    ['wc **', 'wc --files0-from=x', '--files0-from=x'],
    ['tar **', 'tar -cf x.tar y', '-cf'],
    // abbreviations
    ['sort **', 'sort --outp=x', '--outp=x'],
    ['tar **', 'tar --to-com=./x -tf y', '--to-com=./x'],
    ['git grep **', 'git grep --open=./x foo', '--open=./x'],
    // clusters and attached values
    ['sort **', 'sort -uox y', '-uox'],
    ['git grep **', 'git grep -nO./x foo', '-nO./x'],
    ['git grep -n* **', 'git grep -nO./x foo', '-nO./x'],
    ['make **', 'make -nC x', '-nC'],
    ['jq **', 'jq -rf x', '-rf'],
    ['curl **', 'curl -so x http', '-so'],
    // a program that the pattern leaves open
    ['tar -tf x --to-command=*', 'tar -tf x --to-command=./x', '--to-command=./x'],
    ['find . -exec *', 'find . -exec ./x', './x'],
    ['git -c* status', 'git -ca=b status', '-ca=b'],
    // another arity than the program's own, in another version of it
    ['git log **', 'git log --format --output=x', '--output=x'],
    ['find **', "find -- . -exec ./x ';'", '--'],
    ['cargo tree **', 'cargo tree -i --config=x', '--config=x'],
    ['tree **', 'tree -Lo 2 x', '-Lo'],
    ['xxd **', 'xxd in -p', '-p'],
    ['pnpm run **', 'pnpm run -w --script-shell=./x test', '--script-shell=./x'],
    // an option that takes back what the pattern spells out
    ['git push --dry-run **', 'git push --dry-run --no-dry-run', '--no-dry-run'],
    ['rm -i **', 'rm -i --interactive=never x', '--interactive=never'],
    ['npm ci --ignore-scripts **', 'npm ci --ignore-scripts false', 'false'],
    ['tsc --noEmit **', 'tsc --noEmit false', 'false'],
    // words without a dash
    ['tar **', 'tar xIf ./x y', 'xIf'],
    ['uniq **', 'uniq a b', 'b'],
    ['date **', 'date 010100002026', '010100002026'],
    ['make **', 'make A=b', 'A=b'],
    ['curl **', 'curl -d @x http', '@x'],
    ['git push **', 'git push origin ext::x', 'ext::x'],
    ['git push **', 'git push ./x main', './x'],
    ['gcc **', 'gcc @x', '@x'],
    ['cargo clippy **', 'cargo clippy -- @x', '@x'],
    ['curl **', "curl '{file}://x'", '{file}://x'],
    ['git bisect **', 'git bisect run ./x', 'run'],
    ['git config **', 'git config a.b c', 'a.b'],
    ['git unknown **', 'git unknown x', 'x'],
    ['npm pkg **', 'npm pkg set a=b', 'set'],
    ['gh **', 'gh alias set a b', 'alias'],
    ['uv run **', 'uv run x', 'x'],
    ['git log **', "git log '--format=%G?'", '--format=%G?'],
    ['dd **', 'dd if=x', 'if=x'],
    // a subcommand that does more than read
    ['git **', 'git stash', 'stash'],
    ['git stash **', 'git stash drop', 'drop'],
    ['npm **', 'npm publish', 'publish'],
    // words that an interpreter or a script reads
    ['sed s/a/b/ **', 'sed s/a/b/ -e x f', '-e'],
    ['npx vitest **', 'npx vitest --config x', '--config'],
    ['npm test **', 'npm test -- --x', '--x'],
    ['cargo test **', 'cargo test -- --logfile x', '--logfile'],
    // a program without a table, and an option that the table does not know
    ['tool **', 'tool -x', '-x'],
    ['tool --out*', 'tool --output=x', '--output=x'],
    ['ls **', 'ls --new-option', '--new-option'],
  ])('%s asks about %s and names the word', (rule, text, about) => {
    expect(command(allow(rule), text)).toMatchObject({ decision: 'ask', reason: 'star_word', about });
  });

  test('an option that the pattern spells out may take the dashes that end the options', () => {
    expect(decisionOf('sort --new-option **', 'sort --new-option -- -ox')).toBe('ask');
    expect(decisionOf('sort **', 'sort -- -ox')).toBe('allow');
  });

  test('a value in a cluster is a path', () => {
    expect(command(allow('sort -u*'), 'sort -u.git/hooks/x').decision).toBe('ask');
    expect(command(allow('grep -f* *'), 'grep -f/etc/passwd x')).toMatchObject({ reason: 'outside' });
    expect(command(allow('grep **'), 'grep -nf.git/config x')).toMatchObject({ reason: 'protected' });
    expect(command(allow('grep **'), 'grep -nf/etc/passwd x')).toMatchObject({ reason: 'outside' });
  });
});

test('each table has a source and no option with two meanings', () => {
  for (const name of tabled()) {
    const table = tableFor(name);
    expect(table?.source).not.toBe('');
    for (const [spelling, option] of table?.options ?? []) {
      expect(spelling).toMatch(/^-(?:#|\.|\?|-?[A-Za-z0-9][\w.-]*)$/);
      expect(option.names).toContain(spelling);
    }
  }
});

describe('a deny matches what the program would understand', () => {
  test.each([
    ['rm -rf', 'rm -fr x'],
    ['rm -rf', 'rm -r -f x'],
    ['rm -rf', 'rm -rvf x'],
    ['rm -rf', 'rm --recursive --force x'],
    ['rm -rf', 'rm --rec --fo x'],
    ['rm -rf', 'rm x -Rf'],
    ['rm -rf', 'timeout 5 /bin/rm -fr x'],
    ['npm publish', 'npm pub'],
    ['npm publish', 'npm --prefix x publish'],
    ['npm install', 'npm i x'],
    ['npm install', 'npm add x'],
    ['npm run deploy', 'npm rum deploy'],
    ['git push --force', 'git push origin main -f'],
    ['git push --force', 'git push origin +main'],
    ['git push --delete', 'git push origin :main'],
    ['git push -f', 'git -C x push --force'],
    ['git commit --no-verify', 'git commit -anm x'],
    ['git commit --no-verify', 'git commit --no-veri -m x'],
    ['cargo run', 'cargo r'],
    ['git branch -D', 'git branch --delete --force x'],
    ['git reset --hard', 'git reset -q HEAD --hard'],
    ['git clean -fd', 'git clean -d -x -f'],
    ['cp -R', 'cp -a x y'],
    ['chmod 777', 'chmod -R 777 x'],
  ])('%s denies %s', (rule, text) => {
    expect(command(deny(rule), text).decision).toBe('deny');
  });

  test.each([
    ['tool -abc', 'tool -c -a -b'],
    ['tool --force', 'tool --for'],
    ['git notes add -f', 'git notes add x -qf'],
    ['rm -rf', "sh -c 'rm -fr x'"],
    ['rm -rf', 'sudo rm -fr x'],
    ['npm publish', "sh -c 'npm pub'"],
  ])('%s asks about %s, which CBOS cannot know', (rule, text) => {
    expect(command([...deny(rule), ...allow('x')], text)).toMatchObject({ decision: 'ask', reason: 'may_be_denied' });
  });

  test.each([
    ['rm -rf', 'rm -r x'],
    ['rm -rf', 'docker run --rm x'],
    ['git push --force', 'git push origin main'],
    ['git commit --no-verify', 'git commit -am x'],
    ['git reset --hard', 'git reset x'],
    ['npm publish', 'npm run build'],
    ['npm install', 'npm ls'],
    ['tool -abc', 'tool -a -b'],
    ['cp -R', 'cp x y'],
  ])('%s has nothing to do with %s', (rule, text) => {
    expect(command(deny(rule), text).reason).toBe('no_rule');
  });
});

test('CBOS knows the rules about programs whose options it cannot read', () => {
  const rules = rulesOf({
    allow: [{ command: ['tool **', 'tool x', 'ls **', 'node x.js **', 'git lfs **'] }],
    deny: [{ command: ['tool -x', 'tool x', 'rm -rf', 'git lfs push --all'] }],
  });
  expect(rules.map(withoutTable)).toEqual([
    ['tool **', 'git lfs **'],
    ['tool -x', 'git lfs push --all'],
  ]);
});

describe('a path that is denied to a file tool', () => {
  const rules = [
    ...allow('cat **', 'ls **', 'head **', 'cp **', 'sort -o*'),
    ...rulesOf({ deny: [{ tool: ['Edit', 'Read', 'Write'], path: 'secrets/**' }] }),
  ];

  test.each([
    'cat secrets/k',
    'cat < secrets/k',
    'cat ./x/../secrets/k',
    'cd ./secrets && cat k',
    'head -c5 secrets/k',
    'cp secrets/k x',
    'sort -osecrets/k x',
    'tool -xysecrets/k',
    'git show HEAD:secrets/k',
    'if true; then cat < secrets/k; fi',
    'for x in a; do echo $x > secrets/k; done',
  ])('is denied to %s', (text) => {
    expect(command(rules, text).decision).toBe('deny');
    expect(sayBefore(rules, { command: text })?.decision).toBe('deny');
  });

  const K = '/src/shop/secrets/k';
  test('is denied to every tool that reads or writes, but not to readers if the rule names only writers', () => {
    const judge = (tools: string[], tool: string): string | undefined => {
      const some = rulesOf({ deny: [{ tool: tools, path: 'secrets/**' }] });
      return sayBefore(some, { file_path: K, notebook_path: K, path: K }, { tool })?.decision;
    };
    expect(['Grep', 'Edit', 'Write', 'NotebookRead'].map((tool) => judge(['Read'], tool))).toEqual([
      'deny',
      'deny',
      'deny',
      'deny',
    ]);
    expect(['Write', 'MultiEdit', 'Read', 'Grep'].map((tool) => judge(['Edit'], tool))).toEqual([
      'deny',
      'deny',
      undefined,
      undefined,
    ]);
  });
});

describe('a call that runs what it has just written', () => {
  const rules = [
    ...allow('cat **', 'echo **', 'sh s.sh', 'make build', 'npm test', 'node a.mjs', 'chmod **', 'git diff **'),
    ...rulesOf({ allow: [{ tool: 'Write', path: ['s.sh', 'Makefile', 'package.json', 'a.mjs'] }] }),
    ...deny('git push'),
  ];

  test.each([
    ['echo x > s.sh && sh s.sh', 's.sh'],
    ['echo x > s.sh; sh -x ./s.sh', './s.sh'],
    ['printf x > s.sh; sh s.sh', 's.sh'],
    ['echo x > s.sh; . s.sh', 's.sh'],
    ['echo x > s.sh; ./s.sh', './s.sh'],
    ['cat <<E > s.sh\nx\nE\nsh s.sh', 's.sh'],
    ['if true; then echo x > s.sh; fi; sh s.sh', 's.sh'],
    ['cp x a.mjs && node a.mjs', 'a.mjs'],
    ['echo x | tee a.mjs; node ./a.mjs', './a.mjs'],
    ['cd ./sub && echo x > s.sh && sh s.sh', 's.sh'],
    ['echo x > ./Makefile; make build', 'Makefile'],
    ['echo x > package.json && npm test', 'package.json'],
  ])('asks: %s', (text, about) => {
    expect(command(rules, text)).toMatchObject({ decision: 'ask', reason: 'runs_written', about });
    expect(sayBefore(rules, { command: text })).toMatchObject({ decision: 'ask', reason: 'runs_written', about });
  });

  test.each(['cat s.sh && sh s.sh', 'chmod +x s.sh && sh s.sh', 'git diff package.json && npm test', 'echo x > s.sh'])(
    'does not: %s',
    (text) => {
      expect(command(rules, text).decision).toBe('allow');
      expect(sayBefore(rules, { command: text })).toBeNull();
    },
  );

  test('does not ask before the dialog if no rule is about commands', () => {
    const some = rulesOf({ deny: [{ tool: 'WebFetch' }] });
    expect(sayBefore(some, { command: 'echo x > s.sh && sh s.sh' })).toBeNull();
  });
});
