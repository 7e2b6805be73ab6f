import type { StoredEvent } from '../protocol/index.ts';

/** The last tests that a session ran, as its transcript shows them. */
export interface TestOutcome {
  command: string;
  outcome: 'passed' | 'failed';
  /** whether a file has been edited since they ran */
  edited_since: boolean;
}

/** Commands that run a project's tests. Their exit code shows the outcome. */
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
/** A step before the tests that cannot hide their outcome. */
const FIRST_STEP = /^cd [^;&|\n]+ && /;
/** The exit code may then come from another command. */
const HIDES_OUTCOME = /[;&|\n]/;
const EDITS: ReadonlySet<string> = new Set(['Edit', 'MultiEdit', 'Write', 'NotebookEdit']);

type Fields = Readonly<Record<string, unknown>>;
const fieldsOf = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {});

/**
 * Returns the outcome of the last tests in these events, or null if there are none, or if the command's exit code may
 * not be that of the tests: in a pipe, in the background, or while they are still running.
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
