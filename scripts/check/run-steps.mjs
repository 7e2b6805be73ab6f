import { availableParallelism } from 'node:os';

/**
 * @typedef {import('./steps.mjs').Step} Step
 * @typedef {{ name: string, ok: boolean }} StepResult
 */

/**
 * Runs steps, several at a time, and prints one line for each step when it ends. The output of a step is shown only if
 * the step has failed.
 * @param {readonly Step[]} steps
 * @param {{ write: (text: string) => void, parallel?: number }} options
 * @returns {Promise<StepResult[]>} in the order of the steps
 */
export async function runSteps(steps, { write, parallel = availableParallelism() }) {
  /** @type {StepResult[]} */
  const results = [];
  const waiting = steps.entries();
  const lane = async () => {
    for (const [index, step] of waiting) {
      const started = performance.now();
      const { ok, output } = await outcome(step);
      const seconds = ((performance.now() - started) / 1000).toFixed(1);
      write(`${ok ? 'ok  ' : 'FAIL'} ${step.name} (${seconds} s)\n${ok ? '' : indent(output)}`);
      results[index] = { name: step.name, ok };
    }
  };
  await Promise.all(Array.from({ length: parallel }, lane));
  return results;
}

/** @param {Step} step */
async function outcome(step) {
  try {
    return await step.run();
  } catch (error) {
    return { ok: false, output: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

/** @param {string} text */
function indent(text) {
  return `${text.trimEnd().replaceAll(/^/gm, '     ')}\n`;
}
