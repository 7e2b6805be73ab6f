import { expect, test } from 'vitest';
import { neutralizeHeader, neutralizePaths, neutralizeTiming, toClassicTiming } from './neutral.ts';

const DIRECTORY = '/tmp/cb-1a2b3c-XyZ123';

test('a path keeps its length in every form that the screen gives it', () => {
  for (const text of [
    `cwd: ${DIRECTORY}/project`,
    '-tmp-cb-1a2b3c-XyZ123-project',
    'cwd: /tmp/cb-1a2b3c…',
    '…2b3c-XyZ123/project',
    '/tmp/cb-1a2b\r\n3c-XyZ123/project',
  ]) {
    const neutral = neutralizePaths(text, DIRECTORY);
    expect(neutral).toHaveLength(text.length);
    expect(neutral).not.toMatch(/tmp|cb-|XyZ/);
  }
  expect(neutralizePaths('see /tmp/other and tmp', DIRECTORY)).toBe('see /tmp/other and tmp');
});

test('a directory of another length is refused, because it would move the screen', () => {
  expect(() => neutralizePaths('', '/tmp/x')).toThrow('not as long as');
});

test('the command is in the header and in the timing without its files', () => {
  expect(
    neutralizeHeader('Script started on 2026 [COMMAND="exec /bin/sh \'/tmp/x/run\'" COLUMNS="100"]\nCOMMAND="stays"'),
  ).toBe('Script started on 2026 [COMMAND="claude" COLUMNS="100"]\nCOMMAND="stays"');
  expect(neutralizeTiming("H 0.0 COMMAND exec /bin/sh '/x/run'\nH 0.0 TIMING_LOG /x/r.timing\nO 0.1 3\n")).toBe(
    'H 0.0 COMMAND claude\nH 0.0 TIMING_LOG r.timing\nO 0.1 3\n',
  );
});

test('classic timing keeps the time of the rows that it leaves out', () => {
  expect(toClassicTiming('H 0.000000 LINES 30\nO 0.500000 3\nS 1.000000 SIGWINCH ROWS=1 COLS=2\nO 0.250000 4\n')).toBe(
    '0.500000 3\n1.250000 4\n',
  );
});
