import type { StoredEvent } from '../protocol/index.ts';

/** The last test run of a session, according to its transcript. */
export interface TestOutcome {
  command: string;
  outcome: 'passed' | 'failed';
  /** whether the session has edited a file since that run */
  edited_since: boolean;
}

/** Commands that run a project's tests and whose exit code shows the outcome. */
const RUNS_TESTS = new RegExp(
  [
    '(?:npm|pnpm|yarn|bun)(?: run)? test',
    '(?:npx |pnpm |bunx )?(?:vitest|jest|mocha|playwright test)',
    '(?:python3? -m |uv run |poetry run )?pytest',
    'cargo (?:test|nextest)',
    '(?:go|dotnet|mix|deno) test',
    '(?:make|just) (?:test|check)',
    '(?:\\./)?(?:mvnw?|gradlew?) (?:\\S+ )*(?:\\S+:)?test',
    'ctest',
    '(?:bundle exec )?rspec',
  ]
    .map((command) => `^(?:[A-Z_]+=\\S+ )*${command}(?=[\\s:]|$)`)
    .join('|'),
);
/** Matches a command that may precede the tests without hiding their outcome. */
const FIRST_STEP = /^cd [^;&|\n]+ && /;
/** In this case, the exit code may be that of another command. */
const HIDES_OUTCOME = /[;&|\n]/;
const EDITS: ReadonlySet<string> = new Set(['Edit', 'MultiEdit', 'Write', 'NotebookEdit']);

type Fields = Readonly<Record<string, unknown>>;
const fieldsOf = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {});

/**
 * Returns the outcome of the last test run in these events, or null if there is none. The result is also null if the
 * exit code may not be that of the tests, because they ran in a pipe or in the background, or if they are still
 * running.
 */
export function testOutcome(events: readonly StoredEvent[]): TestOutcome | null {
  let last: { id: unknown; command: string; isClear: boolean } | null = null;
  let isError: boolean | null = null;
  let edited = false;
  for (const { event } of events) {
    const { content } = fieldsOf(event.message);
    for (const block of Array.isArray(content) ? content.map(fieldsOf) : []) {
      if (block.type === 'tool_use') {
        const input = fieldsOf(block.input);
        const command = String(input.command ?? '')
          .replace(FIRST_STEP, '')
          .trim();
        if (block.name === 'Bash' && RUNS_TESTS.test(command)) {
          const isClear = !HIDES_OUTCOME.test(command.replace(/ 2>&1$/, '')) && input.run_in_background !== true;
          [last, isError, edited] = [{ id: block.id, command, isClear }, null, false];
        } else if (EDITS.has(String(block.name))) edited = true;
      } else if (block.type === 'tool_result' && last !== null && block.tool_use_id === last.id) {
        isError = block.is_error === true;
      }
    }
  }
  if (last === null || !last.isClear || isError === null) return null;
  return { command: last.command, outcome: isError ? 'failed' : 'passed', edited_since: edited };
}
