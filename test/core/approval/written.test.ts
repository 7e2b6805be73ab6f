import { describe, expect, test } from 'vitest';
import { allow, command, deny, sayBefore } from './judge.ts';

const rules = [
  ...allow('npm test', 'node a.mjs', 'node a.mjs x', 'python3 a.py', 'python3 a.py x', './run.sh', 'bash -n run.sh'),
  ...allow('node --check a.mjs', 'shellcheck run.sh', 'git add package.json', 'git commit -m x package.json'),
  ...allow('git status **', 'git diff **', 'cp -r a docs', 'cp x.txt .', 'tar -tf x.tar', 'find . -name run.sh'),
  ...deny('git push'),
];

describe('a call that runs what it has written asks', () => {
  test.each([
    // a folder above the file
    ['cp evil/run.sh . && ./run.sh', './run.sh'],
    ['cp -t . evil/run.sh && ./run.sh', './run.sh'],
    ['cp evil/package.json . && npm test', 'package.json'],
    ['mv evil/run.sh . && sh run.sh', 'run.sh'],
    ['cp -r evil/. . && sh run.sh', 'run.sh'],
    ['cp -r evil scripts && node scripts/check.mjs', 'scripts/check.mjs'],
    ['ln -s evil ./scripts && node scripts/check.mjs', 'scripts/check.mjs'],
    ['rsync -a evil/ scripts/ && node scripts/sub/check.mjs', 'scripts/sub/check.mjs'],
    // files that the command does not name
    ['tar -xf x.tar && ./run.sh', './run.sh'],
    ['unzip x.zip && node a.mjs', 'a.mjs'],
    ['git checkout other && ./run.sh', './run.sh'],
    ['git restore . && sh run.sh', 'run.sh'],
    ['git pull && node a.mjs', 'a.mjs'],
    ['git apply x.patch && node a.mjs', 'a.mjs'],
    // programs that run what they are given
    ['echo x > test_a.py && pytest test_a.py', 'test_a.py'],
    ['echo x > a.test.ts && npx vitest run a.test.ts', 'a.test.ts'],
    ['echo x > new.mk && make -f new.mk', 'new.mk'],
    ['echo x > pkg/mod.py && python3 -m pkg.mod', 'pkg/mod.py'],
    ['echo x > run.sh && xargs ./run.sh', './run.sh'],
    ["echo x > run.sh && find . -exec ./run.sh ';'", './run.sh'],
    ['echo x > ./.justfile && just', '.justfile'],
    ['echo x > p.awk && awk -f p.awk x', 'p.awk'],
    // a word that is not the first one
    ['echo x > run.py && python3 -W x run.py', 'run.py'],
    ['echo x > run.sh && bash -o pipefail run.sh', 'run.sh'],
    ['cp x f.cjs && node -r ./f.cjs x.mjs', './f.cjs'],
    ['echo x > run.sh && bash wrapper.sh run.sh', 'run.sh'],
    // an interpreter that writes
    ['python3 gen.py run.sh && ./run.sh', './run.sh'],
    ['perl -pi -es/a/b/ run.sh && ./run.sh', './run.sh'],
    ['sed --expression=s/a/b/ -i run.sh && ./run.sh', './run.sh'],
    ['bash -c x run.sh && ./run.sh', './run.sh'],
  ])('%s', (text, about) => {
    expect(command(rules, text)).toMatchObject({ decision: 'ask', reason: 'runs_written', about });
    expect(sayBefore(rules, { command: text })).toMatchObject({ decision: 'ask', reason: 'runs_written' });
  });
});

test.each([
  'git add package.json && npm test',
  'git commit -m x package.json && npm test',
  'git status package.json && npm test',
  'git diff package.json && npm test',
  'node a.mjs && node a.mjs',
  'python3 a.py && python3 a.py x',
  'bash -n run.sh && ./run.sh',
  'node --check a.mjs && node a.mjs',
  'shellcheck run.sh && ./run.sh',
  'cp -r a docs && node a.mjs x',
  'cp x.txt . && ./run.sh',
  'tar -tf x.tar && ./run.sh',
  'find . -name run.sh && ./run.sh',
])('%s does not ask', (text) => {
  expect(command(rules, text).decision).toBe('allow');
  expect(sayBefore(rules, { command: text })).toBeNull();
});

test('a long call is judged in a fraction of a second', () => {
  const start = process.cpuUsage();
  command(rules, `cp ${'a '.repeat(2000)} b && ${'node a.mjs; '.repeat(400)}`);
  const { user, system } = process.cpuUsage(start);
  expect((user + system) / 1e6).toBeLessThan(2.5);
});
