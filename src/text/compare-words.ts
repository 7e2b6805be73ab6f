import { cleanLine } from './terminal-text.ts';

interface Tests {
  command: string;
  outcome: 'passed' | 'failed';
  edited_since: boolean;
}

/**
 * Returns the outcome of a session's last tests, such as `passed before the last edit: npm test`, or an empty string if
 * the outcome is unknown.
 */
export function testsText(tests: Tests | null): string {
  if (tests === null) return '';
  return cleanLine(`${tests.outcome}${tests.edited_since ? ' before the last edit' : ''}: ${tests.command}`);
}
