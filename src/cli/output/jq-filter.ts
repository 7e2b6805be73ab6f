import { loadJq } from 'jq-wasm/inline';
import { CommandError, UsageError } from '../command-error.ts';

/** Applies a jq expression to one value. Returns the expression's outputs, in order. */
export type JqFilter = (value: unknown) => unknown[];

/** The exit code of jq for an expression that does not compile. */
const COMPILE_ERROR = 3;

/**
 * Compiles a jq expression that was given to the `--jq` option. It uses jq 1.8.2 itself, compiled to WebAssembly, so
 * `jq` does not have to be installed. Loading it takes about 90 ms.
 * @throws CommandError if the expression does not compile or cannot be applied to a value
 */
export async function jqFilter(expression: string): Promise<JqFilter> {
  const jq = await loadJq();
  // This only compiles the expression, because there is no input yet to run it on.
  const { exitCode, stderr } = jq.raw('', expression);
  if (exitCode === COMPILE_ERROR) {
    throw new UsageError(
      `The --jq expression isn't valid: ${reasonOf(stderr)}`,
      'https://jqlang.org/manual describes the syntax',
    );
  }
  return (value) => {
    const result = jq.raw(JSON.stringify(value), expression, ['--compact-output']);
    if (result.exitCode !== 0) {
      throw new CommandError(
        `The --jq expression failed: ${reasonOf(result.stderr)}`,
        'run the command with --json to see the input',
      );
    }
    return result.stdout.split('\n').flatMap((line): unknown[] => (line === '' ? [] : [JSON.parse(line)]));
  };
}

/**
 * Returns the first line of jq's error message, without the prefix that makes sense only on jq's own command line, as
 * in `jq: error (at /dev/stdin:0): x`.
 */
function reasonOf(stderr: string): string {
  const [first = ''] = stderr.split('\n');
  return first.replace(/^jq: (error( \(at [^)]*\))?: )?/, '') || 'jq gave no reason';
}
