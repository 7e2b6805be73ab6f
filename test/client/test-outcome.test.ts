import { describe, expect, test } from 'vitest';
import { testOutcome } from '../../src/client/test-outcome.ts';
import type { StoredEvent } from '../../src/protocol/index.ts';

let made = 0;
const stored = (event: StoredEvent['event']): StoredEvent => ({ seq: ++made, timestamp: 1, event });
const use = (name: string, input: object, id = `t${made}`): StoredEvent =>
  stored({ type: 'assistant', message: { content: [{ type: 'tool_use', id, name, input }] } });
const result = (id: string, isError: boolean): StoredEvent =>
  stored({ type: 'user', message: { content: [{ type: 'tool_result', tool_use_id: id, is_error: isError }] } });
const bash = (command: string, isError: boolean, more: object = {}): StoredEvent[] => {
  const id = `b${++made}`;
  return [use('Bash', { command, ...more }, id), result(id, isError)];
};

describe('the outcome of the last tests of a session', () => {
  test.each([
    'npm test',
    'npm run test -- login',
    'cd /src/shop && npx vitest run test/a.test.ts 2>&1',
    'CI=1 pytest -q',
    'python -m pytest',
    'cargo test --all',
    'go test ./...',
    'make check',
    './gradlew :app:test',
  ])('is known from the exit code of %s', (command) => {
    expect(testOutcome(bash(command, false))).toMatchObject({ outcome: 'passed', edited_since: false });
    expect(testOutcome(bash(command, true))).toMatchObject({ outcome: 'failed' });
  });

  test.each(['npm test | tail -5', 'npm test; echo done', 'npm test || true', 'npm test && git push', 'npm test &'])(
    'is not known after %s, whose exit code may be that of another command',
    (command) => expect(testOutcome(bash(command, false))).toBeNull(),
  );

  test.each(['git commit -m "npm test"', 'ls test', 'npm run build', 'echo pytest', 'npm run test-data'])(
    'is not derived from %s',
    (command) => expect(testOutcome(bash(command, false))).toBeNull(),
  );

  test('is that of the last tests only, even while they run or run in the background', () => {
    const passed = bash('npm test', false);
    expect(testOutcome([...passed, ...bash('npm test', true)])?.outcome).toBe('failed');
    expect(testOutcome([...passed, use('Bash', { command: 'npm test' })])).toBeNull();
    expect(testOutcome([...passed, ...bash('npm test', false, { run_in_background: true })])).toBeNull();
    expect(testOutcome([...passed, ...bash('npm test | tail', false)])).toBeNull();
  });

  test('shows whether a file was edited since', () => {
    const passed = bash('npm test', false);
    expect(testOutcome([...passed, use('Read', {})])?.edited_since).toBe(false);
    expect(testOutcome([...passed, use('Edit', {})])?.edited_since).toBe(true);
    expect(testOutcome([use('Edit', {}), ...passed])?.edited_since).toBe(false);
  });

  test('accepts any events without failing', () => {
    expect(testOutcome([stored({ type: 'user', message: 'x' }), stored({ type: 'assistant' })])).toBeNull();
  });
});
