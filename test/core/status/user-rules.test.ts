import { describe, expect, test } from 'vitest';
import {
  advanceStatus,
  DEFAULT_THRESHOLDS,
  SCREEN_RULES,
  screenObserver,
  userObserver,
} from '../../../src/core/status/index.ts';
import { readUserRules } from '../../../src/core/status/user-rules.ts';
import { evidenceOf, FRAMES, frame, hook, hooksOf } from './evidence-maker.ts';

const RULE = { id: 'deploy', pattern: '^Deploy to \\w+\\? \\[y/N\\]$', where: 'bottom', status: 'waiting/permission' };

describe("a user's own rule", () => {
  const observe = userObserver(readUserRules([RULE], 'config.toml'), DEFAULT_THRESHOLDS);
  const asked = frame(['● Bash(./deploy.sh)', 'Deploy to staging? [y/N]']);

  test('is believed before hooks and before every rule of CBOS', () => {
    const hooks = hooksOf(hook(0, 'UserPromptSubmit', { prompt: 'deploy' }));
    const screen = observe(null, asked, 100);
    const { memory } = advanceStatus(null, {
      evidence: evidenceOf({ hooks, screen }),
      now: 5_000,
      thresholds: DEFAULT_THRESHOLDS,
    });
    expect(memory).toMatchObject({
      primary: 'waiting',
      detail: 'permission',
      because: { source: 'user', rule: 'user.deploy', evidence: 'Deploy to staging? [y/N]' },
    });
  });

  test('that does not match changes nothing', () => {
    for (const shown of Object.values(FRAMES)) {
      expect(observe(null, shown, 0)).toEqual(screenObserver({ rules: SCREEN_RULES })(null, shown, 0));
    }
  });
});

describe('an invalid rule is refused with its name and the reason', () => {
  test.each([
    [[{ ...RULE, id: 'a b' }], 'needs an id'],
    [[{ ...RULE, wher: 'screen' }], 'unknown key: wher'],
    [[{ ...RULE, where: 'sky' }], 'where must be one of screen, bottom, footer'],
    [[{ ...RULE, status: 'waiting' }], 'status must be a word such as waiting/permission'],
    [[{ ...RULE, status: 'idle/permission' }], 'status must be a word such as'],
    [[{ ...RULE, pattern: '(' }], 'a valid RE2 regular expression'],
    [[{ ...RULE, pattern: undefined }], 'needs a pattern'],
    [[{ ...RULE, pattern: 'x'.repeat(201) }], 'longer than 200'],
    [[{ ...RULE, pattern: '(a)\\1' }], 'a valid RE2 regular expression'],
    [[{ ...RULE, pattern: 'a(?=b)' }], 'a valid RE2 regular expression'],
    [[{ ...RULE, pattern: '(?:[ab]{1,900}){1}[ab]{900}' }], 'with its repeats expanded, the pattern has'],
    [[RULE, RULE], 'two rules have the id deploy'],
    ['deploy', 'write [[rules]]'],
  ])('%j', (rules, reason) => {
    expect(() => readUserRules(rules, '/home/me/.cbos/config.toml')).toThrow(
      expect.objectContaining({ code: 'invalid_setting', message: expect.stringContaining(reason) }),
    );
  });
});

test('no pattern takes long, even on a line made for it', () => {
  const patterns = [
    '(a+)+$',
    'a{0,99}a{0,99}a{0,99}a{0,99}y',
    '(?:a|aa)*$',
    '((a*)b?)*y',
    'a*a*a*a*a*a*y',
    '(?:a?){200}a{200}$',
    '(?:\\w+\\s?)*z',
    '(?:[ab]*a[ab]{9}){9}y?$',
    '.*x.*y',
  ];
  const rules = readUserRules(
    patterns.map((pattern, index) => ({ ...RULE, id: `r${index}`, where: 'screen', pattern })),
    'config.toml',
  );
  const observe = userObserver(rules, DEFAULT_THRESHOLDS);
  const worst = frame(Array.from({ length: 50 }, (_, row) => `${['a', 'x', 'ab', 'aab '][row % 4]?.repeat(400)}!`));
  const before = process.cpuUsage();
  observe(null, worst, 0);
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1_000).toBeLessThan(2_000);
});
