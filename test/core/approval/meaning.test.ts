import { describe, expect, test } from 'vitest';
import { command, deny, rulesOf, sayBefore } from './judge.ts';

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
